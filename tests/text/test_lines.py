import gzip
import re

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.text.lines import read_lines


def test_plain_and_gzipped_files_give_the_same_lines(tmp_path):
    content = "één\r\n\n two \rthree\u2028\x85 \n\ufefflast".encode()
    plain, packed = tmp_path / "text", tmp_path / "text.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    lines = ["één", "", " two \rthree\u2028\x85 ", "\ufefflast"]
    assert list(read_lines(plain)) == lines
    assert list(read_lines(str(packed))) == lines


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("text", None, "text: no such file"),
        ("text", b"", "text: the file is empty"),
        ("text.gz", b"", "text.gz: the file is empty"),
        ("text.gz", gzip.compress(b"", mtime=0), "text.gz: the file is empty"),
        ("text", b"good\nb\xffd\n", "text:2: not UTF-8 (invalid start byte, byte 2"),
        ("text.gz", gzip.compress(b"a\nb\nc\xe2", mtime=0), "text.gz:3: not UTF-8"),
        ("text.gz", b"no gzip at all", "text.gz:1: damaged .gz file"),
        ("text.gz", gzip.compress(b"a\nb\n" * 9, mtime=0)[:-4], "damaged .gz file"),
        (
            "text.gz",
            gzip.compress(b"a\n", mtime=0)[:12] + b"\xff" * 20,
            "damaged .gz file",
        ),
    ],
)
def test_faults_are_named_in_one_line(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        list(read_lines(tmp_path / name))
    assert message in str(error.value)
    assert str(error.value).startswith(f"{tmp_path}/{name}:")
    assert "\n" not in str(error.value)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="can't read it"):
        list(read_lines(tmp_path))


def test_of_a_relative_name_it_is_said_where_it_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = re.escape(f"a/b: no such file in {tmp_path}; check")
    with pytest.raises(InputError, match=f"^{told}"):
        next(read_lines("a/b"))
