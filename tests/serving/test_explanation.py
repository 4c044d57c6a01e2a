import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.constants import EOS, PAD
from neural_gpu_tf.decoding import n_best_search
from neural_gpu_tf.inference import Translator
from neural_gpu_tf.options import ModelConfig, ServingConfig
from neural_gpu_tf.serving.translator_signatures import TranslatorSignatures

TEXTS = ["two six five", "", "rat", "two six five " * 9]
ATTENTIVE = ModelConfig(
    model="attention_seq2seq", units=5, embedding_size=4, layers=1, kernel_gain=1.4
)


def explained(translator, texts=TEXTS):
    function = TranslatorSignatures(translator, ServingConfig()).explain
    traced = tf.function(function, input_signature=[tf.TensorSpec([None], tf.string)])
    texts = tf.constant(texts, tf.string)
    return {name: x.numpy() for name, x in traced(texts).items()}


@pytest.mark.parametrize("beam", [1, 3])
def test_every_size_that_is_tried_and_the_best(beam):
    config = dataclasses.replace(tiny.DECODING, beam=beam, n_best=beam)
    translator = Translator(tiny.model(), tiny.tokenizer(), config)
    found, best = explained(translator), translator.translate(TEXTS)
    np.testing.assert_array_equal(found["text"], best["text"])
    assert "alignment" not in found
    source, length = translator.read(tf.constant(TEXTS))
    for i, n in enumerate(length.numpy()):
        sizes = [x for x in found["sizes"][i] if x]
        assert sizes == (list(range(n, 2 * n + 1)) if n else [])
        assert not found["size_finished"][i, len(sizes) :].any()
        assert np.isneginf(found["size_score"][i, len(sizes) :]).all()
        # On one canvas alone: a ratio and a margin that leave no other.
        for j, size in enumerate(sizes):
            one = dataclasses.replace(config, max_size_ratio=1, size_margin=size - n)
            alone = dataclasses.replace(one, sizes="2")
            outputs = n_best_search(
                tiny.model(), source[i : i + 1], length[i : i + 1], alone
            )
            if size == outputs.size[0, 0]:
                text = translator.tokenizer.detokenize(outputs.symbols[:, 0])[0]
                assert found["size_text"][i, j] == text.numpy()
                score = outputs.score[0, 0]
                np.testing.assert_allclose(found["size_score"][i, j], score, 1e-4)
                assert found["size_finished"][i, j] == outputs.finished[0, 0].numpy()


def test_what_the_model_looked_at():
    model = tiny.new_model(len(tiny.vocabulary()), ATTENTIVE)
    translator = Translator(model, tiny.tokenizer(), tiny.DECODING)
    found = explained(translator)
    symbols = tiny.vocabulary().symbols
    source, length = translator.read(tf.constant(TEXTS))
    best = n_best_search(model, source, length, tiny.DECODING).best
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
        alone = explained(translator, nothing)
        assert alone["text"].tolist() == [b""] * len(nothing)
        assert not alone["alignment"].any() and not alone["sizes"].any()
