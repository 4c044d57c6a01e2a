import bz2
import gzip
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("apache_beam", reason="needs pip install 'neural-gpu-tf[beam]'")

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.pipelines.files import (
    check_absent,
    find_files,
    make_folder,
    opened,
    shard_names,
    split_by_size,
    split_evenly,
    whole_file,
)

CONTENTS = st.lists(
    st.text("ab\n\r", min_size=1, max_size=30).map(str.encode), min_size=1, max_size=4
)


def written(folder, contents):
    for number, content in enumerate(contents):
        Path(folder, f"f{number}").write_bytes(content)
    return find_files([f"{folder}/f*"])


def read(part):
    with opened(part) as file:
        return file.read()


def lines(content):
    return content.split(b"\n")[: -1 if content.endswith(b"\n") else None]


@given(CONTENTS, st.integers(1, 9))
def test_shares_have_every_line_once_and_in_order(contents, count):
    with tempfile.TemporaryDirectory() as folder:
        files = written(folder, contents)
        shares = split_evenly(files, count)
        assert len(shares) == count
        parts = [part for share in shares for part in share]
        assert b"".join(map(read, parts)) == b"".join(contents)
        found = [line for part in parts for line in lines(read(part))]
        assert found == [line for content in contents for line in lines(content)]


@given(CONTENTS, st.integers(1, 40))
def test_parts_have_every_line_once_and_in_order(contents, most):
    with tempfile.TemporaryDirectory() as folder:
        parts = split_by_size(written(folder, contents), most)
        assert b"".join(map(read, parts)) == b"".join(contents)
        found = [line for part in parts for line in lines(read(part))]
        assert found == [line for content in contents for line in lines(content)]
        longest = max(len(line) for line in found) + 1
        assert all(len(read(part)) < most + longest for part in parts)


def test_shares_are_about_as_large(tmp_path):
    files = written(tmp_path, [b"a line\n" * 500, b"a line\n" * 700])
    sizes = [sum(len(read(part)) for part in share) for share in split_evenly(files, 6)]
    assert max(sizes) - min(sizes) <= 14


def test_packed_files(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    files = find_files([f"{tmp_path}/*"])
    (part,) = split_by_size(files, 1)
    assert read(part) == b"one\ntwo\n"
    with pytest.raises(InputError, match="a.gz: a .gz file can't be split; decompress"):
        split_evenly(files, 2)


def test_files_that_are_not_there(tmp_path, monkeypatch):
    (tmp_path / "empty").touch()
    with pytest.raises(InputError, match="b.: no such file"):
        find_files([f"{tmp_path}/empt", f"{tmp_path}/b*"][1:])
    with pytest.raises(InputError, match="empty: the file is empty"):
        find_files([f"{tmp_path}/*"])
    (tmp_path / "b").write_bytes(b"x")
    monkeypatch.chdir(tmp_path)
    assert [Path(file.path).name for file in find_files(["b", "./b*"])] == ["b", "b"]


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x"
    with pytest.raises(ZeroDivisionError), whole_file(str(path)) as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    with whole_file(str(path)) as one, whole_file(str(path)) as other:
        one.write(b"same")
        other.write(b"same")
        assert not path.exists()
    assert [file.name for file in tmp_path.iterdir()] == ["x"]
    assert path.read_bytes() == b"same"
    with pytest.raises(InputError, match="x: is there already; choose another"):
        check_absent([str(path)])


def test_a_folder_is_not_replaced(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "x").write_bytes(b"dear")
    with pytest.raises(InputError, match="kept: a folder; name a file"):
        with whole_file(str(tmp_path / "kept")) as file:
            file.write(b"new")
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "x"]
    with pytest.raises(InputError, match="kept: a folder"):
        find_files([f"{tmp_path}/kept"])


def test_names_sort_as_the_shards_do():
    names = shard_names("out/x", 11)
    assert names == sorted(names)
    assert names[3] == "out/x-00003-of-00011"


def test_a_folder_that_can_not_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "x", "/proc/none/x", "/proc/x"):
        with pytest.raises(
            InputError, match=f"^{re.escape(str(path))}: can't be written"
        ):
            make_folder(str(path))
    make_folder(str(tmp_path / "new" / "x"))
    assert [*(tmp_path / "new").iterdir()] == []


def test_files_packed_otherwise_are_refused(tmp_path):
    path = tmp_path / "x.bz2"
    path.write_bytes(bz2.compress(b"a\n" * 60_000)[:40])
    with pytest.raises(InputError, match="x.bz2: packed, but not as .gz; unpack it"):
        find_files([str(path)])
