import numpy as np
import oracles
import pytest

from neural_gpu_tf.layers import TapeCGRU
from neural_gpu_tf.layers.canvas import by_rows
from neural_gpu_tf.layers.cgru import Terms

SHAPES = [  # columns, width, kernel_size
    (5, 1, (3, 1)),
    (5, 1, (3, 3)),
    (4, 2, (5, 3)),
    (4, 2, (5, 5)),
    (5, 4, (3, 3)),
    (6, 4, (5, 5)),
    (6, 4, (3, 5)),
    (2, 4, (5, 3)),
    (1, 1, (5, 5)),
]


def tape_cgru(kernel_size, cutoff=1.2, dtype="float64"):
    layer = TapeCGRU(maps=3, kernel_size=kernel_size, cutoff=cutoff, dtype=dtype)
    layer.build()
    return oracles.randomize(layer)


def random(*shape):
    return np.random.default_rng(5).standard_normal(shape)


@pytest.mark.parametrize("cutoff", [1.0, 1.2])
@pytest.mark.parametrize("kernel_size", [(3, 3), (5, 5), (3, 1)])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_is_the_equation(width, kernel_size, cutoff):
    layer = tape_cgru(kernel_size, cutoff, "float32")
    canvas = oracles.ragged_canvas([4, 4], 4, width, 3)
    tape = oracles.ragged_canvas([4, 4], 4, width, 3, seed=1)  # every row of it
    k = oracles.unit_weights(layer)
    expected = [
        oracles.tape_cgru(s, p, k, cutoff) for s, p in zip(canvas, tape, strict=True)
    ]
    np.testing.assert_allclose(layer(canvas, tape), expected, atol=1e-5)


@pytest.mark.parametrize("shape", [(2, 1, 2, 3), (2, 4, 1, 3), (2, 5, 2, 3)])
def test_a_tape_of_another_shape_is_refused(shape):
    layer = tape_cgru((3, 3))
    layer(random(2, 4, 2, 3), random(2, 4, 2, 3))
    with pytest.raises(ValueError, match="columns and width"):
        layer(random(2, 4, 2, 3), random(*shape))


@pytest.mark.parametrize("columns, width, kernel_size", SHAPES)
def test_what_writing_accumulates_is_the_convolution_of_the_tape(
    columns, width, kernel_size
):
    """After every column, not only the last."""
    layer = tape_cgru(kernel_size)
    k = oracles.unit_weights(layer)
    vectors = random(2, columns, 3)
    tape = np.zeros((2, columns, width, 3))
    terms = layer.without_tape(layer.biases(), by_rows(tape))
    contributions = layer.contributions(vectors)
    assert contributions.shape[:3] == (2, columns, kernel_size[0])
    for t in range(columns):
        terms = layer.write(terms, contributions[:, t], t)
        tape[:, t, 0] = vectors[:, t]
        for b in range(2):
            w1, w2, w = (oracles.convolve(tape[b], x) for x in (k.W1, k.W2, k.W))
            gates = np.concatenate([w1 + k.B1, w2 + k.B2], axis=-1)
            found = [np.swapaxes(term[b], 0, 1) for term in terms]
            np.testing.assert_allclose(found[0], gates, atol=1e-10)
            np.testing.assert_allclose(found[1], w + k.B, atol=1e-10)


@pytest.mark.parametrize("columns, width, kernel_size", SHAPES)
def test_the_contribution_of_one_column_is_that_of_many(columns, width, kernel_size):
    layer = tape_cgru(kernel_size)
    vector = random(2, 3)
    rows = min(kernel_size[1] // 2 + 1, width)
    expected = np.array(layer.contributions(vector))[:, :, :rows]
    found = layer.contribution(vector, width)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("columns, width, kernel_size", SHAPES)
def test_writing_columns_at_once_is_writing_one_by_one(columns, width, kernel_size):
    """Bit for bit."""
    layer = TapeCGRU(maps=3, kernel_size=kernel_size)
    layer.build()
    oracles.randomize(layer)
    biases, canvas = layer.biases(), np.zeros((2, width, columns, 3))
    contributions = layer.contributions(random(columns, 2, 3).astype("float32"))
    empty = one_by_one = layer.without_tape(biases, canvas)
    for t in range(columns + 1):
        at_once = layer.write_before(empty, contributions, t)
        for a, b in zip(at_once, one_by_one, strict=True):
            np.testing.assert_array_equal(a, b)
        if t < columns:
            one_by_one = layer.write(one_by_one, contributions[t], t)


@pytest.mark.parametrize("columns, width, kernel_size", SHAPES)
def test_read_is_the_adjoint_of_write(columns, width, kernel_size):
    """<write(0, c), y> = <c, read(y)>."""
    layer = tape_cgru(kernel_size)
    contribution = np.array(layer.contributions(random(2, 3)))
    zero = Terms(np.zeros((2, width, columns, 6)), np.zeros((2, width, columns, 3)))
    y = Terms(*(random(*x.shape) for x in zero))
    for t in range(columns):
        written = layer.write(zero, contribution, t)
        left = sum(np.sum(a * b) for a, b in zip(written, y, strict=True))
        back = np.array(layer.read(y, contribution, t))
        assert back.shape == contribution.shape
        assert abs(left) > 1e-3
        np.testing.assert_allclose(np.sum(contribution * back), left, rtol=1e-9)


def test_tape_kernels_start_apart():
    layer = TapeCGRU(maps=4)
    layer.build()
    k = oracles.unit_weights(layer)
    kernels = [k.W, k.W1, k.W2, k.U, k.U1, k.U2]
    for i, kernel in enumerate(kernels):
        for other in kernels[:i]:
            assert abs(kernel - other).max() > 0.05
