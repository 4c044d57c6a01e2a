"""The models that come with the package, in place of --run_dir."""

import gzip
import itertools
import json
import sys
from typing import get_args

import h5py
import numpy as np
import pytest
from PIL import Image
from small_files import NEEDS_DEV_FULL

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import VocabularyConfig
from neural_gpu_tf.pretrained_models import (
    pretrained_names,
    pretrained_run,
    pretrained_solvers,
)
from neural_gpu_tf.runs import RunDirectory, load_task_run
from neural_gpu_tf.tasks import TASKS
from neural_gpu_tf.text import Vocabulary
from neural_gpu_tf.workflows.train_translation import run_vocabulary
from neural_gpu_tf.workflows.trained import PretrainedSolver

LIMIT = 2_000_000  # bytes
LIMIT_OF_A_TRANSLATOR = 16_000_000


def test_type_checkers_know_what_each_is():
    assert [*get_args(PretrainedSolver)] == pretrained_solvers()
    assert {*pretrained_names()} == {"enfr", *pretrained_solvers()}


@pytest.fixture
def translator():
    """The name of the one that is no solver."""
    (name,) = set(pretrained_names()) - set(pretrained_solvers())
    return name


SOURCE = b"Two dogs play in the snow.\nA man is riding a bike.\n"
TARGET = ["Deux chiens jouent dans la neige.", "Un homme fait du v\u00e9lo."]


def test_a_translator_comes_with_the_package(run_binary, translator):
    directory = pretrained_run(translator)
    sizes = [path.stat().st_size for path in directory.iterdir()]
    assert sum(sizes) < LIMIT_OF_A_TRANSLATOR
    assert "BLEU 58.6" in (directory / "README.md").read_text("utf-8")
    answer = run_binary("translate", f"--pretrained={translator}", stdin=SOURCE)
    assert (answer.status, answer.out.splitlines()) == (0, TARGET)


@pytest.mark.slow
def test_a_translator_of_the_package_is_evaluated(run_binary, tmp_path, translator):
    files = [tmp_path / "source", tmp_path / "target"]
    files[0].write_bytes(SOURCE)
    files[1].write_text("\n".join(TARGET) + "\n", "utf-8")
    flags = [f"--source={files[0]}", f"--target={files[1]}", "--json"]
    answer = run_binary("evaluate", f"--pretrained={translator}", *flags)
    assert json.loads(answer.out.splitlines()[-1])["bleu"] == pytest.approx(100)


def stop_when_checked(monkeypatch):
    """A training that ends where its flags are found to be those of its run."""
    check = RunDirectory.check_config

    def checked(self, config):
        check(self, config)
        raise InputError("the same")

    monkeypatch.setattr(RunDirectory, "check_config", checked)


def test_a_translator_has_the_flagfile_that_made_it(
    run_binary, tmp_path, monkeypatch, translator
):
    """Its corpus is not here: any one will do to read the flags."""
    directory = pretrained_run(translator)
    for part, language in itertools.product(("train", "val"), ("en", "fr")):
        with gzip.open(tmp_path / f"{part}.{language}.gz", "wt") as file:
            file.write("one\n" * 50)
    for part in ("config.json", "vocab.txt"):
        (tmp_path / part).write_bytes((directory / part).read_bytes())
    monkeypatch.chdir(tmp_path)
    stop_when_checked(monkeypatch)
    flags = [
        f"--flagfile={directory}/{translator}.flags",
        f"--run_dir={tmp_path}",
    ]
    answer = run_binary("train", *flags)
    assert "the same" in answer.err
    answer = run_binary("train", *flags, "--units=7")
    assert "this run has --units=256" in answer.err


@pytest.mark.parametrize("name", pretrained_solvers())
def test_each_is_small_and_has_the_flagfile_that_made_it(
    run_binary, tmp_path, monkeypatch, name
):
    directory = pretrained_run(name)
    assert {path.name for path in directory.iterdir()} == {
        "config.json",
        "best.weights.h5",
        f"{name}.flags",
    }
    assert sum(path.stat().st_size for path in directory.iterdir()) < LIMIT
    config = RunDirectory(directory).read_config()
    assert config.task.task == name
    stop_when_checked(monkeypatch)
    (tmp_path / "config.json").write_bytes((directory / "config.json").read_bytes())
    flagfile = f"--flagfile={directory}/{name}.flags"
    answer = run_binary("train", flagfile, f"--run_dir={tmp_path}")
    assert "the same" in answer.err
    answer = run_binary("train", flagfile, f"--run_dir={tmp_path}", "--learning_rate=7")
    rate = config.training.learning_rate
    assert f"this run has --learning_rate={rate}" in answer.err


def test_the_model_cards_tell_of_each():
    card = (pretrained_run("badd").parent / "README.md").read_text("utf-8")
    rows = [
        line.strip("| ").split(" | ") for line in card.splitlines() if "| `" in line
    ]
    assert [row[0].strip("`") for row in rows] == pretrained_solvers()
    for name, row in zip(pretrained_solvers(), rows, strict=True):
        told = json.loads((pretrained_run(name) / "config.json").read_text())
        assert int(row[4]) == told["task"]["curriculum_seed"], name
        with h5py.File(pretrained_run(name) / "best.weights.h5") as file:
            sizes = []
            file.visititems(
                lambda path, item, sizes=sizes: (
                    sizes.append(item.size) if "/vars/" in path else None
                )
            )
        assert int(row[2].replace(",", "")) == sum(sizes), name


@pytest.mark.slow
def test_a_run_starts_with_a_model_that_comes_with_the_package(tmp_path, run_binary):
    """In base 4 with what adds in base 2."""
    new = tmp_path / "new"
    answer = run_binary(
        *("train", "--config=badd", "--task=qadd", "--init_from=badd"),
        *(f"--run_dir={new}", "--train_steps=1", "--learning_rate=0"),
        *("--validation_bits=3", "--validate_every=1"),
    )
    assert answer.status == 0, answer.err
    found, given = (load_task_run(x).model for x in (new, pretrained_run("badd")))
    pairs = zip(found.get_weights(), given.get_weights(), strict=True)
    assert all(np.array_equal(*pair) for pair in pairs)


def test_a_task_of_other_symbols_starts_with_what_both_have(tmp_path, run_binary):
    new = tmp_path / "new"
    answer = run_binary(
        *("train", "--config=strings", "--task=solve-equation"),
        *("--init_from=modular-brackets", f"--run_dir={new}"),
        *("--train_steps=1", "--decay_from=0", "--most_batch_size=0"),
        *("--learning_rate=0", "--validation_bits=5", "--validation_cases=4"),
        "--validate_every=1",
    )
    assert answer.status == 0, answer.err
    runs = new, pretrained_run("modular-brackets")
    found, given = (load_task_run(run).model.get_weights() for run in runs)
    shared = len("_01234+-()")
    np.testing.assert_array_equal(found[0][:shared], given[0][:shared])
    np.testing.assert_array_equal(found[-1][:, :shared], given[-1][:, :shared])
    assert all(map(np.array_equal, found[1:-1], given[1:-1]))


def test_a_translation_may_start_with_the_translator_of_the_package(tmp_path):
    new = RunDirectory(tmp_path / "new")
    found = run_vocabulary(new, None, VocabularyConfig(), "", "enfr")
    given = RunDirectory(pretrained_run("enfr")).vocabulary
    assert found.symbols == Vocabulary.load(given).symbols


def test_a_sum_is_answered_at_once(run_binary):
    answer = run_binary("solve", "110101 + 1011", "1+1")
    assert (answer.status, answer.out) == (0, "1000000\n10\n")
    assert run_binary("solve", "--pretrained=badd", "1+1").out == "10\n"


def test_each_question_has_its_model(run_binary):
    """A digit above 1 makes a sum decimal."""
    questions = b"1 + 1\n1 + 2\n11 * 11\n99999 + 1\n"
    answer = run_binary("solve", stdin=questions)
    assert (answer.status, answer.out.split()) == (0, ["10", "3", "1001", "100000"])


def test_an_empty_line_has_an_empty_answer(run_binary):
    """So that line N answers line N; a byte order mark is no part of the first."""
    answer = run_binary("solve", stdin=b"\xef\xbb\xbf\n1 + 1\r\n  \n10 + 1")
    assert (answer.status, answer.out) == (0, "\n10\n\n11\n")


@pytest.mark.parametrize("sign", "*×·x")
def test_a_product_may_have_any_sign_and_no_quotes(run_binary, sign):
    assert run_binary("solve", "110", sign, "11").out == "10010\n"


@pytest.mark.parametrize("name", pretrained_solvers())
def test_accuracy_by_length(run_binary, name):
    """Of lengths that were trained and ones that were not."""
    answer = run_binary(
        "evaluate", f"--pretrained={name}", "--bits=5,30", "--examples=20", "--json"
    )
    assert answer.status == 0, answer.err
    trained, longer = json.loads(answer.out.splitlines()[-1])["lengths"]
    assert trained["exact"] == 1
    assert longer["exact"] == 1


@pytest.mark.parametrize(
    "arguments, answer",
    [
        (["1011 * 110"], "1000010"),
        (["--pretrained=rev", "3 1 2"], "213"),
        (["--pretrained=stack-manipulation", "0110ipp"], "110"),
        (["--pretrained=cycle-navigation", "+-0--"], "3"),
        (["--pretrained=modular-brackets", "--", "-3"], "2"),
        (["--pretrained=missing-duplicate", "01100?10"], "1"),
        (["--pretrained=modular-arithmetic", "1+2*3"], "2"),
    ],
)
def test_questions_of_other_tasks(run_binary, arguments, answer):
    found = run_binary("solve", *arguments)
    assert (found.status, found.out.split()) == (0, [answer])


def test_the_memory_is_drawn(run_binary, tmp_path):
    for name, maps in (("a.png", "0,3"), ("b.gif", "1")):
        path = tmp_path / name
        answer = run_binary(
            "solve", "110 + 101", f"--trace={path}", f"--trace_maps={maps}"
        )
        assert (answer.status, answer.out) == (0, "1011\n")
        assert np.asarray(Image.open(path)).size > 1000


@NEEDS_DEV_FULL
def test_an_answer_without_room(run_binary, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        answer = run_binary("solve", "1+1")
    assert answer.status == 2
    assert answer.err == "neural-gpu-solve: output: No space left on device\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["solve"], "no question; give one, or lines on standard input"),
        (["solve", "-1 + 1"], "--help lists the flags; arguments after -- are not"),
        (["tune_decoding", "--pretrained=enfr"], "--pretrained=enfr: it would change"),
        (["fit_sizes", "--pretrained=enfr"], "--pretrained=enfr: it would change"),
        (["solve", "101"], "'101': neither a sum nor a product"),
        (["solve", "--pretrained=none", "1+1"], "--pretrained=none: not a legal value"),
        (["solve", "--pretrained=badd", "--run_dir=x", "1+1"], "either --run_dir or"),
        (["solve", "1+"], "operand 2 of '1+' is empty"),
        (["solve", "1*2"], "operand 2 of '1*2' has '2'"),
        (["solve", "--pretrained=badd", "1+2"], "operand 2 of '1+2' has '2'"),
        (["solve", "1+1", "--trace=a.bmp"], "--trace=a.bmp: name a .png or a .gif"),
        (["solve", "1+1", "--trace=a.png", "--trace_maps=99"], "no map 99"),
        (["solve", "1+1", "--trace_maps=1"], "--trace_maps: nothing is drawn; give"),
        (["solve", "1" * 400_000 + "+1"], "800001 columns of"),
        (["solve", "1" * 4_000 + "+1", "--trace=a.png"], "8002 canvases of 8001"),
        (["evaluate", "--bits=5"], "name the model: --run_dir, or --pretrained"),
        (
            ["evaluate", "--pretrained=badd", "--bits=400000"],
            "--bits=400000: 800001 columns",
        ),
        (["translate", "--pretrained=badd"], "a run of the task badd"),
    ],
)
def test_bad_input_is_one_line(run_binary, arguments, message):
    answer = run_binary(*arguments)
    assert answer.status == 2 and answer.out == ""
    assert message in answer.err and answer.err.count("\n") == 1


def test_a_line_that_is_no_question_is_told_with_its_number(run_binary):
    answer = run_binary("solve", stdin=b"1 + 1\n\nfoo\n1 + 1\n")
    assert answer.status == 2 and answer.out == "10\n\n"
    assert "standard input:3: 'foo': neither a sum nor a product" in answer.err
    answer = run_binary("solve", stdin=b"1 + 1\n1 + x\n")
    assert "standard input:2: badd: operand 2 of '1 + x' has 'x'" in answer.err


def test_every_task_of_them_is_one_of_ours():
    assert set(pretrained_solvers()) <= set(TASKS)
    assert {"badd", "bmul", "bsort", "dup", "rev", "sort"} <= set(pretrained_solvers())
