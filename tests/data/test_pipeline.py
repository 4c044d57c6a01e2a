import numpy as np
import tensorflow as tf

from neural_gpu_tf.data import pipeline


def order(seed, epoch, buffer=1_000, count=100):
    values = tf.range(count)
    dataset = tf.data.Dataset.from_tensor_slices((values, -values))
    dataset = pipeline.shuffled(dataset, buffer, seed, epoch)
    pairs = list(dataset.as_numpy_iterator())
    assert all(first == -second for first, second in pairs)
    return [int(first) for first, _ in pairs]


def test_shuffled_is_a_function_of_seed_and_epoch_alone():
    first = order(1, 2)
    tf.random.set_seed(7)
    assert order(1, 2) == first
    assert sorted(first) == list(range(100)) != first
    assert len({tuple(order(*key)) for key in [(1, 2), (1, 3), (2, 2), (2, 1)]}) == 4


def test_shuffled_runs_stay_apart_and_have_orders_of_their_own():
    values = order(0, 0, buffer=30)
    runs = [values[start : start + 30] for start in (0, 30, 60, 90)]
    assert [sorted(run) for run in runs] == [
        list(range(100))[start : start + 30] for start in (0, 30, 60, 90)
    ]
    assert [value - 30 for value in runs[1]] != runs[0]


def texts(*pairs):
    sources, targets = zip(*pairs, strict=True)
    return tf.data.Dataset.from_tensor_slices((list(sources), list(targets)))


def test_tokenized_ends_targets_and_measures_pairs(tokenizer):
    dataset = texts(("ab", "c"), ("ab", "cd"), ("abcd", "e"), ("", "x"), ("x", " "))
    (pairs,) = pipeline.tokenized(dataset, tokenizer)
    a, b, c, d = 101, 102, 103, 104
    assert pairs["source"].to_list()[:2] == [[a, b], [a, b]]
    assert pairs["target"].to_list()[:2] == [[c, 2], [c, d, 2]]
    assert pairs["target"].to_list()[4] == [2]
    assert pairs["size"].numpy().tolist() == [2, 3, 4, 0, 0]
    assert {tensor.dtype for tensor in pairs.values()} == {tf.int32}


def test_tokenized_keeps_the_order_over_calls(tokenizer):
    pairs = [(f"{k}", "x") for k in range(1_500)]
    symbols = []
    for element in pipeline.tokenized(texts(*pairs), tokenizer):
        symbols += element["source"].to_list()
    assert symbols == [[4 + ord(digit) for digit in source] for source, _ in pairs]


def test_counted_tells_once_a_pass_and_changes_nothing(tokenizer):
    told = []
    dataset = texts(*[("x" * (k % 9), "y") for k in range(1_000)])
    dataset = pipeline.tokenized(dataset, tokenizer)
    counted = pipeline.counted(dataset, 6, lambda x: told.append(x.tolist()))
    assert told == []
    for passes in (1, 2):
        sizes = np.concatenate([element["size"] for element in counted])
        expected = np.concatenate([element["size"] for element in dataset])
        np.testing.assert_array_equal(sizes, expected)
        histogram = np.bincount(np.minimum(expected, 7), minlength=8).tolist()
        assert told == [histogram] * passes


def test_without_long_keeps_sizes_from_one_to_the_limit(tokenizer):
    dataset = texts(("a", "b"), ("", "b"), ("abc", "d"), ("abcd", "e"), ("a", "bcd"))
    dataset = pipeline.without_long(pipeline.tokenized(dataset, tokenizer), 3)
    (pairs,) = dataset
    assert pairs["size"].numpy().tolist() == [2, 3]
    assert pairs["source"].to_list() == [[101], [101, 102, 103]]
    assert pairs["target"].to_list() == [[102, 2], [104, 2]]


def test_bucketed_gives_full_padded_batches_as_they_fill(tokenizer):
    dataset = texts(
        ("a", "a"), ("abc", "d"), ("b", "c"), ("d", "e"), ("ab", "cd"), ("f", "g")
    )
    dataset = pipeline.tokenized(dataset, tokenizer)
    batches = list(pipeline.bucketed(dataset, [(2, 2), (4, 2), (6, 1)]))
    assert [batch["size"].numpy().tolist() for batch in batches] == [
        [2, 2],
        [3, 3],
        [2, 2],
    ]
    assert batches[1]["source"].numpy().tolist() == [
        [101, 102, 103, 0],
        [101, 102, 0, 0],
    ]
    assert batches[1]["target"].numpy().tolist() == [[104, 2, 0, 0], [103, 104, 2, 0]]


def widened(dataset, *, most=3, max_length=8, seed=1, epoch=2):
    elements = pipeline.widened(dataset, most, max_length, seed, epoch)
    return [element["size"].numpy() for element in elements]


def test_widened_canvases(tokenizer):
    lengths = [k % 11 for k in range(1_000)]
    dataset = pipeline.tokenized(texts(*[("x" * n, "y") for n in lengths]), tokenizer)
    before = np.concatenate([element["size"] for element in dataset])
    after = np.concatenate(widened(dataset))
    assert (after[before == 0] == 0).all()  # empty stays empty
    assert (after[before > 8] == before[before > 8]).all()  # too long stays as it is
    for n in range(2, 9):
        found = np.unique(after[before == n], return_counts=True)
        assert found[0].tolist() == list(range(n, min(n + 3, 8) + 1))
        if n < 6:  # drawn evenly: some 90 pairs, 4 values
            assert found[1].min() > 8


def test_widened_is_a_function_of_seed_and_epoch_alone(tokenizer):
    pairs = [("x" * (1 + k % 5), "y") for k in range(1_000)]
    dataset = pipeline.tokenized(texts(*pairs), tokenizer)
    first = np.concatenate(widened(dataset))
    tf.random.set_seed(7)
    assert (np.concatenate(widened(dataset)) == first).all()
    assert (first[:400] != first[512:912]).any()  # another draw in the next 512
    for other in (dict(seed=2), dict(epoch=3)):
        assert (np.concatenate(widened(dataset, **other)) != first).any()


def test_widened_by_nothing(tokenizer):
    dataset = pipeline.tokenized(texts(("ab", "c")), tokenizer)
    assert pipeline.widened(dataset, 0, 8, 0, 0) is dataset


def test_bucketed_is_bucket_by_sequence_length(tokenizer):
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 9, (500, 2))
    dataset = pipeline.tokenized(
        texts(*[("a" * m, "b" * n) for m, n in lengths]), tokenizer
    )
    table = [(3, 4), (5, 7), (9, 2)]
    rows = dataset.unbatch().map(
        lambda pair: {k: getattr(x, "flat_values", x) for k, x in pair.items()}
    )
    expected = rows.bucket_by_sequence_length(
        lambda pair: pair["size"],
        bucket_boundaries=[size + 1 for size, _ in table],
        bucket_batch_sizes=[*(count for _, count in table), 1],
        padded_shapes={"source": [None], "target": [None], "size": []},
        pad_to_bucket_boundary=True,
        drop_remainder=True,
    )
    ours, theirs = list(pipeline.bucketed(dataset, table)), list(expected)
    assert len(ours) == len(theirs) > 50
    for one, other in zip(ours, theirs, strict=True):
        for name in ("source", "target", "size"):
            np.testing.assert_array_equal(one[name], other[name])
