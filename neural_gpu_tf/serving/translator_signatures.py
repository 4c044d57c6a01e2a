"""Signatures of an exported translator."""

import tensorflow as tf

from neural_gpu_tf.inference.translator import TEXTS, Translator
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.serving.limits import cut_texts
from neural_gpu_tf.serving.saved_model import Endpoint


class TranslatorSignatures:
    """What an exported translator offers, within limits.

    All is in core TensorFlow ops.

    Args:
        translator: what is exported.
        limits: of a request.
    """

    def __init__(self, translator: Translator, limits: ServingConfig):
        self.translator = translator
        self.limits = limits

    def endpoints(self) -> dict[str, Endpoint]:
        """By the names of their signatures."""
        translate = Endpoint(self.translate, [TEXTS])
        return {
            "serving_default": translate,
            "translate": translate,
            "too_long": Endpoint(self.too_long, [TEXTS]),
        }

    def translate(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Translates texts, string [batch], as `Translator.translate_batch` does."""
        return self.translator.translate_batch(cut_texts(text, self.limits).text)

    def too_long(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Whether the end of each text, string [batch], is not translated."""
        text, cut = cut_texts(text, self.limits)
        return {"too_long": cut | self.translator.too_long(text)}
