import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from scripted import BySize, NeverCalled

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.decoding import beam_search, n_best_search
from neural_gpu_tf.options import DecodingConfig


def n_best(model, length, **options):
    source = np.ones((len(length), max(length, default=0)), np.int32)
    config = DecodingConfig(**options)
    return n_best_search(model, source, np.array(length), config)


def test_the_score_decides_between_sizes():
    model = BySize(
        {
            2: [(5, 0.9), (EOS, 0.5)],
            3: [
                (6, 0.7),
                (7, 0.8),
                (EOS, 0.79),
            ],  # log 0.4424 · 6 / 8 > log 0.45 · 6 / 7
        }
    )
    for alpha, size in ((0.0, 2), (1.0, 3)):
        for beam in (1, 2):
            decoded = n_best(model, [2], length_penalty=alpha, beam=beam)
            np.testing.assert_array_equal(decoded.size, [[size]])
            log_p = np.log(0.45 if size == 2 else 0.7 * 0.8 * 0.79)
            length = [None, None, 2, 3][size]
            np.testing.assert_allclose(decoded.log_probability, [[log_p]], rtol=1e-4)
            np.testing.assert_allclose(
                decoded.score, [[log_p / ((5 + length) / 6) ** alpha]], rtol=1e-4
            )


def test_an_output_of_several_canvases_counts_once_with_its_best_score():
    model = BySize(
        {
            2: [(5, 0.5), (EOS, 0.5)],
            3: [(5, 0.6), (EOS, 0.6)],  # the same again, likelier
            4: [(5, 0.9), (6, 0.9), (EOS, 0.01)],
        }
    )
    decoded = n_best(model, [2], beam=2, n_best=2, sizes="all")
    np.testing.assert_array_equal(decoded.symbols[0, 0], [5, EOS, 0, 0])
    np.testing.assert_array_equal(decoded.size[0, 0], 3)
    assert np.array(decoded.symbols[0, 1]).tolist() != [5, EOS, 0, 0]
    np.testing.assert_allclose(decoded.log_probability[0, 0], np.log(0.36), rtol=1e-4)


def test_filling_the_canvas_is_the_same_output_as_ending_there():
    model = BySize({1: [(5, 0.9)], 2: [(5, 0.9), (EOS, 0.9)]})
    decoded = n_best(model, [1], beam=3, n_best=3)
    texts = [
        [x for x in row if x not in (0, EOS)] for row in decoded.symbols[0].numpy()
    ]
    assert texts[0] == [5] and [5] not in texts[1:]


def test_where_there_are_fewer_outputs():
    # All but one symbol is impossible, and the last is EOS.
    model = BySize({1: [(EOS, 1 - 1e-7)], 2: [(EOS, 1 - 1e-7)]})
    model.logits = np.where(model.logits < -15, -np.inf, model.logits)
    decoded = n_best(model, [1, 0], beam=4, n_best=3)
    np.testing.assert_array_equal(
        decoded.symbols, [[[EOS, 0], [0, 0], [0, 0]], [[0, 0]] * 3]
    )
    np.testing.assert_array_equal(decoded.size, [[1, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(decoded.score, [[0, -np.inf, -np.inf]] * 2, atol=1e-5)
    np.testing.assert_allclose(decoded.log_probability, decoded.score, atol=1e-5)
    assert n_best(NeverCalled(), [], beam=2, n_best=2).symbols.shape[:2] == (0, 2)


def test_a_model_without_a_size_gets_the_largest_canvas():
    model = BySize({})
    model.sized = False
    n_best(model, [3, 5, 0], size_margin=1, decode_cells=1)
    assert [sizes for _, sizes in model.packs] == [[11], [7]]


def test_packs_keep_the_budget_with_a_beam_too():
    model = BySize({})
    n_best(model, [3, 5, 1], beam=3, decode_cells=60)
    for (rows, columns), sizes in model.packs:
        assert columns == max(sizes)
        assert 3 * rows * columns <= 60 or rows == 1
    assert max(len(sizes) for _, sizes in model.packs) > 1


N_BEST = DecodingConfig(beam=4, n_best=3, length_penalty=0.7)


@pytest.fixture(scope="module")
def outputs(model, sources):
    """Of each source the b best different outputs, from one canvas at a time."""
    on_canvas = tf.function(
        lambda source, size: beam_search(model, source, size, 4, 3, 0.7),
        input_signature=[
            tf.TensorSpec([1, None], tf.int32),
            tf.TensorSpec([1], tf.int32),
        ],
        autograph=False,
    )

    def best(symbols):
        answer = {}
        for n in range(len(symbols), 2 * len(symbols) + 1):
            canvas = np.pad(symbols, [0, n - len(symbols)])[None]
            found = [values[0].numpy() for values in on_canvas(canvas, [n])]
            for said, log_p, finished, score, _ in zip(*found, strict=True):
                text = tuple(x for x in said if x > EOS)
                output = (not finished, -score, n, log_p, said.tolist())
                if np.isfinite(score):
                    answer[text] = min(answer.get(text, output), output)
        return sorted(answer.values())[:3]

    return [best(symbols[:n]) if n else [] for symbols, n in zip(*sources, strict=True)]


@pytest.mark.parametrize("cells", [200, pytest.param(None, marks=pytest.mark.slow)])
def test_n_best_equal_one_canvas_at_a_time_whatever_the_packs(
    model, sources, outputs, cells
):
    config = dataclasses.replace(N_BEST, decode_cells=cells or 1)
    in_graph = tf.function(
        lambda source, length: n_best_search(
            model, source, length, config, at_once=cells is None
        ),
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ],
        autograph=False,
    )
    decoded = in_graph(*sources)
    for i, expected in enumerate(outputs):
        assert len(expected) == (3 if sources[1][i] else 0)
        for j, (unfinished, minus_score, size, log_p, said) in enumerate(expected):
            assert int(decoded.size[i, j]) == size
            assert bool(decoded.finished[i, j]) != unfinished
            np.testing.assert_array_equal(decoded.symbols[i, j, :size], said)
            np.testing.assert_allclose(decoded.score[i, j], -minus_score, atol=1e-4)
            np.testing.assert_allclose(decoded.log_probability[i, j], log_p, atol=1e-4)
    np.testing.assert_array_equal(decoded.best.symbols, decoded.symbols[:, 0])
    np.testing.assert_array_equal(decoded.best.size, decoded.size[:, 0])
    kinds = {output[0] for expected in outputs for output in expected}
    assert kinds == {True, False}
