import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.serving.formats import FORMATS
from neural_gpu_tf.serving.translator_signatures import TranslatorSignatures


def test_exports_into_the_run_and_translates_through_it(
    run_binary, run_dir, caplog, monkeypatch
):
    """With fewer signatures, so that it is quick."""
    every, names = TranslatorSignatures.endpoints, ("serving_default", "too_long")
    monkeypatch.setattr(
        *(TranslatorSignatures, "endpoints"),
        lambda self: {name: every(self)[name] for name in names},
    )
    answer = run_binary("export", f"--run_dir={run_dir}", "--max_source_length=1")
    assert (answer.status, answer.out) == (0, f"{run_dir}/export/1\n")
    texts = ["six", "", "five"]
    expected = tiny.translator().translate(tf.constant(texts))["text"].numpy()
    answer = run_binary(
        "translate", f"--export_dir={run_dir}/export/1", stdin=b"six\n\nfive two"
    )
    assert answer.status == 0
    assert answer.out.encode() == b"".join(text + b"\n" for text in expected)
    assert "standard input:3: longer than --max_source_length" in caplog.text


def test_an_existing_version_is_refused(run_binary, run_dir, tmp_path):
    (tmp_path / "5").mkdir()
    answer = run_binary(
        "export",
        f"--run_dir={run_dir}",
        f"--export_dir={tmp_path}",
        "--export_version=5",
    )
    assert (answer.status, answer.out) == (2, "")
    assert "5: this version is there already" in answer.err
    assert answer.err.count("\n") == 1


def test_a_solver_is_exported(run_binary, tmp_path):
    answer = run_binary(
        "export", "--pretrained=badd", f"--export_dir={tmp_path}", "--max_columns=9"
    )
    assert (answer.status, answer.out) == (0, f"{tmp_path}/1\n")
    solve = tf.saved_model.load(f"{tmp_path}/1").signatures["solve"]
    answers = solve(text=tf.constant(["1011 + 110", "10110 + 1"]))
    assert list(answers["text"].numpy()) == [b"10001", b""]


def test_a_pretrained_model_needs_a_folder_to_be_exported_to(run_binary):
    answer = run_binary("export", "--pretrained=badd")
    assert answer.status == 2
    assert "--export_dir: not set; name the folder for the versions" in answer.err


@pytest.mark.slow
def test_another_format_and_translating_through_it(run_binary, run_dir):
    pytest.importorskip("ai_edge_litert", reason="pip install 'neural-gpu-tf[formats]'")
    answer = run_binary(
        "export", f"--run_dir={run_dir}", "--format=litert", "--export_version=3"
    )
    assert (answer.status, answer.out) == (0, f"{run_dir}/litert/3\n")
    texts = ["six", "", "five"]
    expected = tiny.translator().translate(tf.constant(texts))["text"].numpy()
    answer = run_binary(
        "translate", f"--export_dir={run_dir}/litert/3", stdin=b"six\n\nfive"
    )
    assert answer.status == 0
    assert answer.out.encode() == b"".join(text + b"\n" for text in expected)


def test_every_format_can_be_asked_for(run_binary):
    answer = run_binary("export", "--pretrained=badd", "--format=paper")
    legal = "|".join(["saved_model", *FORMATS])
    assert answer.status == 2 and f"should be one of <{legal}>" in answer.err


def test_a_flag_that_is_of_no_use_is_refused(run_binary, run_dir, tmp_path):
    solver, translator = "--pretrained=badd", f"--run_dir={run_dir}"
    for run, flag, message in (
        (
            solver,
            "--beam=4",
            "--beam: for translations, but this run is of the task badd",
        ),
        (
            translator,
            "--max_columns=9",
            "--max_columns: for algorithmic tasks, but",
        ),
        (translator, "--max_request_steps=9", "--max_request_steps: for algorithmic"),
    ):
        answer = run_binary("export", run, flag, f"--export_dir={tmp_path}/export")
        assert answer.status == 2 and answer.err.count("\n") == 1
        assert message in answer.err
    assert not (tmp_path / "export").exists()


@pytest.mark.parametrize("limit", ["max_texts", "max_columns", "decode_cells"])
def test_another_format_has_no_limits(run_binary, run_dir, limit):
    answer = run_binary(
        "export", f"--run_dir={run_dir}", "--format=onnx", f"--{limit}=9"
    )
    assert answer.status == 2
    assert f"--{limit}: a limit for SavedModels only; --format" in answer.err


def test_another_format_of_a_solver(run_binary, tmp_path):
    pytest.importorskip("ai_edge_litert", reason="pip install 'neural-gpu-tf[formats]'")
    answer = run_binary(
        "export", "--pretrained=badd", f"--export_dir={tmp_path}", "--format=litert"
    )
    assert (answer.status, answer.out) == (0, f"{tmp_path}/1\n")
    assert sorted(path.name for path in (tmp_path / "1").iterdir()) == [
        "export.json",
        "model.tflite",
    ]
