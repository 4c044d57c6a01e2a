"""Inference with a model: translates text, answers questions of algorithmic tasks."""

from neural_gpu_tf.inference.faulty_lines import FaultyLines
from neural_gpu_tf.inference.solve_text import Solution, solve_text, solve_texts
from neural_gpu_tf.inference.solver import Solver, check_columns
from neural_gpu_tf.inference.text_solver import TextSolver
from neural_gpu_tf.inference.translate_all import Translation, translate_all
from neural_gpu_tf.inference.translate_stream import translate_stream
from neural_gpu_tf.inference.translator import Translator

__all__ = [
    "FaultyLines",
    "Solution",
    "Solver",
    "TextSolver",
    "Translation",
    "Translator",
    "check_columns",
    "solve_text",
    "solve_texts",
    "translate_all",
    "translate_stream",
]
