"""Search for the most likely output; it knows no model and imports only Keras."""

from neural_gpu_tf.decoding.config import DecodingConfig
from neural_gpu_tf.decoding.greedy import Hypotheses, greedy
from neural_gpu_tf.decoding.size_search import Decoded, size_search

__all__ = ["Decoded", "DecodingConfig", "Hypotheses", "greedy", "size_search"]
