"""SavedModels for TensorFlow Serving: written, checked, loaded."""

from neural_gpu_tf.serving.export import export
from neural_gpu_tf.serving.export_solver import export_solver
from neural_gpu_tf.serving.exported_translator import ExportedTranslator

__all__ = [
    "ExportedTranslator",
    "export",
    "export_solver",
]
