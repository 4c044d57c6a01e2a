import dataclasses
import importlib
import json
import shutil

import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import scores
from neural_gpu_tf.runs import RunDirectory, load_run
from neural_gpu_tf.weights import save_weights
from neural_gpu_tf.workflows import tune_decoding

TARGETS = ["un deux trois quatre cinq six sept", "sept six cinq quatre trois", "dix"]


class Scripted:
    """Instead of a translator: leaves out so many last words of every target."""

    def __init__(self, missing):
        self.missing = missing

    def translate(self, text):
        words = [TARGETS[int(one)].split() for one in text.numpy()]
        said = [" ".join(some[: len(some) - self.missing]) for some in words]
        zeros = tf.zeros(len(said))
        return {"text": tf.constant(said, tf.string), "log_probability": zeros} | {
            "size": tf.cast(zeros, tf.int32)
        }


@pytest.fixture
def run(run_dir, tmp_path):
    shutil.copytree(run_dir, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "source").write_text("0\n1\n2\n")
    (tmp_path / "target").write_text("".join(f"{text}\n" for text in TARGETS))
    return str(tmp_path / "source"), str(tmp_path / "target")


@pytest.fixture
def scripted(monkeypatch):
    """Words that are missing in each way of decoding, 3 if not said otherwise."""
    script = {}

    def translator(run, options):
        assert options["n_best"] == 1
        return Scripted(script.get(tuple(options.values())[:3], 3))

    monkeypatch.setitem(tune_decoding.__globals__, "run_translator", translator)
    return script


def test_the_best_of_the_grid_comes_first(run, files, scripted):
    scripted.update({(1, 0, 0): 2, (3, 2, 0): 1, (4, 0, 0): 1, (4, 2, 0): 2})
    trials = tune_decoding(run, *files, (4, 1, 3), (2.0, 0.0), (0.0, 0.5))
    # This model has no attention: no coverage. Of equals the narrower beam is first.
    grid = [trial[:3] for trial in trials]
    assert grid == [(3, 2, 0), (4, 0, 0), (1, 0, 0), (4, 2, 0), (1, 2, 0), (3, 0, 0)]
    for trial, missing in zip(trials, (1, 1, 2, 2, 3, 3), strict=True):
        said = [" ".join(t.split()[: len(t.split()) - missing]) for t in TARGETS]
        expected = scores(said, TARGETS)
        assert trial.bleu == expected["bleu"] and trial.chrf == expected["chrf"]
        assert trial.exact_match == expected["exact_match"] and trial.seconds > 0


def test_the_best_is_the_runs_default_from_now_on(run, files, scripted):
    scripted[2, 0.6, 0] = 0
    (best, *_) = tune_decoding(run, *files, (1, 2), (0.0, 0.6))
    assert best.bleu == pytest.approx(100) and best.exact_match == 1
    options = {"beam": 2, "length_penalty": 0.6, "coverage_penalty": 0.0}
    assert json.loads(RunDirectory(run).decoding.read_text()) == options
    expected = dataclasses.replace(tiny.DECODING, **options)
    assert load_run(run).config.decoding == expected
    assert RunDirectory(run).read_config().decoding == tiny.DECODING  # to go on with


def of_several(run):
    """Makes a run give three translations of each source; returns how it decodes."""
    directory = RunDirectory(run)
    config = directory.read_config()
    several = dataclasses.replace(config.decoding, beam=4, n_best=3)
    directory.write_config(dataclasses.replace(config, decoding=several))
    return several


def test_a_run_of_several_translations_is_tuned_by_the_first(run, files, scripted):
    several = of_several(run)
    tune_decoding(run, *files, (4,), (0.0,))
    assert load_run(run).config.decoding == several
    for beam in (2, 1):
        tune_decoding(run, *files, (beam,), (0.0,))
        assert load_run(run).config.decoding.n_best == beam


def test_coverage_is_tried_where_there_is_attention(run, files, scripted):
    config = RunDirectory(run).read_config()
    model = dataclasses.replace(
        config.model, model="attention_seq2seq", units=4, embedding_size=4, layers=1
    )
    RunDirectory(run).write_config(dataclasses.replace(config, model=model))
    save_weights(
        tiny.new_model(config.vocabulary_size, model), RunDirectory(run).weights("best")
    )
    trials = tune_decoding(run, *files, (1, 2), (0.0, 0.6), (0.0, 0.2))
    # One hypothesis on one canvas: nothing to decide.
    grid = [trial[:3] for trial in trials]
    assert grid == [(1, 0, 0), (2, 0, 0), (2, 0, 0.2), (2, 0.6, 0), (2, 0.6, 0.2)]


@pytest.mark.parametrize(
    "text, message",
    [
        ("{", "decoding.json: not JSON"),
        ("[]", "where an object of options must stand"),
        ('{"beams": 1}', "unknown key 'beams'"),
        ('{"beam": 0}', "beam=0: must be at least 1"),
    ],
)
def test_a_damaged_file(run, text, message):
    RunDirectory(run).decoding.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        load_run(run)
    assert "\n" not in str(error.value)


def test_the_binary_prints_a_table(run_binary, run):
    """On the run's own validation data, of which there are 4."""
    of_several(run)
    grid = ["--beams=2", "--length_penalties=0.6", "--sentences=0"]
    answer = run_binary("tune_decoding", f"--run_dir={run}", *grid)
    assert answer.status == 0
    head, row = (line.split() for line in answer.out.splitlines())
    assert head[:4] == ["beam", "length_penalty", "coverage_penalty", "bleu"]
    assert row[:3] == ["2", "0.6", "0"]
    found = load_run(run).config.decoding
    assert found.beam == found.n_best == 2


def test_faults_are_one_line_and_status_2(run_binary, run, files, monkeypatch):
    """They are found before the first translation."""
    module = importlib.import_module("neural_gpu_tf.workflows.tune_decoding")
    monkeypatch.setattr(module, "translate_all", None)
    pairs = [f"--source={files[0]}", f"--target={files[1]}"]
    for arguments, message in (
        ([*pairs, "--beams=two"], "--beams=two: must be numbers"),
        ([*pairs, "--beams="], "--beams=: must be numbers"),
        ([*pairs, "--beams=0"], "beam=0: must be at least 1"),
        ([*pairs, "--beams=1,99999"], "beam=99999: wider than the vocabulary"),
        ([*pairs, "--length_penalties=0,inf"], "length_penalty=inf: must be finite"),
        ([*pairs, "--sentences=-1"], "--sentences=-1: must be at least 0"),
        (pairs[:1], "--source and --target: give both"),
    ):
        answer = run_binary("tune_decoding", f"--run_dir={run}", *arguments)
        assert (answer.status, answer.out) == (2, "")
        assert message in answer.err and answer.err.count("\n") == 1
    assert not RunDirectory(run).decoding.exists()
