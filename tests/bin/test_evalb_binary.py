import json
import sys

import pytest
from small_files import NEEDS_DEV_FULL

from neural_gpu_tf.parsing import BracketScores

GOLD = "( (S (NP-SBJ (PRP He)) (VP (VBZ runs)) (. .)))\n(S (NN a))\n(S (NN a) (NN b))\n"
TEST = "(S (NP (PRP He)) (NP (VBZ runs)) (. .))\n(S (NN b))\n(S (NN a) (NN b))\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.mrg").write_text(GOLD)
    (tmp_path / "test.mrg").write_text(TEST)
    return tmp_path / "gold.mrg", tmp_path / "test.mrg"


def test_prints_the_scores(run_binary, files, caplog):
    answer = run_binary("evalb", *files, "--json")
    assert answer.status == 0, answer.err
    result = json.loads(answer.out.splitlines()[-1])
    assert set(result) == set(BracketScores._fields) - {"faults"}
    assert (result["sentences"], result["errors"], result["skipped"]) == (3, 1, 0)
    assert (result["matched"], result["gold"], result["test"]) == (3, 4, 4)
    assert result["f1"] == 75
    assert "sentence 2: 'a' in gold, 'b' in test" in caplog.text
    lines = dict(line.split() for line in run_binary("evalb", *files).out.splitlines())
    assert (lines["f1"], lines["errors"]) == ("75.00", "1")


@NEEDS_DEV_FULL
def test_standard_output_without_room(run_binary, files, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        answer = run_binary("evalb", *files)
        assert full.closed  # or Python tries again at its end
    assert answer.status == 2
    assert answer.err == "neural-gpu-evalb: output: No space left on device\n"


def test_long_sentences_can_be_left_out(run_binary, files):
    answer = run_binary("evalb", *files, "--most_words=2", "--json")
    assert json.loads(answer.out)["sentences"] == 2


def test_punctuation_can_be_deleted_by_its_gold_tag(run_binary, files):
    gold, test = files
    test.write_text(TEST.replace("(. .)", "(NN .)"))
    for flags, errors in (([], 2), (["--gold_punctuation"], 1)):
        answer = run_binary("evalb", gold, test, "--json", *flags)
        assert json.loads(answer.out)["errors"] == errors


def test_faults_are_one_line(run_binary, files):
    gold, test = files
    answer = run_binary("evalb", gold)
    assert answer.status == 2 and "1 files given; name two" in answer.err
    test.write_text("(S (NN a))\n)\n")
    answer = run_binary("evalb", gold, test)
    assert answer.status == 2
    assert answer.err.splitlines()[-1] == (
        f"neural-gpu-evalb: {test}:2: a closing bracket too many; balance the brackets"
    )
    test.write_text("(S (NN a))\n")
    assert "test has 1 trees and gold has more" in run_binary("evalb", gold, test).err
