import gzip

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import VocabularyConfig
from neural_gpu_tf.text import build_vocabulary


def test_counts_plain_and_gzipped_files_together(tmp_path):
    (tmp_path / "a.txt").write_text("the cat, the dog\n\nA cat\u2581", "utf-8")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"the dog (a) \r\n"))
    files = [tmp_path / "a.txt", tmp_path / "b.txt.gz"]
    whole = build_vocabulary(files, 300)
    assert whole.characters == tuple("taehcdgo(),A")  # 6 5 3 3 2 2 2 2 1 1 1 1
    assert whole.pieces == ("the", "cat", "dog", " (", ", ")
    assert build_vocabulary(files[::-1], 300).symbols == whole.symbols
    small = build_vocabulary(files, 265, max_characters=3)
    assert small.symbols[260:] == ("t", "a", "e", "the", "cat")
    assert build_vocabulary(files, 300, min_count=3).pieces == ("the",)


@pytest.mark.parametrize(
    "content, message",
    [
        (None, "text: no such file"),
        (b"", "text: the file is empty"),
        (b"fine\n\xff\n", "text:2: not UTF-8"),
    ],
)
def test_faults_of_files_are_named(tmp_path, content, message):
    (tmp_path / "good").write_text("good\n")
    if content is not None:
        (tmp_path / "text").write_bytes(content)
    with pytest.raises(InputError) as error:
        build_vocabulary([tmp_path / "good", tmp_path / "text"], 300)
    assert message in str(error.value)


def test_a_missing_file_is_told_before_any_counting(tmp_path):
    (tmp_path / "bad").write_bytes(b"\xff")
    with pytest.raises(InputError, match="text: no such file"):
        build_vocabulary([tmp_path / "bad", tmp_path / "text"], 300)


def test_no_file_is_a_fault():
    with pytest.raises(InputError, match="name one or more text files"):
        build_vocabulary([], 300)


@pytest.mark.parametrize(
    "wrong", [{"vocab_size": 259}, {"max_characters": -1}, {"min_count": 0}]
)
def test_config_is_checked(wrong):
    with pytest.raises(InputError, match=f"{next(iter(wrong))}="):
        VocabularyConfig(**wrong)
