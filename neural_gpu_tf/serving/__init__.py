"""Exports, SavedModels and other formats: written, checked, loaded."""

from neural_gpu_tf.serving.export import export
from neural_gpu_tf.serving.export_decoder import export_decoder, export_task_decoder
from neural_gpu_tf.serving.export_solver import export_solver
from neural_gpu_tf.serving.exported_decoder import ExportedDecoder, ExportedSolver
from neural_gpu_tf.serving.exported_translator import ExportedTranslator
from neural_gpu_tf.serving.load_exported import load_exported

__all__ = [
    "ExportedDecoder",
    "ExportedSolver",
    "ExportedTranslator",
    "export",
    "export_decoder",
    "export_solver",
    "export_task_decoder",
    "load_exported",
]
