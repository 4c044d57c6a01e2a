"""Every symbol of a canvas, blank ones too."""

import numpy as np
import pytest

from neural_gpu_tf.decoding import all_symbols, n_best_search
from neural_gpu_tf.decoding.constraint import Constrained
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DecodingConfig
from tests.scripted import Markov, Model

SOURCE = np.array([[5, 3, 4, 0], [7, 0, 0, 0]], np.int32)
SIZE = np.array([4, 2], np.int32)


def test_each_symbol_follows_from_the_last_and_a_blank_is_one():
    # after GO (1) a blank, after a blank 2, which is EOS elsewhere, and so on
    follows = {1: 0, 0: 2, 2: 3, 3: 1}
    model = Markov(np.log(0.1 + 0.6 * np.eye(4)[[follows[v] for v in range(4)]]))
    symbols = np.array(all_symbols(model, SOURCE, SIZE))
    assert symbols.tolist() == [[0, 2, 3, 1], [0, 2, 0, 0]]
    assert symbols.dtype == np.int32
    assert len(model.inputs) == 4


@pytest.mark.parametrize("size", [[4, 2], [1, 1]])
def test_a_model_that_solves_is_asked_once(size):
    class AtOnce(Model):
        answers_at_once = True

        def solve(self, source, size):
            return np.eye(9, dtype=np.float32)[source + 1]

    symbols = np.array(all_symbols(AtOnce(), SOURCE, np.array(size)))
    inside = np.arange(4) < np.array(size)[:, None]
    assert symbols.tolist() == np.where(inside, SOURCE + 1, 0).tolist()


def test_a_constraint_is_refused():
    with pytest.raises(InputError, match="all_symbols: no symbol is barred"):
        all_symbols(Constrained(Model(), None), SOURCE, SIZE)


@pytest.mark.parametrize("size", [[4], [4, 2, 1], 4])
def test_a_size_for_each_source(size):
    with pytest.raises(InputError, match="a size for each source"):
        all_symbols(Model(), SOURCE, size)
    with pytest.raises(InputError, match="a size for each source"):
        n_best_search(Model(), SOURCE, size, DecodingConfig())
