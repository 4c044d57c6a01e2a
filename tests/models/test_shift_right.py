import numpy as np
import pytest

from neural_gpu_tf.constants import GO
from neural_gpu_tf.models.shift_right import shift_right


@pytest.mark.parametrize("columns", [0, 1, 3])
def test_go_comes_first_and_the_last_symbol_goes(columns):
    target = np.arange(2 * columns, dtype="int32").reshape(2, columns) + 3
    expected = [[GO, *row][:columns] for row in target]
    np.testing.assert_array_equal(shift_right(target), np.reshape(expected, (2, -1)))
