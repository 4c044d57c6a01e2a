"""How good a model is: perplexity, scores of its own output, accuracy by length."""

from neural_gpu_tf.evaluation.by_length import LengthScore, by_length
from neural_gpu_tf.evaluation.draw_alignments import AlignmentPictures
from neural_gpu_tf.evaluation.draw_question import (
    draw_question,
    has_picture,
    question_frames,
)
from neural_gpu_tf.evaluation.evaluate import evaluate
from neural_gpu_tf.evaluation.perplexity import Perplexity, Surprisal
from neural_gpu_tf.evaluation.score_pairs import PairScore, PairScorer, score_pairs
from neural_gpu_tf.evaluation.scores import scores

__all__ = [
    "AlignmentPictures",
    "LengthScore",
    "PairScore",
    "PairScorer",
    "Perplexity",
    "Surprisal",
    "by_length",
    "draw_question",
    "evaluate",
    "has_picture",
    "question_frames",
    "score_pairs",
    "scores",
]
