"""What became of a text: all sizes that were tried, and what the model looked at."""

import keras
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.decoding.decoded import Decoded
from neural_gpu_tf.decoding.size_search import (
    best_distinct,
    decode_sizes,
    on_columns,
    sizes_to_try,
)
from neural_gpu_tf.inference import Translator


def explain(
    translator: Translator, source: tf.Tensor, length: tf.Tensor
) -> dict[str, tf.Tensor]:
    """Translates sources and tells how, in core TensorFlow ops; nothing is sampled.

    Args:
        translator: whose model and decoding options are used.
        source: symbols int32 [batch, n], PAD behind a source.
        length: |source|, int32 [batch].

    Returns:
        text, string [batch]: the best output of all sizes;
        sizes, int32 [batch, c]: those that were tried, 0 behind them;
        size_text, string, and size_score, float32 [batch, c]: the best output of each
        size and its score (-inf and "" where there is none), see `n_best_search`;
        size_finished, bool [batch, c]: whether that output ended with EOS;
        source_symbols, string [batch, n]: as a vocabulary file spells them; "" behind;
        target_symbols, string [batch, m]: of the best output, its EOS too;
        alignment, float32 [batch, m, n], if the model `aligns`: the weight of each
        symbol of the source in each of the output.
    """
    model, config = translator.model, translator.config
    sizes = sizes_to_try(model, source, length, config, translator.size_predictor)
    outputs = decode_sizes(model, source, sizes, config)
    best = best_distinct(outputs, 1).best
    firsts = Decoded(*(x[:, :: config.n_best] for x in outputs))  # of each size
    spelled = tf.constant(translator.tokenizer.vocabulary.symbols)
    names = tf.tensor_scatter_nd_update(spelled, [[PAD]], [""])
    columns = tf.maximum(tf.shape(best.symbols)[1], 1)  # no model takes none
    source, target = on_columns(source, columns), on_columns(best.symbols, columns)
    explained = {
        "text": translator.tokenizer.detokenize(best.symbols),
        "sizes": sizes,
        "size_text": translator.texts(firsts.symbols),
        "size_score": tf.where(sizes > 0, firsts.score, float("-inf")),
        "size_finished": (sizes > 0) & firsts.finished,
        "source_symbols": tf.gather(names, source),
        "target_symbols": tf.gather(names, target),
    }
    if model.aligns:
        explained["alignment"] = _alignment(model, source, target, best.size)
    return explained


def _alignment(
    model: keras.Model, source: tf.Tensor, target: tf.Tensor, size: tf.Tensor
) -> tf.Tensor:
    """The model's alignments of outputs that are not empty, 0 where no symbol is."""
    weights = model.alignments(source, target, tf.maximum(size, 1))
    there = tf.cast(target != PAD, weights.dtype)[:, :, None]
    return tf.cast(tf.where(there > 0, weights * there, 0), tf.float32)
