import tensorflow as tf
import tiny

from neural_gpu_tf.serving import ExportedTranslator


def test_exports_into_the_run_and_says_where(run_binary, run_dir):
    answer = run_binary("export", f"--run_dir={run_dir}", "--max_source_length=1")
    assert (answer.status, answer.out) == (0, f"{run_dir}/export/1\n")
    translator = ExportedTranslator(run_dir / "export" / "1")
    texts = tf.constant(["six", "six two"])
    text = tiny.translator().translate(texts)["text"].numpy()[0]
    assert translator.translate(texts)["text"].numpy().tolist() == [text, text]


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
