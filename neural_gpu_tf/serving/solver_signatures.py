"""Signatures of an exported solver."""

import tensorflow as tf

from neural_gpu_tf.inference import TextSolver
from neural_gpu_tf.inference.text_solver import QUESTIONS
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.serving.limits import check_steps, check_texts, check_work
from neural_gpu_tf.serving.saved_model import Endpoint


class SolverSignatures:
    """What an exported solver offers, within limits, in core TensorFlow ops.

    Args:
        solver: what is exported.
        limits: of a request.
    """

    def __init__(self, solver: TextSolver, limits: ServingConfig):
        self.solver = solver
        self.limits = limits

    def endpoints(self) -> dict[str, Endpoint]:
        """By the names of their signatures."""
        solve = Endpoint(self.solve, [QUESTIONS])
        return {"serving_default": solve, "solve": solve}

    def solve(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Answers questions, string [batch], as `TextSolver.solve` does.

        A question of more than `max_text_bytes` is not valid: a part of it would be
        another question.
        """
        text = check_texts(text, self.limits)
        legal = tf.strings.length(text) <= self.limits.max_text_bytes
        question = tf.where(legal, text, "")
        _, columns, _ = self.solver.text.read(question)
        question = check_work(question, columns, self.limits)
        answer = self.solver.solve(check_steps(question, columns, self.limits))
        return {
            "text": tf.where(legal, answer["text"], ""),
            "steps": tf.where(legal, answer["steps"], 0),
            "valid": legal & answer["valid"],
        }
