"""Decoding: greedy, beam and size search, and sampling.

It knows no model, only `contract.DecodableModel`, and imports only Keras.
"""

from neural_gpu_tf.decoding.all_symbols import all_symbols
from neural_gpu_tf.decoding.beam import beam_search, check_beam, check_coverage
from neural_gpu_tf.decoding.constraint import Constrained, Constraint
from neural_gpu_tf.decoding.decoded import Decoded
from neural_gpu_tf.decoding.greedy import greedy
from neural_gpu_tf.decoding.sample import sample, sample_search
from neural_gpu_tf.decoding.size_predictor import SizePredictor
from neural_gpu_tf.decoding.size_search import (
    check_predictor,
    n_best_search,
    size_search,
)

__all__ = [
    "Constrained",
    "Constraint",
    "Decoded",
    "SizePredictor",
    "all_symbols",
    "beam_search",
    "check_beam",
    "check_coverage",
    "check_predictor",
    "greedy",
    "n_best_search",
    "sample",
    "sample_search",
    "size_search",
]
