import numpy as np

from neural_gpu_tf.layers import source_mask


def test_a_position_exists_within_the_size_and_if_it_is_not_blank():
    source = np.array([[3, 0, 4, 5], [0, 0, 0, 0], [1, 2, 3, 0]])
    exists = source_mask.SourceMask()(source, np.array([3, 4, 4]))
    np.testing.assert_array_equal(
        exists,
        [[True, False, True, False], [False] * 4, [True, True, True, False]],
    )
