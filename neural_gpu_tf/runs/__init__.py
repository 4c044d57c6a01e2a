"""Run directories: configuration, files, provenance, loading."""

from neural_gpu_tf.runs.config import RunConfig
from neural_gpu_tf.runs.load import Run, TaskRun, load_run, load_task_run
from neural_gpu_tf.runs.load_runs import load_runs
from neural_gpu_tf.runs.load_size_predictor import load_size_predictor
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.runs.run_names import run_names
from neural_gpu_tf.runs.run_translator import run_translator

__all__ = [
    "Run",
    "RunConfig",
    "RunDirectory",
    "TaskRun",
    "load_run",
    "load_runs",
    "load_size_predictor",
    "load_task_run",
    "run_names",
    "run_translator",
]
