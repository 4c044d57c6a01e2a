import collections

from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary, count_pieces


def test_pieces_and_characters_are_counted_over_batches():
    sentences = ["Hello, hello a", "-", b"a - b"] * 3_000
    characters, pieces = count_pieces(iter(sentences))
    assert pieces == {"Hello": 3_000, "hello": 3_000, ", ": 3_000, " - ": 3_000}
    assert characters == {
        **{"l": 12_000, "e": 6_000, "o": 6_000, "-": 6_000, "a": 6_000},
        **{"H": 3_000, "h": 3_000, ",": 3_000, "b": 3_000},
    }


def test_a_vocabulary_of_all_that_was_counted_spells_nothing():
    sentences = ["Ünïté 3½ (naïve), a—b", "你好 世界。 _x_ e\u0301 .", "\0 \U0001f600"]
    characters, pieces = count_pieces(sentences)
    vocabulary = Vocabulary.from_counts(characters, pieces, 10_000)
    tokenizer = SpellOutTokenizer(vocabulary)
    for sentence in sentences:
        symbols = tokenizer.tokenize(sentence).numpy()
        assert len(symbols) == len(tokenizer.split(sentence))
        assert symbols.min() >= 260


def test_a_table_too_large_forgets_rare_pieces_but_not_their_characters():
    sentences = [f"often often w{number}" for number in range(20_000)]
    full = count_pieces(sentences)
    pruned = count_pieces(sentences, most_entries=6_000)
    assert pruned.characters == full.characters
    assert pruned.pieces["often"] == 40_000
    assert len(full.pieces) == 20_001
    assert len(pruned.pieces) < 6_000
    assert isinstance(pruned.pieces, collections.Counter)
