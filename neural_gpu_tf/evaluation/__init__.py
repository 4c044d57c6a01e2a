"""How good a model is: perplexity of references, scores of its own output."""

from neural_gpu_tf.evaluation.evaluate import evaluate
from neural_gpu_tf.evaluation.perplexity import Perplexity, Surprisal
from neural_gpu_tf.evaluation.scores import scores

__all__ = ["Perplexity", "Surprisal", "evaluate", "scores"]
