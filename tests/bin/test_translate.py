import dataclasses
import os
import subprocess
import sys

import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.inference import Translator
from neural_gpu_tf.models import Ensemble
from neural_gpu_tf.runs import RunDirectory, load_run
from neural_gpu_tf.text import Vocabulary
from neural_gpu_tf.weights import save_weights

LINES = [b"two thousand, five", b"", b"six", b"s\xe9x", b"two six five " * 4, b"five"]


def expected(lines):
    return b"".join(
        text + b"\n"
        for text in tiny.translator().translate(tf.constant(lines))["text"].numpy()
    ).decode()


def check_warnings(text):
    assert "standard input:4: not UTF-8" in text
    assert "standard input:5: longer than --max_source_length" in text


def test_lines_in_lines_out_and_nothing_else_on_standard_output(run_dir):
    answer = subprocess.run(
        [sys.executable, "-m", "neural_gpu_tf.bin.translate", f"--run_dir={run_dir}"],
        input=b"\n".join(LINES),
        capture_output=True,
        check=True,
        env={k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"},
    )
    assert answer.stdout.decode() == expected(LINES)
    errors = answer.stderr.decode()
    check_warnings(errors)
    assert "0000 00:00" not in errors  # what TensorFlow's libraries log
    assert len(errors.splitlines()) == 3  # ready, and two warnings


def test_flags_override_the_runs_decoding(run_binary, run_dir, caplog):
    answer = run_binary(
        "translate", f"--run_dir={run_dir}", "--max_source_length=1", stdin=b"six two\n"
    )
    assert (answer.status, answer.out) == (0, expected([b"six"]))
    assert "standard input:1: longer" in caplog.text


def test_a_beam_wider_than_the_vocabulary(run_binary, run_dir):
    answer = run_binary("translate", f"--run_dir={run_dir}", "--beam=999")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "--beam=999: wider than the vocabulary" in answer.err
    answer = run_binary("translate", f"--run_dir={run_dir}", "--n_best=2")
    assert answer.status == 2 and "--n_best=2: more than --beam=1" in answer.err


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "either --run_dir or --export_dir"),
        (["--run_dir=a", "--export_dir=b"], "either --run_dir or --export_dir"),
        (["--run_dir=/nowhere"], "/nowhere: not a run directory"),
        (["--export_dir=/nowhere"], "/nowhere: no saved_model.pb"),
        (["--export_dir=a", "--sizes=2"], "--sizes: an export decodes as it was"),
        (
            ["--run_dir=a", "file"],
            "sentences are read from standard input, as by < FILE",
        ),
        (["--run_dir=a", "--n_best=2"], "a: not a run directory"),
        (["--run_dir=a", "--sample", "--beam=2"], "--beam and --sample contradict"),
        (["--run_dir=a", "--top_p=0.9"], "--top_p: only with --sample"),
        (["--run_dir=a", "--sample", "--top_p=0"], "--top_p=0.0: must be in"),
        (["--export_dir=a", "--sample"], "--sample: an export decodes as it was"),
        (["--run_dir=a", "--pretrained=badd"], "either --run_dir or --pretrained"),
    ],
)
def test_a_fault_is_one_line_and_status_2(run_binary, arguments, message):
    answer = run_binary("translate", *arguments, stdin=b"six\n")
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.startswith("neural-gpu-translate: ")
    assert message in answer.err and answer.err.count("\n") == 1


def test_several_translations_of_a_line_with_their_scores(run_binary, run_dir):
    arguments = [f"--run_dir={run_dir}", "--beam=4", "--length_penalty=0.6"]
    best = run_binary("translate", *arguments, stdin=b"six two\n\nfive\n")
    answer = run_binary(
        "translate", *arguments, "--n_best=3", stdin=b"six two\n\nfive\n"
    )
    assert answer.status == 0
    rows = [line.split("\t") for line in answer.out.split("\n")[:-1]]
    assert len(rows) == 9
    assert [text for _, text in rows[::3]] == best.out.split("\n")[:-1]
    for three in (rows[:3], rows[6:]):
        scores = [float(score) for score, _ in three]
        assert len({text for _, text in three}) == 3 and scores[0] > scores[1]
    assert rows[3:6] == [["0.000000", ""], ["-inf", ""], ["-inf", ""]]


@pytest.fixture(scope="module")
def other_run(run_dir, tmp_path_factory):
    """A run of another model with the same vocabulary."""
    directory = RunDirectory(tmp_path_factory.mktemp("other"))
    config = RunDirectory(run_dir).read_config()
    model = dataclasses.replace(config.model, model="neural_gpu")
    directory.write_config(dataclasses.replace(config, model=model))
    tiny.vocabulary().save(directory.vocabulary)
    save_weights(
        tiny.new_model(config.vocabulary_size, model), directory.weights("best")
    )
    return directory


@pytest.mark.slow
def test_several_runs_decide_together(run_binary, run_dir, other_run):
    lines = b"two thousand, five\nsix five two\nfive\n"
    runs = [f"--run_dir={path}" for path in (run_dir, other_run.path)]
    answer = run_binary("translate", *runs, stdin=lines)
    models = [load_run(path).model for path in (run_dir, other_run.path)]
    translator = Translator(Ensemble(models), tiny.tokenizer(), tiny.DECODING)
    expected = translator.translate(lines.splitlines())["text"].numpy()
    assert answer.out.encode().split(b"\n")[:-1] == expected.tolist()
    assert run_binary("translate", runs[0], stdin=lines).out != answer.out


def test_runs_of_different_vocabularies(run_binary, run_dir, other_run, tmp_path):
    directory = RunDirectory(tmp_path)
    config = other_run.read_config()
    vocabulary = Vocabulary(list("xyz"), ["six"])
    directory.write_config(
        dataclasses.replace(
            config,
            vocabulary_size=len(vocabulary),
            vocabulary_fingerprint=vocabulary.fingerprint(),
        )
    )
    vocabulary.save(directory.vocabulary)
    model = tiny.new_model(len(vocabulary), config.model)
    save_weights(model, directory.weights("best"))
    answer = run_binary(
        "translate", f"--run_dir={run_dir}", f"--run_dir={tmp_path}", stdin=b"six\n"
    )
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert f"{tmp_path}: its vocabulary is not that of {run_dir}" in answer.err


@pytest.mark.slow
def test_drawn_at_random_and_repeatable(run_binary, run_dir):
    lines = b"two thousand, five\nsix five two\nsix five two\nfive\n"

    def draw(*arguments, stdin=lines):
        flags = [f"--run_dir={run_dir}", "--sample", *arguments]
        answer = run_binary("translate", *flags, stdin=stdin)
        assert answer.status == 0
        return answer.out.split("\n")[:-1]

    first = draw("--temperature=2")
    assert len(first) == 4 and first[1] == first[2]  # the same text, the same draw
    assert first != expected(lines.splitlines()).split("\n")[:-1]
    again = draw("--temperature=2", stdin=b"five\nsix five two\n")
    assert again == [first[3], first[1]]
