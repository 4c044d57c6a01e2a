import csv

import pytest
import tiny

from neural_gpu_tf.evaluation import scores
from neural_gpu_tf.inference import translate_all
from neural_gpu_tf.options import CurriculumConfig, DataConfig, TrainingConfig
from neural_gpu_tf.runs import RunConfig, RunDirectory
from neural_gpu_tf.training.summaries import Summaries

SOURCES = ["two thousand, five", "six", "", "two", "five six two six five"]
TARGETS = ["two five six two", "five", "six", "six five", "two"]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "en").write_text("".join(f"{text}\n" for text in SOURCES))
    (tmp_path / "fr").write_text("".join(f"{text}\n" for text in TARGETS))
    return [f"--source={tmp_path}/en", f"--target={tmp_path}/fr"]


@pytest.fixture(scope="module")
def other_run(tmp_path_factory, new_run):
    """A run of another model, with a step in its event files."""
    model = tiny.new_model(len(tiny.vocabulary()))
    for weight in model.trainable_weights:
        weight.assign(-weight)
    path = tmp_path_factory.mktemp("runs") / "other"
    data = DataConfig(validation_examples=4, train_examples=4)
    run = new_run(path, tiny.vocabulary(), model, data)
    summaries = Summaries(RunDirectory(run).events)
    summaries.scalars("train", 1, {"loss": 2.5})
    summaries.scalars("validation", 1, {"bleu": 12.5})
    return run


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_a_page_that_compares_two_runs(run_binary, run_dir, other_run, files, tmp_path):
    out = tmp_path / "made" / "report"
    options = f"--out={out}", "--bucket_words=2", "--decode_cells=128"
    answer = run_binary("report", run_dir, other_run, *files, *options)
    assert answer.status == 0, answer.err
    assert answer.out.splitlines()[-1] == str(out / "index.html")
    assert "<h1>Translation report</h1>" in (out / "index.html").read_text("utf-8")
    first, second = rows(out / "models.csv")
    assert [first["name"], second["name"]] == [run_dir.name, "other"]
    outputs = [x.text for x in translate_all(tiny.translator().translate, SOURCES)]
    expected = scores(outputs, TARGETS)
    assert first["bleu"] == f"{expected['bleu']:.2f}"
    assert first["chrf"] == f"{expected['chrf']:.2f}"
    assert first["exact_match"] == f"{expected['exact_match']:.4f}"
    assert first["chrf_signature"] == expected["chrf_signature"]
    assert first["parameters"] == str(tiny.model().count_params())
    assert first["perplexity_symbol"] != second["perplexity_symbol"]
    decoding = {row["option"]: row["other"] for row in rows(out / "decoding.csv")}
    assert decoding["--decode_cells"] == "128"
    assert decoding["--max_source_length"] == "9"  # the run's own
    lengths = [row["source_words"] for row in rows(out / "bleu_by_source_length.csv")]
    assert lengths == ["0-1", "2-3", "4-5"]
    assert [(row["name"], row["scalar"]) for row in rows(out / "curves.csv")] == [
        ("other", "loss"),
        ("other", "bleu"),
    ]
    assert (out / "loss.png").exists() and (out / "bleu.png").exists()
    sentences = rows(out / "sentences.csv")
    assert len(sentences) == 2 * len(SOURCES)
    found = {(row["name"], int(row["line"])): row["output"] for row in sentences}
    assert [found[run_dir.name, i] for i in range(1, 6)] == outputs
    assert [found["other", i] for i in range(1, 6)] != outputs


def test_faults_are_one_line_and_status_2(
    run_binary, run_dir, other_run, files, tmp_path
):
    source, target = files
    (tmp_path / "short").write_text("one\n")
    (tmp_path / "empty").touch()
    task = RunDirectory(tmp_path / "task")
    curriculum = CurriculumConfig(task="badd")
    training = TrainingConfig()
    task.write_config(
        RunConfig(DataConfig(), tiny.MODEL, training, tiny.DECODING, 0, "", curriculum)
    )
    bare = RunDirectory(tmp_path / "bare")
    bare.write_config(RunDirectory(run_dir).read_config())
    tiny.vocabulary().save(bare.vocabulary)
    out = f"--out={tmp_path}/out"
    for arguments, message in (
        ([*files, out], "no run given; name one run directory or more"),
        ([run_dir, source, out], "--source and --target: give both"),
        ([run_dir, *files], "--out is empty"),
        ([run_dir, *files, f"--out={tmp_path}/en/out"], "en/out: can't make it"),
        ([run_dir, source, f"--target={tmp_path}/short", out], "line 2 of en has no"),
        ([run_dir, f"--source={tmp_path}/short", target, out], "line 2 of fr has no"),
        ([run_dir, source, f"--target={tmp_path}/empty", out], "the file is empty"),
        ([run_dir, f"--source={tmp_path}/no", target, out], "no: no such file"),
        ([run_dir, tmp_path / "none", *files, out], "none: not a run directory"),
        ([run_dir, bare.path, *files, out], "best.weights.h5: missing"),
        ([task.path, *files, out], "a run of the task badd, not of translation"),
        ([run_dir, f"{run_dir}/", *files, out], "given 2 times; name each run once"),
        ([run_dir, *files, out, "--bucket_words=0"], "--bucket_words=0"),
        ([run_dir, *files, out, "--beam=0"], "--beam=0"),
        ([run_dir, *files, out, "--beam=2", "--n_best=2"], "--n_best: the best"),
    ):
        answer = run_binary("report", *arguments)
        assert answer.status == 2, arguments
        assert message in answer.err and answer.err.count("\n") == 1, answer.err
    assert not (tmp_path / "out").exists()
