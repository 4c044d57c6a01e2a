import numpy as np

from neural_gpu_tf.layers import FirstRow
from neural_gpu_tf.layers.canvas import active_cells, column_mask

SIZE = np.array([3, 1, 0], "int32")


def test_column_mask_is_one_on_the_columns_of_each_example():
    mask = np.array(column_mask(SIZE, 4))
    assert mask.shape == (3, 4, 1, 1)
    assert mask[..., 0, 0].tolist() == [[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


def test_an_example_is_active_for_as_many_steps_as_it_has_columns():
    mask = column_mask(SIZE, 4)
    for t in range(4):
        active = np.array(active_cells(mask, SIZE, t))
        expected = np.array(mask) * (t < SIZE)[:, None, None, None]
        np.testing.assert_array_equal(active, expected)


def test_vectors_enter_in_row_0():
    vectors = np.random.default_rng(0).standard_normal((2, 5, 3)).astype("float32")
    canvas = np.array(FirstRow(width=4)(vectors))
    np.testing.assert_array_equal(canvas[:, :, 0], vectors)
    assert canvas.shape == (2, 5, 4, 3) and not canvas[:, :, 1:].any()
    np.testing.assert_array_equal(FirstRow(width=1)(vectors)[:, :, 0], vectors)
