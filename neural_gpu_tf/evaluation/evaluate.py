"""Everything that is measured of a model on sentence pairs."""

import math
import time
from collections.abc import Sequence

import keras
import tensorflow as tf

from neural_gpu_tf import text
from neural_gpu_tf.data import evaluation_batches
from neural_gpu_tf.decoding import SizePredictor
from neural_gpu_tf.evaluation.perplexity import Perplexity
from neural_gpu_tf.evaluation.scores import scores
from neural_gpu_tf.inference import Translator, translate_all
from neural_gpu_tf.options import DataConfig, DecodingConfig


def evaluate(
    model: keras.Model,
    tokenizer: "text.SpellOutTokenizer",
    decoding_config: DecodingConfig,
    sources: Sequence[str],
    targets: Sequence[str],
    data_config: DataConfig | None = None,
    size_predictor: SizePredictor | None = None,
) -> dict:
    """Translates sources, free-running, and measures against the targets.

    Args:
        model: a trained model.
        tokenizer: that it was trained with.
        decoding_config: how to translate.
        sources: sentences, at least one.
        targets: their references.
        data_config: its buckets are those of the perplexity.
        size_predictor: for `decoding_config.sizes` = predicted.

    Returns:
        For JSON; what is not a finite number is None:
            examples: how many sentences.
            exact_match, bleu, bleu_signature, chrf, chrf_signature: see `scores`.
            perplexity_symbol, perplexity_word: see `Perplexity`.
            sources_cut: sources longer than `max_source_length`, whose end was cut
                off (but not for the perplexity).
            symbols_per_second: symbols of the translations, an EOS each included.
    """
    return translate_and_evaluate(
        model,
        tokenizer,
        decoding_config,
        sources,
        targets,
        data_config,
        size_predictor,
    )[1]


def translate_and_evaluate(
    model: keras.Model,
    tokenizer: "text.SpellOutTokenizer",
    decoding_config: DecodingConfig,
    sources: Sequence[str],
    targets: Sequence[str],
    data_config: DataConfig | None = None,
    size_predictor: SizePredictor | None = None,
) -> tuple[list[str], dict]:
    """The translations, and what `evaluate` measures, of one decoding."""
    translator = Translator(
        model, tokenizer, decoding_config, size_predictor=size_predictor
    )
    translator.translate(tf.constant([], tf.string))  # traces
    start = time.perf_counter()
    translations = [
        translation.text for translation in translate_all(translator.translate, sources)
    ]
    seconds = time.perf_counter() - start
    symbols = tokenizer.tokenize(translations).flat_values.shape[0] + len(translations)
    surprisal = Perplexity(model)(
        evaluation_batches(
            _Pairs(sources, targets), tokenizer, data_config or DataConfig()
        )
    )
    words = sum(len(target.split()) + 1 for target in targets)
    result = {
        "examples": len(sources),
        **scores(translations, targets),
        "perplexity_symbol": surprisal.perplexity(surprisal.symbols),
        "perplexity_word": surprisal.perplexity(words),
        "sources_cut": int(tf.math.count_nonzero(translator.too_long(list(sources)))),
        "symbols_per_second": symbols / seconds,
    }
    return translations, {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in result.items()
    }


class _Pairs:
    """Sentence pairs in memory, for `evaluation_batches`."""

    def __init__(self, sources: Sequence[str], targets: Sequence[str]):
        self._pairs = (list(sources), list(targets))

    def dataset(self, split: str) -> tf.data.Dataset:
        return tf.data.Dataset.from_tensor_slices(self._pairs)
