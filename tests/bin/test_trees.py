import gzip

import pytest

from neural_gpu_tf.text import Vocabulary

TREES = """
( (S (NP-SBJ (PRP He))
     (VP (VBZ runs) (NP (-NONE- *)))
     (. .)))
( (NP (-NONE- *)))
( (S (NP-SBJ (PRP He)) (VP (VBZ sings)) (. .)) )
"""
CLEAN = """\
(S (NP (PRP He)) (VP (VBZ runs)) (. .))
(S (NP (PRP He)) (VP (VBZ sings)) (. .))
"""


@pytest.fixture
def files(tmp_path):
    treebank = tmp_path / "wsj.mrg.gz"
    treebank.write_bytes(gzip.compress(TREES.encode()))
    flags = [f"--source={tmp_path}/words", f"--target={tmp_path}/symbols"]
    return tmp_path, treebank, flags


def test_trees_become_lines_and_lines_trees(run_binary, files, caplog):
    folder, treebank, flags = files
    answer = run_binary("trees", *flags, treebank)
    assert answer.status == 0 and answer.out == ""
    assert "2 trees; 1 more have no words" in caplog.text
    assert (folder / "words").read_text() == "He runs _2e\nHe sings _2e\n"
    first, second = (folder / "symbols").read_text().splitlines()
    assert first == second
    assert first.split()[:4] == ["open__S", "open__NP", "tag__PRP", "close__NP"]
    assert run_binary("trees", *flags).out == CLEAN


def test_flags_that_would_do_nothing_are_refused(run_binary, files):
    folder, treebank, flags = files
    for more, message in (
        ([f"--vocab={folder}/v"], "--vocab: no files of trees are named"),
        (["--min_count=2"], "--min_count: no files of trees are named"),
        (["--min_count=2", treebank], "--min_count: only with --vocab"),
    ):
        answer = run_binary("trees", *flags, *more)
        assert answer.status == 2 and answer.err.count("\n") == 1
        assert message in answer.err
    assert not (folder / "words").exists()


def test_the_vocabulary_has_all_symbols_and_the_frequent_words(run_binary, files):
    folder, treebank, flags = files
    answer = run_binary(
        "trees", *flags, f"--vocab={folder}/vocab.txt", "--min_count=2", treebank
    )
    assert answer.status == 0, answer.err
    vocabulary = Vocabulary.load(folder / "vocab.txt")
    symbols = set((folder / "symbols").read_text().split())
    assert set(vocabulary.pieces) == symbols | {"He", "_2e"}
    assert "n" in vocabulary.characters and "u" not in vocabulary.characters


def test_a_vocabulary_too_small_for_the_symbols_is_refused(run_binary, files):
    folder, treebank, flags = files
    flags += [f"--vocab={folder}/vocab.txt", "--max_characters=0"]
    assert run_binary("trees", *flags, "--vocab_size=268", treebank).status == 2
    answer = run_binary("trees", *flags, "--vocab_size=269", treebank)
    assert answer.status == 0, answer.err


def test_faults_are_one_line_and_write_nothing(run_binary, files):
    folder, treebank, flags = files
    other = folder / "b.mrg"
    other.write_text("(S (NN a))\n(S (NN a)\n")
    answer = run_binary("trees", *flags, treebank, other)
    assert answer.status == 2 and answer.out == ""
    assert f"{other}:2: the tree that begins here lacks 1" in answer.err
    assert not (folder / "words").exists()
    other.write_text("()")
    assert "no tree with words" in run_binary("trees", *flags, other).err
    (folder / "words").write_text("He runs\n")
    (folder / "symbols").write_text("open__S tag__NN close__S\n")
    answer = run_binary("trees", *flags)
    assert f"{folder}/symbols:1: 2 words and only 1 tags" in answer.err
