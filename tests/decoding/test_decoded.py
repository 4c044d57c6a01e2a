import numpy as np
import pytest
from keras import ops

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.decoding import Decoded


@pytest.fixture
def two_of_three():
    """Of two sources three outputs of two symbols each."""
    values = (
        [[[5, EOS], [6, EOS], [7, 7]], [[EOS, 0], [3, 4], [4, EOS]]],
        [[-1.0, -2.0, -3.0], [-4.0, -5.0, -6.0]],
        [[True, True, False], [True, False, True]],
        [[-0.1, -0.2, -0.3], [-0.4, -0.5, -0.6]],
        [[2, 3, 2], [2, 2, 4]],
    )
    return Decoded(*map(ops.convert_to_tensor, values))


def rows(decoded):
    """The outputs of each source, as tuples of all fields."""
    fields = (np.array(x).tolist() for x in decoded)
    return [
        list(zip(*of_source, strict=True)) for of_source in zip(*fields, strict=True)
    ]


def test_takes_outputs_by_rank(two_of_three):
    all_rows = rows(two_of_three)
    taken = rows(two_of_three.take(np.array([[2, 0], [1, 1]])))
    assert taken[0] == [all_rows[0][2], all_rows[0][0]]
    assert taken[1] == [all_rows[1][1]] * 2


def test_the_best_is_the_first_and_as_n_best_its_inverse(two_of_three):
    best = two_of_three.best
    assert best.symbols.shape == (2, 2) and best.size.shape == (2,)
    assert rows(best.as_n_best()) == [outputs[:1] for outputs in rows(two_of_three)]


def test_where_there_is_no_output(two_of_three):
    there = np.array([[True, False, True], [False, True, True]])
    nothing = ([0, 0], -np.inf, False, -np.inf, 0)
    found = rows(two_of_three.only_where(there))
    for i, outputs in enumerate(rows(two_of_three)):
        for j, output in enumerate(outputs):
            assert found[i][j] == (output if there[i, j] else nothing)
