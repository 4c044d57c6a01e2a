"""From a model and a tokenizer to a translator, and to a SavedModel that serves it."""

from neural_gpu_tf.serving.export import export
from neural_gpu_tf.serving.exported_translator import ExportedTranslator
from neural_gpu_tf.serving.translate_all import translate_all
from neural_gpu_tf.serving.translate_stream import translate_stream
from neural_gpu_tf.serving.translator import Translator

__all__ = [
    "ExportedTranslator",
    "Translator",
    "export",
    "translate_all",
    "translate_stream",
]
