"""Text to text, in one graph."""

import keras
import tensorflow as tf

from neural_gpu_tf.decoding import DecodingConfig, size_search
from neural_gpu_tf.text import SpellOutTokenizer

TEXTS = tf.TensorSpec([None], tf.string, name="text")


class Translator:
    """Translates texts with a model; what is validated, evaluated and served.

    All is in core TensorFlow ops, traced once: text → symbols → `size_search` → text.

    Args:
        model: see `decoding.greedy`.
        tokenizer: text to symbols and back.
        config: the decoding options.
    """

    def __init__(
        self, model: keras.Model, tokenizer: SpellOutTokenizer, config: DecodingConfig
    ):
        self.model = model
        self.tokenizer = tokenizer
        self.config = config

    @tf.function(input_signature=[TEXTS], autograph=False)
    def translate(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Translates a batch; any number of texts, of which any may be empty.

        Args:
            text: UTF-8, string [batch]. The end of a text that is `too_long` is not
                translated.

        Returns:
            text, string [batch]; log_probability, float32 [batch], of the symbols and
            their EOS (0 for an empty text); size, int32 [batch], of the winning canvas
            (0 for an empty text).
        """
        source = self.tokenizer.tokenize(text)[:, : self.config.max_source_length]
        decoded = size_search(
            self.model,
            source.to_tensor(),
            tf.cast(source.row_lengths(), tf.int32),
            self.config,
        )
        return {
            "text": self.tokenizer.detokenize(decoded.symbols),
            "log_probability": decoded.log_probability,
            "size": decoded.size,
        }

    @tf.function(input_signature=[TEXTS], autograph=False)
    def too_long(self, text: tf.Tensor) -> tf.Tensor:
        """Whether each text, string [batch], is longer than is translated: bool."""
        lengths = self.tokenizer.tokenize(text).row_lengths()
        return lengths > self.config.max_source_length
