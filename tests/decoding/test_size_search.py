import math
from decimal import Decimal

import numpy as np
import pytest
import tensorflow as tf
from scripted import BySize, NeverCalled

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.decoding import greedy, n_best_search, size_search
from neural_gpu_tf.decoding.size_search import candidate_sizes
from neural_gpu_tf.options import DecodingConfig


def sizes_of(length, **options):
    rows = np.array(candidate_sizes(np.array(length), DecodingConfig(**options)))
    return [row[row > 0].tolist() for row in rows]


def test_all_sizes_from_the_source_to_twice_it():
    assert sizes_of([1, 4, 0, 2]) == [[1, 2], [4, 5, 6, 7, 8], [], [2, 3, 4]]


def test_the_largest_size_follows_the_options():
    assert sizes_of([2], size_margin=3) == [[2, 3, 4, 5, 6, 7]]
    assert sizes_of([5], max_size_ratio=1.5) == [[5, 6, 7]]
    assert sizes_of([5], max_size_ratio=1) == [[5]]
    assert sizes_of([0], size_margin=3) == [[]]


@pytest.mark.parametrize("ratio", [1.05, 1.1, 1.15, 1.4, 2.3, 1.0625, 2.0])
def test_the_largest_size_is_that_of_the_decimal(ratio):
    """In float32 1.05 · 60 is less than 63, in float64 1.15 · 100 less than 115."""
    length, config = np.arange(1, 200), DecodingConfig(max_size_ratio=ratio)
    exact = [math.floor(Decimal(str(ratio)) * n) for n in length.tolist()]
    largest = candidate_sizes(length, config, sized=False)[:, 0]
    np.testing.assert_array_equal(largest, exact)
    assert [config.largest_size(n) for n in length.tolist()] == exact


def test_narrowed_sizes_are_spread_evenly_with_both_ends():
    assert sizes_of([8], sizes="2") == [[8, 16]]
    assert sizes_of([8], sizes="4") == [[8, 11, 13, 16]]
    assert sizes_of([8, 2], sizes="5") == [[8, 10, 12, 14, 16], [2, 3, 4]]
    for number in (2, 3, 7, 20):
        for row, length in zip(
            sizes_of(range(1, 40), sizes=str(number)), range(1, 40), strict=True
        ):
            steps = np.diff(row)
            assert (row[0], row[-1]) == (length, 2 * length)
            assert len(row) == min(number, length + 1)
            assert 1 <= steps.min() and steps.max() <= steps.min() + 1


def search(model, length, source=None, **options):
    if source is None:
        source = np.ones((len(length), max(length, default=0)), np.int32)
    return size_search(model, source, np.array(length), DecodingConfig(**options))


def test_the_most_likely_finished_output_wins():
    model = BySize(
        {
            2: [(5, 0.9), (EOS, 0.5)],
            3: [(6, 0.9), (EOS, 0.6)],  # this one
            4: [(7, 0.99), (7, 0.99), (7, 0.99), (7, 0.99)],  # likelier, but unfinished
        }
    )
    decoded = search(model, [2])
    np.testing.assert_array_equal(decoded.size, [3])
    np.testing.assert_array_equal(decoded.symbols[:, :3], [[6, EOS, 0]])
    np.testing.assert_allclose(decoded.log_probability, np.log([0.54]), rtol=1e-5)


def test_an_unfinished_output_wins_if_none_finished():
    model = BySize({2: [(5, 0.5), (5, 0.5)], 3: [(6, 0.9), (6, 0.9), (6, 0.9)]})
    decoded = search(model, [2])
    np.testing.assert_array_equal(decoded.size, [3])
    np.testing.assert_array_equal(decoded.symbols[:, :3], [[6, 6, 6]])


def test_of_equals_the_smaller_canvas_wins():
    script = [(5, 0.5), (EOS, 0.5)]
    for cells in (1, 100):
        decoded = search(BySize({3: script, 4: script}), [2], decode_cells=cells)
        np.testing.assert_array_equal(decoded.size, [3])


def test_sources_do_not_mix():
    model = BySize({2: [(5, 0.9), (EOS, 0.9)], 4: [(6, 0.9), (EOS, 0.5)]})
    decoded = search(model, [3, 1, 2, 4])
    np.testing.assert_array_equal(decoded.size, [4, 2, 2, 4])
    np.testing.assert_array_equal(decoded.symbols[:, 0], [6, 5, 5, 6])


def test_an_empty_source_has_an_empty_output_without_the_model():
    decoded = search(NeverCalled(), [0, 0])
    np.testing.assert_array_equal(decoded.size, [0, 0])
    np.testing.assert_array_equal(decoded.log_probability, [0, 0])
    assert not np.any(decoded.symbols)
    decoded = search(NeverCalled(), [])
    assert {x.shape[0] for x in decoded} == {0}


def test_packs_keep_the_budget_and_hold_each_canvas_once():
    model = BySize({})
    search(model, [3, 5, 0, 1, 8, 2], decode_cells=24)
    for (rows, columns), sizes in model.packs:
        assert columns == max(sizes)
        assert rows * columns <= 24 or rows == 1
    decoded = sorted(size for _, sizes in model.packs for size in sizes)
    assert decoded == sorted(
        n for length in (3, 5, 1, 8, 2) for n in range(length, 2 * length + 1)
    )
    assert len(model.packs) <= 14  # 180 columns


@pytest.fixture(scope="module")
def brute_force(model):
    """Searches one canvas at a time: (-finished, -log p, size) is least."""
    on_canvas = tf.function(
        lambda source, size: greedy(model, source, size),
        input_signature=[
            tf.TensorSpec([1, None], tf.int32),
            tf.TensorSpec([1], tf.int32),
        ],
        autograph=False,
    )
    return lambda symbols: best_of_sizes(on_canvas, symbols)


def best_of_sizes(on_canvas, symbols):
    best = []
    for n in range(len(symbols), 2 * len(symbols) + 1):
        canvas = np.zeros((1, n), np.int32)
        canvas[0, : len(symbols)] = symbols
        one = on_canvas(canvas, [n])
        finished, log_p = bool(one.finished[0]), float(one.log_probability[0])
        best.append((not finished, -log_p, n, np.array(one.symbols[0])))
    return min(best, key=lambda one: one[:3])


@pytest.fixture(scope="module")
def decoded(model, sources):
    return size_search(model, *sources, DecodingConfig(decode_cells=30))


def test_equals_one_canvas_at_a_time(sources, decoded, brute_force):
    source, length = sources
    unfinished = 0
    for i, n in enumerate(length):
        if n:
            missed, minus_log_p, size, symbols = brute_force(source[i, :n])
            unfinished += missed
            assert int(decoded.size[i]) == size
            np.testing.assert_array_equal(decoded.symbols[i, :size], symbols)
            assert not np.any(decoded.symbols[i, size:])
            np.testing.assert_allclose(
                decoded.log_probability[i], -minus_log_p, atol=1e-5
            )
    assert len(set(np.array(decoded.size).tolist())) > 3
    assert 0 < unfinished < 6


@pytest.mark.parametrize("cells", [1, 30, None])
def test_in_a_graph_of_unknown_shapes_whatever_the_packs(
    model, sources, decoded, cells
):
    """None: all canvases at once."""
    config, at_once = DecodingConfig(decode_cells=cells or 1), cells is None
    in_graph = tf.function(
        lambda source, length: (
            n_best_search(model, source, length, config, at_once=at_once).best
        ),
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ],
        autograph=False,
    )
    for some in (slice(None), slice(2, 3), slice(3, 4), slice(0, 0))[: 4 - at_once]:
        # Columns of PAD behind the longest source change nothing either.
        source = np.pad(sources[0][some], [[0, 0], [0, 9]])
        found = in_graph(source, sources[1][some])
        columns = found.symbols.shape[1]
        np.testing.assert_array_equal(found.size, decoded.size[some])
        np.testing.assert_array_equal(found.symbols, decoded.symbols[some][:, :columns])
        np.testing.assert_allclose(
            found.log_probability, decoded.log_probability[some], atol=1e-5
        )
