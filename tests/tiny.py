"""A tiny model with random weights, its tokenizer and its translator."""

import functools

import keras

from neural_gpu_tf.inference import Translator
from neural_gpu_tf.models import build_model
from neural_gpu_tf.options import DecodingConfig, ModelConfig
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary

MODEL = ModelConfig(maps=8, width=2, layers=1, kernel_gain=1.4, embedding_range=1.0)
DECODING = DecodingConfig(max_source_length=9, decode_cells=64)


def new_model(vocabulary_size, config=MODEL):
    """A model whose logits are far apart, so that rounding changes no symbol."""
    keras.utils.set_random_seed(7)
    model = build_model(config, vocabulary_size)
    kernel = [x for x in model.layers if hasattr(x, "kernel")][-1].kernel  # O
    kernel.assign(6 * kernel)
    return model


@functools.cache
def vocabulary():
    return Vocabulary(list("aeinorstw"), ["five", "six", "two", "thousand", ", "])


@functools.cache
def tokenizer():
    return SpellOutTokenizer(vocabulary())


@functools.cache
def model():
    return new_model(len(vocabulary()))


@functools.cache
def translator():
    return Translator(model(), tokenizer(), DECODING)
