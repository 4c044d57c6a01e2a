import gzip
import subprocess
import sys

import pytest

from neural_gpu_tf.text import Vocabulary


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "neural_gpu_tf.bin.build_vocab", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_builds_a_vocabulary_from_plain_and_gzipped_text(tmp_path):
    (tmp_path / "en").write_text("the cat and the dog\n")
    (tmp_path / "fr.gz").write_bytes(gzip.compress("l'été et le chat\n".encode()))
    files = [tmp_path / "en", tmp_path / "fr.gz"]
    output = tmp_path / "vocab.txt"
    answer = run("--vocab_size=263", "--max_characters=2", f"--output={output}", *files)
    assert answer.returncode == 0, answer.stderr
    assert Vocabulary.load(output).symbols[260:] == ("t", "e", "the")
    assert "263 symbols: 2 characters, 1 pieces" in answer.stderr


def test_a_fault_is_one_line_and_status_2(tmp_path):
    (tmp_path / "text").write_bytes(b"good\nb\xe9\n")
    answer = run(f"--output={tmp_path}/vocab.txt", tmp_path / "text")
    assert answer.returncode == 2
    assert f"{tmp_path}/text:2: not UTF-8" in answer.stderr.splitlines()[-1]
    assert "Traceback" not in answer.stderr
    assert not (tmp_path / "vocab.txt").exists()


@pytest.mark.parametrize("output", ["{}/none/vocab.txt", "{}", ""])
def test_an_output_that_cannot_be_written_is_told_before_counting(tmp_path, output):
    answer = run(f"--output={output.format(tmp_path)}", tmp_path / "missing")
    assert answer.returncode == 2
    assert "can't write there" in answer.stderr
