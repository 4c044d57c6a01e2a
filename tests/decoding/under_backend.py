"""Run by test_beam.py under another backend than TensorFlow."""

import sys

import numpy as np
import oracles_search
from compiled import compiled
from oracles_search import Automaton

from neural_gpu_tf.decoding import beam_search, sample
from neural_gpu_tf.options import SamplingConfig

assert "tensorflow" not in sys.modules, "decoding imports TensorFlow"

source = np.array([[3, 4, 5, 6], [4, 0, 0, 0], [5, 5, 5, 0]], np.int32)
size = np.array([4, 2, 3], np.int32)
automaton = Automaton(1, columns=4)
options = dict(beam=3, n_best=2, length_penalty=0.6, coverage_penalty=0.2)
found = compiled(lambda *canvas: beam_search(automaton, *canvas, **options))(
    source, size
)
for i, canvas in enumerate(zip(source, size, strict=True)):
    outputs = oracles_search.beam(automaton, *canvas, 3, 2, 0.6, 0.2)
    for j, (symbols, log_p, score, finished) in enumerate(outputs):
        np.testing.assert_array_equal(found.symbols[i, j, : len(symbols)], symbols)
        np.testing.assert_allclose(found.log_probability[i, j], log_p, rtol=1e-4)
        np.testing.assert_allclose(found.score[i, j], score, rtol=1e-4)
        assert found.finished[i, j] == finished

drawn = compiled(
    lambda *canvas: sample(automaton, *canvas, SamplingConfig(top_k=1, top_p=0.5))
)(source, size, np.full((3, 4), 0.5, np.float32))
for i, canvas in enumerate(zip(source, size, strict=True)):
    ((symbols, log_p, _, _),) = oracles_search.beam(automaton, *canvas, 1, 1)
    np.testing.assert_array_equal(drawn.symbols[i, : len(symbols)], symbols)
    np.testing.assert_allclose(drawn.log_probability[i], log_p, rtol=1e-4)
print("the same")
