"""Signatures of an exported translator."""

import tensorflow as tf

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.decoding.packs import in_packs
from neural_gpu_tf.decoding.size_search import candidate_sizes, on_columns
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import PairScorer
from neural_gpu_tf.inference.translator import TEXTS, Translator
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.serving.explanation import explain
from neural_gpu_tf.serving.limits import check_texts, check_work, checked, cut_texts
from neural_gpu_tf.serving.saved_model import Endpoint
from neural_gpu_tf.text import Vocabulary

_SOURCES = tf.TensorSpec([None], tf.string, name="source")
_TARGETS = tf.TensorSpec([None], tf.string, name="target")
_SYMBOLS = tf.TensorSpec([None, None], tf.int32, name="symbols")
_REPLACEMENT = 3  # bytes of U+FFFD
NO_SCORE = tf.float32.min
"""The lowest finite number: JSON has no -inf."""
_LOGITS = 1 << 24  # that are computed at once when pairs are scored: 64 MiB


class TranslatorSignatures:
    """What an exported translator offers, within limits.

        translate, serving_default
                        text → text, log_probability, size; n_best_text and
                        n_best_score if `n_best` is more than 1
        translate_nbest text → text, log_probability, score, size, finished, too_long
        score           source, target → log_probability, size, too_long
        tokenize        text → symbols, length, too_long
        detokenize      symbols → text
        too_long        text → too_long
        explain         text → text, sizes, …; see `explain`

    Texts beyond a limit are cut, and `too_long` says so; too many of them are an error.
    `NO_SCORE` stands where a translator has -inf, for an output that is not there.
    All is in core TensorFlow ops.

    Args:
        translator: what is exported.
        limits: of a request.

    Raises:
        InputError: a source of the greatest length would be beyond the limits.
    """

    def __init__(self, translator: Translator, limits: ServingConfig):
        self.translator = translator
        self.limits = limits
        alone = self.longest_source_columns
        if alone > limits.max_request_columns:
            raise InputError(
                f"max_request_columns={limits.max_request_columns}: the longest source "
                f"alone takes {alone}; raise it, or lower max_source_length"
            )
        self._score = PairScorer(translator.model)

    def endpoints(self) -> dict[str, Endpoint]:
        """By the names of their signatures."""
        translate = Endpoint(self.translate, [TEXTS])
        return {
            "serving_default": translate,
            "translate": translate,
            "translate_nbest": Endpoint(self.translate_nbest, [TEXTS]),
            "score": Endpoint(self.score, [_SOURCES, _TARGETS]),
            "tokenize": Endpoint(self.tokenize, [TEXTS]),
            "detokenize": Endpoint(self.detokenize, [_SYMBOLS]),
            "too_long": Endpoint(self.too_long, [TEXTS]),
            "explain": Endpoint(self.explain, [TEXTS]),
        }

    def translate(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Translates texts, string [batch], as `Translator.translate_batch` does."""
        legal, _ = self._legal(text)
        return _finite(self.translator.translate_batch(legal))

    def translate_nbest(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """The best translations of texts, string [batch], best first.

        Returns:
            What `Translator.n_best_batch` does, and too_long, bool [batch].
        """
        legal, cut = self._legal(text)
        too_long = cut | self.translator.too_long(legal)
        return _finite({**self.translator.n_best_batch(legal), "too_long": too_long})

    def explain(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Translates texts, string [batch], and tells all sizes that were tried."""
        legal, _ = self._legal(text)
        return _finite(explain(self.translator, *self.translator.read(legal)))

    def score(self, source: tf.Tensor, target: tf.Tensor) -> dict[str, tf.Tensor]:
        """The log-probability of targets, string [batch], given sources.

        Teacher-forced, on the canvas that training has for the pair; see
        `evaluation.score_pairs`. A source is cut as it is in translating, a target to
        what the largest canvas of the longest source holds.

        Args:
            source: string [batch].
            target: as many.

        Returns:
            log_probability, float32 [batch], of the target's symbols and its EOS; size,
            int32 [batch], of the canvas; too_long, bool [batch], whether the score is
            that of a source or a target that was cut.
        """
        config = self.translator.config
        most = config.max_source_length
        widest = config.largest_size(most)
        count = tf.shape(target)[0]
        same = tf.equal(count, tf.shape(source)[0])
        target = checked(target, same, "{} targets: not as many as sources", count)
        source, source_cut = self._symbols(source, most)
        target, target_cut = self._symbols(target, widest - 1)
        ends = tf.fill([tf.shape(target.row_lengths())[0], 1], EOS)
        target = tf.concat([target, tf.cast(ends, target.dtype)], axis=1)
        longer = tf.maximum(source.row_lengths(), target.row_lengths())
        size = tf.cast(longer, tf.int32)
        size = check_work(size, size, self.limits)
        columns = tf.reduce_max(tf.concat([size, [1]], 0))
        rows = {
            "source": on_columns(source.to_tensor(), columns),
            "target": on_columns(target.to_tensor(), columns),
        }

        def work(which: tf.Tensor, size: tf.Tensor, widest: tf.Tensor) -> tuple:
            batch = {k: tf.gather(x, which)[:, :widest] for k, x in rows.items()}
            return (self._score({**batch, "size": size}),)

        cells = min(config.decode_cells, _LOGITS // len(self._vocabulary))
        nothing = tf.zeros(tf.shape(size))
        (log_p,) = in_packs(work, size, max(cells, 1), [nothing])
        too_long = source_cut | target_cut
        return {"log_probability": log_p, "size": size, "too_long": too_long}

    def tokenize(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """The symbols of texts, string [batch], neither GO nor EOS among them.

        Returns:
            symbols, int32 [batch, n], PAD behind them; length, int32 [batch], how many
            they are; too_long, bool [batch], whether they are more than is translated,
            or `max_text_bytes` cut them off.
        """
        legal, cut = cut_texts(text, self.limits)
        symbols = self.translator.tokenizer.tokenize(legal)
        length = tf.cast(symbols.row_lengths(), tf.int32)
        too_long = cut | (length > self.translator.config.max_source_length)
        return {"symbols": symbols.to_tensor(), "length": length, "too_long": too_long}

    def detokenize(self, symbols: tf.Tensor) -> dict[str, tf.Tensor]:
        """The texts of symbols, int32 [batch, n]; an EOS ends a text, PAD is nothing.

        Returns:
            text, string [batch].

        Raises:
            tf.errors.InvalidArgumentError: when it runs; a number is no symbol's, or
                there are more of them in a row than `tokenize` makes of a text.
        """
        # A byte that is not UTF-8 is read as U+FFFD, and that may be spelled.
        most = _REPLACEMENT * self.limits.max_text_bytes
        last = len(self._vocabulary) - 1
        symbols, columns = check_texts(symbols, self.limits), tf.shape(symbols)[1]
        legal = columns <= most
        symbols = checked(symbols, legal, f"{{}} symbols: at most {most}", columns)
        wrong = tf.boolean_mask(symbols, (symbols < 0) | (symbols > last))[:1]
        message = f"symbol {{}}: symbols are 0 to {last}"
        symbols = checked(symbols, tf.equal(tf.size(wrong), 0), message, wrong)
        return {"text": self.translator.tokenizer.detokenize(symbols)}

    def too_long(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Whether the end of each text, string [batch], is not translated."""
        legal, cut = cut_texts(text, self.limits)
        return {"too_long": cut | self.translator.too_long(legal)}

    @property
    def longest_source_columns(self) -> int:
        """Columns of all canvases that a source of `max_source_length` takes."""
        longest = tf.constant([self.translator.config.max_source_length])
        return int(tf.reduce_sum(self._sizes(longest)))

    def _legal(self, text: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The texts that are translated, and whether each was cut."""
        legal, cut = cut_texts(text, self.limits)
        length = self.translator.tokenizer.tokenize(legal).row_lengths()
        length = tf.minimum(length, self.translator.config.max_source_length)
        return check_work(legal, self._sizes(length), self.limits), cut

    def _sizes(self, length: tf.Tensor) -> tf.Tensor:
        """The canvases to try, int32 [batch, candidates]; if predicted, the largest."""
        config, model = self.translator.config, self.translator.model
        sizes = candidate_sizes(length, config, model.sized)
        if config.sizes == "predicted" and model.sized:
            largest = tf.sort(sizes, axis=1, direction="DESCENDING")
            return largest[:, : config.tried_sizes]
        return sizes

    @property
    def _vocabulary(self) -> Vocabulary:
        return self.translator.tokenizer.vocabulary

    def _symbols(self, text: tf.Tensor, most: int) -> tuple[tf.RaggedTensor, tf.Tensor]:
        """At most so many symbols of each text, and whether there are more."""
        legal, cut = cut_texts(text, self.limits)
        symbols = self.translator.tokenizer.tokenize(legal)
        return symbols[:, :most], cut | (symbols.row_lengths() > most)


def _finite(outputs: dict[str, tf.Tensor]) -> dict[str, tf.Tensor]:
    """The outputs, `NO_SCORE` in the place of -inf."""
    return {
        name: tf.maximum(x, NO_SCORE) if x.dtype == tf.float32 else x
        for name, x in outputs.items()
    }
