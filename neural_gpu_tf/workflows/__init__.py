"""Use cases: trained runs in, results out."""

from neural_gpu_tf.workflows.average_weights import average_weights
from neural_gpu_tf.workflows.fit_sizes import fit_sizes
from neural_gpu_tf.workflows.parse_lines import parse_lines
from neural_gpu_tf.workflows.report_runs import report_runs
from neural_gpu_tf.workflows.score_run import score_task, score_translation
from neural_gpu_tf.workflows.train_task import train_task
from neural_gpu_tf.workflows.train_translation import train_translation
from neural_gpu_tf.workflows.tune_decoding import Trial, tune_decoding

__all__ = [
    "Trial",
    "average_weights",
    "fit_sizes",
    "parse_lines",
    "report_runs",
    "score_task",
    "score_translation",
    "train_task",
    "train_translation",
    "tune_decoding",
]
