import gzip

import pytest

from neural_gpu_tf.text import Vocabulary


def test_builds_a_vocabulary_from_plain_and_gzipped_text(run_binary, tmp_path, caplog):
    (tmp_path / "en").write_text("the cat and the dog\n")
    (tmp_path / "fr.gz").write_bytes(gzip.compress("l'été et le chat\n".encode()))
    files = [tmp_path / "en", tmp_path / "fr.gz"]
    output = tmp_path / "vocab.txt"
    flags = ["--vocab_size=263", "--max_characters=2", f"--output={output}"]
    with caplog.at_level("INFO", "absl"):
        answer = run_binary("build_vocab", *flags, *files)
    assert answer.status == 0, answer.err
    assert Vocabulary.load(output).symbols[260:] == ("t", "e", "the")
    assert "263 symbols: 2 characters, 1 pieces" in caplog.text


def test_a_fault_is_one_line_and_status_2(run_binary, tmp_path):
    (tmp_path / "text").write_bytes(b"good\nb\xe9\n")
    output = tmp_path / "vocab.txt"
    answer = run_binary("build_vocab", f"--output={output}", tmp_path / "text")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert f"{tmp_path}/text:2: not UTF-8" in answer.err
    assert not output.exists()


@pytest.mark.parametrize("output", ["{}/none/vocab.txt", "{}", ""])
def test_an_output_that_cannot_be_written_is_told_before_counting(
    run_binary, tmp_path, output
):
    output = f"--output={output.format(tmp_path)}"
    answer = run_binary("build_vocab", output, tmp_path / "missing")
    assert answer.status == 2
    assert "can't write there" in answer.err
