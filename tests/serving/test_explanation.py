import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.constants import EOS, PAD
from neural_gpu_tf.decoding import n_best_search
from neural_gpu_tf.decoding.size_search import best_distinct, decode_sizes
from neural_gpu_tf.inference import Translator
from neural_gpu_tf.options import ModelConfig, ServingConfig
from neural_gpu_tf.serving.translator_signatures import NO_SCORE, TranslatorSignatures

TEXTS = ["two six five", "", "rat", "two six five " * 9]
ATTENTIVE = ModelConfig(
    model="attention_seq2seq", units=5, embedding_size=4, layers=1, kernel_gain=1.4
)


DECODING = dataclasses.replace(tiny.DECODING, max_source_length=6)


def explanations(translator):
    """`explain`, from texts to arrays by name."""
    function = TranslatorSignatures(translator, ServingConfig()).explain
    traced = tf.function(function, input_signature=[tf.TensorSpec([None], tf.string)])

    def explain(texts):
        found = traced(tf.constant(texts, tf.string))
        return {name: values.numpy() for name, values in found.items()}

    return explain


@pytest.mark.parametrize("beam", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_every_size_that_is_tried_and_the_best(beam):
    config = dataclasses.replace(DECODING, beam=beam, n_best=beam)
    translator = Translator(tiny.model(), tiny.tokenizer(), config)
    found, best = explanations(translator)(TEXTS), translator.translate(TEXTS)
    np.testing.assert_array_equal(found["text"], best["text"])
    assert "alignment" not in found
    source, length = translator.read(tf.constant(TEXTS))
    for i, n in enumerate(length.numpy()):
        sizes = [x for x in found["sizes"][i] if x]
        assert sizes == (list(range(n, 2 * n + 1)) if n else [])
        assert not found["size_finished"][i, len(sizes) :].any()
        assert (found["size_score"][i, len(sizes) :] == NO_SCORE).all()

    @tf.function(reduce_retracing=True)
    def on_one_canvas(size):
        every = decode_sizes(tiny.model(), source, size[:, None], config)
        one = best_distinct(every, 1)
        text = translator.tokenizer.detokenize(one.symbols[:, 0])
        return text, one.score[:, 0], one.finished[:, 0]

    for j, size in enumerate(found["sizes"].T):
        text, score, finished = (x.numpy()[size > 0] for x in on_one_canvas(size))
        assert [*found["size_text"][size > 0, j]] == [*text]
        np.testing.assert_allclose(found["size_score"][size > 0, j], score, 1e-4)
        assert [*found["size_finished"][size > 0, j]] == [*finished]


def test_what_the_model_looked_at():
    model = tiny.new_model(len(tiny.vocabulary()), ATTENTIVE)
    translator = Translator(model, tiny.tokenizer(), DECODING)
    explain = explanations(translator)
    found = explain(TEXTS)
    symbols = tiny.vocabulary().symbols
    source, length = translator.read(tf.constant(TEXTS))
    best = n_best_search(model, source, length, DECODING).best
    for i, n in enumerate(length.numpy()):
        read = [name for name in found["source_symbols"][i].astype(str) if name]
        assert read == [symbols[s] for s in source[i].numpy() if s != PAD]
        said = [name for name in found["target_symbols"][i].astype(str) if name]
        assert said == [symbols[s] for s in best.symbols[i].numpy() if s != PAD]
        weights = found["alignment"][i]
        np.testing.assert_allclose(weights[: len(said), :n].sum(1), 1, atol=1e-5)
        assert not weights[len(said) :].any() and not weights[:, n:].any()
    assert symbols[EOS] in found["target_symbols"].astype(str)
    for nothing in ([""], []):  # on no column at all
        alone = explain(nothing)
        assert alone["text"].tolist() == [b""] * len(nothing)
        assert not alone["alignment"].any() and not alone["sizes"].any()
