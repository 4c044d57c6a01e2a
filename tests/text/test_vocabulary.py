import pytest

from neural_gpu_tf.constants import EOS, GO, PAD, RESERVED_SYMBOLS, SPACE
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.text.vocabulary import RESERVED, Vocabulary

HEAD = ["<pad>", "<go>", "<eos>", "<space>", *(f"<0x{b:02X}>" for b in range(256))]


def test_symbols_are_numbered_as_in_the_contract(tmp_path):
    vocabulary = Vocabulary(["e", "(", "\0"], ["the", ", ", " ("])
    path = tmp_path / "vocab.txt"
    vocabulary.save(path)
    lines = path.read_bytes().decode().split("\n")
    assert lines == [*HEAD, "e", "(", "\0", "the", ",▁", "▁(", ""]
    assert [lines[i] for i in (PAD, GO, EOS, SPACE)] == HEAD[:4]
    assert lines[vocabulary.byte_ids[0xC3]] == "<0xC3>"
    assert [lines[i] for i in vocabulary.character_ids] == ["e", "(", "\0"]
    assert [lines[i] for i in vocabulary.piece_ids] == ["the", ",▁", "▁("]
    assert vocabulary.symbols == tuple(lines[:-1])
    assert len(vocabulary) == 266


@pytest.mark.parametrize(
    "vocabulary",
    [
        Vocabulary(),
        Vocabulary(["é"]),
        Vocabulary([], ["ab"]),
        Vocabulary(["a", "-", "\x1c", "\ufeff"], ["été", " - ", "a_1"]),
    ],
)
def test_save_and_load(tmp_path, vocabulary):
    path = tmp_path / "vocab.txt"
    path.write_text("an older file")
    vocabulary.save(path)
    again = Vocabulary.load(path)
    assert again.symbols == vocabulary.symbols
    assert again.characters == vocabulary.characters
    assert again.pieces == vocabulary.pieces
    assert again.fingerprint() == vocabulary.fingerprint()
    assert list(tmp_path.iterdir()) == [path]


def test_fingerprint_tells_vocabularies_apart():
    prints = {
        Vocabulary(characters, pieces).fingerprint()
        for characters, pieces in [((), ()), ("ab", ()), ("ba", ()), ("a", ["ab"])]
    }
    assert len(prints) == 4


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "vocab.txt"
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InputError, match=r"vocab.txt: .*No space left"):
        Vocabulary().save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "lines, message",
    [
        (HEAD[:3], "vocab.txt:4: 'the end of the file' where '<space>' must stand"),
        (["<unk>", *HEAD], "vocab.txt:1: '<unk>' where '<pad>' must stand"),
        (HEAD[:100] + HEAD[101:], "vocab.txt:101: '<0x61>' where '<0x60>'"),
        ([*HEAD, "a", "ab", "ab"], "vocab.txt:263: 'ab' for the second time"),
        ([*HEAD, "a", "a"], "vocab.txt:262: 'a' for the second time"),
        ([*HEAD, "a", "", "b"], "vocab.txt:262: an empty symbol"),
        ([*HEAD, "ab", "a"], "vocab.txt:262: the character 'a' after the first piece"),
        ([*HEAD, "a.b"], "vocab.txt:261: 'a.b' is no piece of any text"),
        ([*HEAD, "a", "--"], "vocab.txt:262: '--' is no piece"),
        ([*HEAD, "a▁"], "vocab.txt:261: 'a ' is no piece"),
        ([*HEAD, ".▁▁"], "vocab.txt:261: '.  ' is no piece"),
        ([*HEAD, "▁"], "vocab.txt:261: '▁' is no piece"),
        ([*HEAD, "▁▁▁"], "vocab.txt:261: '   ' is no piece"),
        ([*HEAD, "\u00a0"], "is no piece of any text"),
        ([*HEAD, b"\xff"], "vocab.txt:261: not UTF-8"),
    ],
)
def test_a_wrong_file_is_refused_by_line(tmp_path, lines, message):
    path = tmp_path / "vocab.txt"
    raw = [line if isinstance(line, bytes) else line.encode() for line in lines]
    path.write_bytes(b"".join(line + b"\n" for line in raw))
    with pytest.raises(InputError) as error:
        Vocabulary.load(path)
    assert message in str(error.value)


def test_a_missing_file_says_how_to_make_one(tmp_path):
    with pytest.raises(InputError, match="run neural-gpu-build-vocab"):
        Vocabulary.load(tmp_path / "vocab.txt")


def test_the_constructor_refuses_too():
    with pytest.raises(InputError, match="symbol 261: 'a b' is no piece"):
        Vocabulary(["a"], ["a b"])


def test_from_counts_takes_characters_first_then_pieces_by_frequency():
    characters = {"z": 5, "b": 9, "a": 5, "▁": 99, "q": 1}
    pieces = {"zz": 3, "aa": 3, ", ": 7, " ▁": 99, "once": 1}

    def take(size, **limits):
        return Vocabulary.from_counts(characters, pieces, size, **limits).symbols[260:]

    assert take(300) == ("b", "a", "z", "q", ",▁", "aa", "zz", "once")
    assert take(300, min_count=2) == ("b", "a", "z", ",▁", "aa", "zz")
    assert take(264, max_characters=2) == ("b", "a", ",▁", "aa")
    assert take(262) == ("b", "a")
    assert take(260) == take(0) == ()


def test_the_number_of_reserved_symbols_is_the_one_that_options_know():
    assert RESERVED_SYMBOLS == len(RESERVED)
