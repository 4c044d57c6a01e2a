import gzip
import io

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import VocabularyConfig
from neural_gpu_tf.text import build_vocabulary
from neural_gpu_tf.text.progress import Progress


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


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_one_line_and_only_on_a_terminal(monkeypatch):
    monkeypatch.setattr("time.monotonic", iter([0.0, 0.1, 30.0]).__next__)
    terminal = Terminal()
    progress = Progress(4_000_000, terminal)
    progress.sentences = 60_000
    progress.at(10)  # Too early to draw.
    progress.at(1_000_000)
    progress.close()
    assert terminal.getvalue() == (
        "\rcounting  25%  1.0 of 4.0 MB  2,000 sentences/s  1:30 left\x1b[K\r\x1b[K"
    )
    monkeypatch.undo()
    file = io.StringIO()
    quiet = Progress(0, file)
    quiet.at(0)
    quiet.close()
    assert file.getvalue() == ""
