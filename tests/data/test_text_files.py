import gzip
import hashlib
import os
import re

import pytest

from neural_gpu_tf.data import TextFiles
from neural_gpu_tf.errors import InputError

PAIRS = [("One.", "Un."), ("", "Vide."), ("Été\u2028x", "Sommeil \U0001f634")]


def read(source, split="train"):
    pairs = source.dataset(split).as_numpy_iterator()
    return [(source.decode(), target.decode()) for source, target in pairs]


def test_pairs_in_order_plain_and_gz(write_files):
    plain = TextFiles({"train": write_files(PAIRS)})
    packed = TextFiles({"train": write_files(PAIRS, ".gz")})
    assert read(plain) == read(packed) == read(plain) == PAIRS
    expected = [source for source, _ in PAIRS] + [target for _, target in PAIRS]
    assert list(plain.sentences("train")) == expected
    assert list(packed.sentences("train")) == expected


def test_patterns_name_several_files_in_the_order_of_their_names(tmp_path):
    contents = {"3.gz": b"d\n", "1": b"a\nb", "2": b"\xef\xbb\xbfc\n"}
    contents |= {"0.gz": b"", "4": b""}
    for name, content in contents.items():
        packed = gzip.compress(content) if name.endswith(".gz") else content
        (tmp_path / f"x-{name}").write_bytes(packed)
        (tmp_path / f"y-{name}").write_bytes(packed if name != "1" else b"A\nB")
    source = TextFiles({"train": (f"{tmp_path}/x-*", f"{tmp_path}/y-*")})
    assert read(source) == [("a", "A"), ("b", "B"), ("c", "c"), ("d", "d")]
    assert list(source.sentences("train")) == [*"abcd", *"ABcd"]
    assert source.pairs == {"train": 4} and len(source.fingerprints()) == 6
    assert f"4 pairs of {tmp_path}/x-* and" in source.describe("train")
    with pytest.raises(InputError, match="z-.: no non-empty file matches; check"):
        TextFiles({"train": (f"{tmp_path}/x-*", f"{tmp_path}/z-*")})
    for side in "xy":
        (tmp_path / f"{side}-5").mkdir()
    with pytest.raises(InputError, match="-5: can't read it: Is a directory"):
        TextFiles({"train": (f"{tmp_path}/x-*", f"{tmp_path}/y-*")})
    for side in "xy":
        (tmp_path / f"{side}-5").rmdir()
    (tmp_path / "y-3.gz").unlink()
    with pytest.raises(InputError, match="x-1: 3 source files, but 2 target.*y-1"):
        TextFiles({"train": (f"{tmp_path}/x-*", f"{tmp_path}/y-*")})
    (tmp_path / "x-*").write_bytes(b"itself\n")  # a name with a star is a name
    assert TextFiles({"train": (f"{tmp_path}/x-*",) * 2}).pairs == {"train": 1}


def test_files_that_have_not_changed_are_read_once(tmp_path, monkeypatch):
    """However many there are: an epoch reads none anew to tell."""
    for number in range(65):  # more files than a cache keeps by default
        for side in "xy":
            (tmp_path / f"{side}-{number}").write_text(f"{number}\n")
    read_whole = []
    digest = hashlib.file_digest
    monkeypatch.setattr(
        hashlib, "file_digest", lambda *args: read_whole.append(1) or digest(*args)
    )
    source = TextFiles({"train": (f"{tmp_path}/x-*", f"{tmp_path}/y-*")})
    source.fingerprints()
    source.dataset("train")
    assert len(read_whole) == 130


def test_carriage_returns_and_a_last_line_without_an_end(tmp_path):
    (tmp_path / "a").write_bytes(b"one\r\ntwo\rtwo")
    (tmp_path / "b").write_bytes(b"un\ndeux\r\n")
    source = TextFiles({"validation": (str(tmp_path / "a"), str(tmp_path / "b"))})
    assert read(source, "validation") == [("one", "un"), ("twotwo", "deux")]
    assert list(source.sentences("validation")) == ["one", "twotwo", "un", "deux"]


@pytest.mark.parametrize("swap", [False, True])
def test_unequal_lengths_name_the_line_without_a_partner(tmp_path, swap):
    (tmp_path / "train.en").write_text("x\n" * 11)
    (tmp_path / "train.fr").write_text("x\n" * 10)
    files = [str(tmp_path / "train.en"), str(tmp_path / "train.fr")]
    with pytest.raises(InputError) as error:
        TextFiles({"train": tuple(files[::-1] if swap else files)})
    assert str(error.value) == (
        f"{tmp_path}/train.fr: line 11 of train.en has no partner: 10 lines against "
        "11; align the files line by line"
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "bad.fr: no such file"),
        (b"", "bad.fr: .*empty"),
        (b"fine\n\xff\xfe\n", "bad.fr:2: not UTF-8"),
        (b"fine\n\r", "bad.fr: ends in a carriage return alone"),
        (b"fine\n\r\r", "bad.fr: ends in a carriage return alone"),
    ],
)
def test_a_bad_file_is_named_at_once(tmp_path, content, words):
    (tmp_path / "good.en").write_text("x\ny\n")
    if content is not None:
        (tmp_path / "bad.fr").write_bytes(content)
    for files in [("good.en", "bad.fr"), ("bad.fr", "good.en")]:
        with pytest.raises(InputError) as error:
            TextFiles({"train": tuple(str(tmp_path / name) for name in files)})
        assert re.search(words, str(error.value))
        assert "\n" not in str(error.value)


def gz(*parts):
    return b"".join(map(gzip.compress, parts))


@pytest.mark.parametrize(
    "content",
    [gz(b"x\n", b"", b"y\n"), gz(b"", b"x\ny\n"), gz(b"x\ny\n") + bytes(9)],
    ids=["empty within", "empty first", "padded"],
)
def test_what_tensorflow_does_not_read_whole_is_refused(tmp_path, content):
    (tmp_path / "a.gz").write_bytes(content)
    (tmp_path / "b").write_text("x\ny\n")
    paths = str(tmp_path / "a.gz"), str(tmp_path / "b")
    with pytest.raises(InputError, match="a.gz: .*does not read all 2 lines of"):
        TextFiles({"train": paths})
    (tmp_path / "a.gz").write_bytes(gz(b"x\n\r"))
    with pytest.raises(InputError, match="a.gz: ends in a carriage return alone"):
        TextFiles({"train": paths})
    (tmp_path / "a.gz").write_bytes(gz(b"x", b"\n", b"y\n"))
    assert read(TextFiles({"train": paths})) == [("x", "x"), ("y", "y")]


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "a")
    (tmp_path / "b").write_text("x\n")
    with pytest.raises(InputError, match="a: not a regular file; write its lines to"):
        TextFiles({"train": (str(tmp_path / "a"), str(tmp_path / "b"))})


def test_a_split_that_is_not_there(write_files):
    with pytest.raises(InputError, match="split=validation: .*train"):
        TextFiles({"train": write_files(PAIRS)}).dataset("validation")


@pytest.mark.parametrize("change", ["cut", "other", "gone"])
def test_files_that_change_while_training_reads_them(write_files, change):
    paths = write_files(PAIRS)
    source = TextFiles({"train": paths})
    before = source.fingerprints()
    assert set(before) == set(paths) and read(source) == PAIRS
    with open(paths[1], "r+b") as file:
        content = file.read()
        file.seek(0)
        file.write(content.swapcase())
        if change == "cut":
            file.truncate(5)
    if change == "gone":
        os.unlink(paths[1])
    with pytest.raises(InputError, match="put it back") as error:
        source.dataset("train")
    assert str(error.value).startswith(f"{paths[1]}: ")
    if change == "other":
        with open(paths[1], "wb") as file:
            file.write(content)
        assert read(source) == PAIRS and source.fingerprints() == before


def test_a_carriage_return_within_a_line_is_told(tmp_path, caplog):
    (tmp_path / "x").write_bytes(b"new\rline two\nb\r\r\n")
    (tmp_path / "y").write_bytes(b"A\nB\n")
    source = TextFiles({"train": (f"{tmp_path}/x", f"{tmp_path}/y")})
    assert read(source) == [("newline two", "A"), ("b", "B")]
    assert f"{tmp_path}/x: carriage returns within 1 line(s)" in caplog.text
    assert f"{tmp_path}/y:" not in caplog.text
