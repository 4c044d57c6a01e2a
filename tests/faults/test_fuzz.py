import json
import subprocess
import sys
from pathlib import Path

import fuzz
import fuzz_texts
import numpy as np
import pytest


def check(result, strings):
    assert result["held"], result
    assert result["strings"] == strings > result["valid"] > strings / 2
    assert result["answers"] > strings / 20 and 0 < result["slowest"] < 30
    assert result["cut"] >= strings // 1_000


def test_any_string_has_an_answer_alone_as_in_a_batch(exported):
    check(fuzz.run(exported, 40, seed=1), 40)


@pytest.mark.slow
def test_the_program():
    program = Path(__file__).with_name("fuzz.py")
    flags = ["--strings=10000", "--seed=1"]
    done = subprocess.run(
        [sys.executable, program, *flags], capture_output=True, text=True
    )
    assert done.stdout, done.stderr
    assert done.returncode == 0
    check(json.loads(done.stdout), 10_000)


def test_texts_are_of_all_kinds():
    texts = [*fuzz_texts.texts(2_000, seed=3)]
    assert len(texts) == 2_000 and texts == [*fuzz_texts.texts(2_000, seed=3)]
    assert texts != [*fuzz_texts.texts(2_000, seed=4)]
    parts = ["\0", "\u202e", "\u200d", "\u0301", "😀", "\x1b", "אב", "\u3000"]
    for part in [*map(str.encode, parts[:4]), b"\xed\xa0\x80", b"\xc0\x80", b"\xff"]:
        assert any(part in text for text in texts)
    assert max(map(len, texts)) >= fuzz_texts.MEGABYTE and b"" in texts


class Echo:
    """A session that answers each text with itself, but for a fault."""

    def __init__(self, fault=""):
        self.fault = fault

    def __call__(self, signature, inputs):
        [values] = inputs.values()
        count = len(values)
        if signature == "tokenize":
            return {"symbols": np.array([[*map(ord, x.decode())] for x in values])}
        if signature == "detokenize":
            lost = self.fault == "lossy"
            texts = ["".join(map(chr, row[lost:])).encode() for row in values]
            return {"text": np.array(texts, object)}
        alone = count == 1
        texts = [b"\xff" if self.fault == "bad" else x for x in values]
        return {
            "text": np.array(texts, object),
            "size": np.full(count, 1 + (alone and self.fault == "differing")),
            "log_probability": np.zeros(count - (self.fault == "fewer")),
        }


@pytest.mark.parametrize("fault", ["", "lossy", "bad", "differing"])
def test_faults_are_found(fault):
    trial = fuzz.Fuzz(Echo(fault), limit=100)
    trial.batch([b"two", b"six"])
    found = [name for name, messages in trial.faults.items() if messages]
    assert found == [fault] * bool(fault)


def test_fewer_answers_than_texts_are_found():
    with pytest.raises(RuntimeError, match="translate: .* to 2 texts"):
        fuzz.Fuzz(Echo("fewer"), limit=100).batch([b"two", b"six"])
