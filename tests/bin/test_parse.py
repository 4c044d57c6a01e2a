"""neural-gpu-parse: whatever the model, trees come out, with each word once."""

import shutil

import numpy as np
import pytest
import tensorflow as tf
import tiny
from test_trees import TREES

from neural_gpu_tf.models import build_model
from neural_gpu_tf.parsing import read_trees
from neural_gpu_tf.runs import RunDirectory
from neural_gpu_tf.text import Vocabulary
from neural_gpu_tf.workflows import parse_lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("parser")


@pytest.fixture
def parser(run_binary, new_run, folder):
    """The run directory of an untrained parser, made once, to be read only."""
    if not (folder / "run").exists():
        (folder / "trees.mrg").write_text(TREES)
        answer = run_binary(
            "trees",
            f"--source={folder}/words",
            f"--target={folder}/symbols",
            f"--vocab={folder}/vocab.txt",
            folder / "trees.mrg",
        )
        assert answer.status == 0, answer.err
        vocabulary = Vocabulary.load(folder / "vocab.txt")
        model = build_model(tiny.MODEL, len(vocabulary))
        new_run(folder / "run", vocabulary, model)
    return folder / "run"


def test_every_line_gets_a_tree_of_its_words(run_binary, parser, caplog):
    """But for one that is too long, which is told."""
    lines = ["He runs .", "", "Unheard-of\u2028words , too"]  # which ends no line
    flags = [
        f"--run_dir={parser}",
        "--plain",
        "--size_margin=4",
        "--max_source_length=60",
        "--sizes=3",
    ]
    text = "\ufeff" + "\r\n".join([*lines, " ".join(["runs"] * 100)])
    answer = run_binary("parse", *flags, stdin=text.encode())
    assert answer.status == 0, answer.err
    assert "standard input:4: longer than --max_source_length" in caplog.text
    trees = answer.out.splitlines()
    assert trees[1] == trees[3] == "()" and len(trees) == 4
    parsed = list(read_trees([trees[0], trees[2]], "out"))
    for line, tree in zip((lines[0], lines[2]), parsed, strict=True):
        assert tree.words() == line.split()


def test_a_margin_that_holds_no_tree_is_refused(run_binary, parser):
    answer = run_binary("parse", f"--run_dir={parser}", "--size_margin=2")
    assert answer.status == 2 and "--size_margin=2" in answer.err
    assert answer.err.count("\n") == 1


def test_a_model_that_is_no_parser_is_refused_as_such(run_binary):
    answer = run_binary("parse", "--pretrained=enfr", stdin=b"The cat sat .\n")
    assert answer.status == 2 and "the vocabulary has no brackets" in answer.err


def test_unconstrained_what_is_no_tree_is_told(run_binary, parser, caplog):
    """An untrained model writes no tree; where is told, and () comes out."""
    flags = [f"--run_dir={parser}", "--plain", "--noconstrained"]
    flags += ["--size_margin=0", "--sizes=2"]
    answer = run_binary("parse", *flags, stdin=b"He runs .\n\nHe runs\n")
    assert answer.status == 0, answer.err
    assert answer.out.splitlines() == ["()"] * 3
    assert "standard input:1 and 1 more lines: no tree over its words" in caplog.text


@pytest.mark.parametrize("flag", ["--constrained", "--noconstrained"])
def test_a_line_that_is_not_escaped_is_refused(run_binary, parser, flag, monkeypatch):
    monkeypatch.delitem(parse_lines.__globals__, "translate_all")  # sooner than that
    flags = [f"--run_dir={parser}", flag, "--size_margin=4"]
    answer = run_binary("parse", *flags, stdin=b"He runs\nHe U.S.\n")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "standard input:2: 'U.S.' is not escaped" in answer.err
    assert answer.err.endswith(", or give --plain\n")


def test_it_takes_the_best_tree_alone(run_binary, parser):
    flags = f"--run_dir={parser}", "--beam=2", "--n_best=2"
    answer = run_binary("parse", *flags, stdin=b"He runs\n")
    assert answer.status == 2 and "--n_best: the best output alone is" in answer.err


def test_sizes_fitted_without_the_constraint_are_not_used(parser, run_binary, tmp_path):
    """They are the run's own: for none of them there is a predictor here."""
    run = shutil.copytree(parser, tmp_path / "run")
    RunDirectory(run).write_decoding({"sizes": "predicted", "tried_sizes": 1})
    flags = [f"--run_dir={run}", "--size_margin=4"]
    answer = run_binary("parse", *flags, stdin=b"He runs\n")
    assert answer.status == 0, answer.err
    (tree,) = read_trees([answer.out], "out")
    assert tree.words() == ["He", "runs"]


def test_a_canvas_without_room_for_a_tree_costs_no_other_line(
    parser, run_binary, monkeypatch, caplog
):
    """Sizes that are asked for: of one line the least, of the others larger ones."""

    def likeliest(source, length, at_once):
        more = np.array([[0] * 3 + [9.0], [9.0] + [0] * 3, [0] * 3 + [9.0]])
        return tf.constant(more, tf.float32)

    names = parse_lines.__globals__
    monkeypatch.setitem(names, "load_size_predictor", lambda *_: likeliest)
    flags = ["--plain", "--size_margin=4", "--sizes=predicted", "--tried_sizes=1"]
    lines = b"He runs\nHe runs .\nHe runs . .\n"
    answer = run_binary("parse", f"--run_dir={parser}", *flags, stdin=lines)
    assert answer.status == 0, answer.err
    first, second, third = answer.out.splitlines()
    assert second == "()" and "()" not in (first, third)
    assert "standard input:2: no tree over its words came out" in caplog.text
