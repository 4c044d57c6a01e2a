"""Translator of texts, from string to string in one graph."""

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf

from neural_gpu_tf import text
from neural_gpu_tf.decoding import (
    SizePredictor,
    check_beam,
    check_predictor,
    n_best_search,
    sample_search,
)
from neural_gpu_tf.inference.traced import traced
from neural_gpu_tf.options import DecodingConfig, SamplingConfig

TEXTS = tf.TensorSpec([None], tf.string, name="text")
_NONE = float("-inf")  # the score of a translation that is not there
_DRAWS = 1 << 23  # different random numbers; as many as float32 has in [0.5, 1)


class Translator:
    """Translates texts with a model; what is validated, evaluated and served.

    All is in core TensorFlow ops, traced once: text → symbols → `n_best_search` (or
    `sample_search`) → text.

    Args:
        model: see `decoding.greedy`.
        tokenizer: text to symbols and back.
        config: the decoding options.
        sampling: draw translations at random, if its `sample` is True.
        size_predictor: for `config.sizes` = predicted.

    Raises:
        InputError: the beam is wider than the vocabulary, or there is no
            `size_predictor` where one is needed.
    """

    def __init__(
        self,
        model: keras.Model,
        tokenizer: "text.SpellOutTokenizer",
        config: DecodingConfig,
        sampling: SamplingConfig | None = None,
        size_predictor: SizePredictor | None = None,
    ):
        check_beam(config.beam, len(tokenizer.vocabulary))
        check_predictor(config, size_predictor)
        self.model = model
        self.tokenizer = tokenizer
        self.config = config
        self.sampling = sampling if sampling and sampling.sample else None
        self.size_predictor = size_predictor

    def translate(self, text: str | Sequence[str] | tf.Tensor) -> dict[str, tf.Tensor]:
        """Translates one text or several, of which any may be empty.

        Args:
            text: UTF-8, a string or strings [batch]. The end of a text that is
                `too_long` is not translated.

        Returns:
            What `translate_batch` does; of a single string without the batch.
        """
        texts = tf.convert_to_tensor(text, tf.string)
        if texts.shape.rank:
            return self.translate_batch(texts)
        return {name: x[0] for name, x in self.translate_batch(texts[None]).items()}

    @traced(TEXTS)
    def translate_batch(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Translates texts, string [batch], in one graph; this is what is exported.

        Returns:
            text, string [batch]; log_probability, float32 [batch], of the symbols and
            their EOS (0 for an empty text); size, int32 [batch], of the winning canvas
            (0 for an empty text). If `config.n_best` is b > 1 and nothing is sampled,
            also the b best, best first: n_best_text, string [batch, b], and
            n_best_score, float32 [batch, b], see `decoding.beam_search`; "" and -inf
            where there are not so many.
        """
        if self.sampling:
            decoded = sample_search(
                self.model,
                *self.read(text),
                lambda columns: self._uniform(text, columns),
                self.config,
                self.sampling,
                self.size_predictor,
            )
            return {
                "text": self.tokenizer.detokenize(decoded.symbols),
                "log_probability": decoded.log_probability,
                "size": decoded.size,
            }
        found = self.n_best_batch(text)
        best = {k: found[k][:, 0] for k in ("text", "log_probability", "size")}
        if self.config.n_best > 1:
            best |= {"n_best_text": found["text"], "n_best_score": found["score"]}
        return best

    @traced(TEXTS)
    def n_best_batch(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """The `config.n_best` best translations of texts, string [batch], best first.

        Returns:
            text, string [batch, b]; log_probability and score, float32 [batch, b], see
            `decoding.beam_search`; size, int32 [batch, b], of the canvas; finished,
            bool [batch, b], whether EOS came within the canvas, or the text is empty.
            "", -inf, 0 and False where there are not so many. Outputs that end come
            before those that fill their canvas, whatever their scores. Of several
            spellings of a text the best alone counts. Nothing is sampled.
        """
        found = n_best_search(
            self.model, *self.read(text), self.config, self.size_predictor
        )
        nothing = tf.equal(found.size, 0) & (found.score > _NONE)  # of an empty text
        return _other_texts(
            {
                "text": self.texts(found.symbols),
                "log_probability": found.log_probability,
                "score": found.score,
                "size": found.size,
                "finished": found.finished | nothing,
            },
            self.config.n_best,
        )

    def too_long(self, text: tf.Tensor) -> tf.Tensor:
        """Whether each text, string [batch], is longer than is translated: bool.

        It has no graph of its own: tracing one takes longer than the few operations.
        """
        lengths = self.tokenizer.tokenize(text).row_lengths()
        return lengths > self.config.max_source_length

    def read(self, text: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The symbols that are translated, int32 [batch, n], and how many they are."""
        source = self.tokenizer.tokenize(text)[:, : self.config.max_source_length]
        return source.to_tensor(), tf.cast(source.row_lengths(), tf.int32)

    def texts(self, symbols: tf.Tensor) -> tf.Tensor:
        """symbols [batch, b, n] → string [batch, b]."""
        batch, count, columns = tf.unstack(tf.shape(symbols))
        flat = tf.reshape(symbols, [batch * count, columns])
        return tf.reshape(self.tokenizer.detokenize(flat), [batch, count])

    def _uniform(self, text: tf.Tensor, columns: tf.Tensor) -> tf.Tensor:
        """Even numbers in (0, 1), [batch, n]: functions of seed, text and column alone.

        So what is drawn for a text depends neither on the batch nor on the line. A
        keyed hash, SipHash, of text and column makes them.
        """
        shape = [tf.shape(text)[0], columns]
        column = tf.strings.as_string(tf.range(columns))
        keys = tf.strings.join(
            [
                tf.broadcast_to(text[:, None], shape),
                tf.broadcast_to(column[None, :], shape),
            ],
            separator="\n",
        )
        assert self.sampling is not None
        seed = [self.sampling.sample_seed, 0]
        number = tf.strings.to_hash_bucket_strong(keys, _DRAWS, seed)
        return (tf.cast(number, tf.float32) + 0.5) / _DRAWS


def _other_texts(found: dict[str, tf.Tensor], count: int) -> dict[str, tf.Tensor]:
    """What is found, [batch, count], without texts that a better one has as well.

    The others close up; behind them stands what stands for none.
    """
    same = found["text"][:, :, None] == found["text"][:, None, :]
    before = tf.constant(np.tri(count, k=-1, dtype=bool))
    new = tf.cast(~tf.reduce_any(same & before, axis=2), tf.int32)
    _, order = tf.math.top_k(new, count)  # of equals the first comes first
    there = tf.range(count) < tf.reduce_sum(new, axis=1, keepdims=True)
    none = {"text": "", "size": 0, "finished": False}
    return {
        name: tf.where(there, tf.gather(x, order, batch_dims=1), none.get(name, _NONE))
        for name, x in found.items()
    }
