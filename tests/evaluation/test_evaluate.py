import json
import math

import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.evaluation import Perplexity, evaluate
from neural_gpu_tf.text import EOS

SOURCES = ["two thousand, five", "six", "", "two six five " * 4, "now"]
FIELDS = {
    "examples",
    "exact_match",
    "bleu",
    "bleu_signature",
    "chrf",
    "chrf_signature",
    "perplexity_symbol",
    "perplexity_word",
    "sources_cut",
    "symbols_per_second",
}


def run(model, targets):
    return evaluate(model, tiny.tokenizer(), tiny.DECODING, SOURCES, targets)


def test_the_models_own_translations_are_right_whatever_the_order_within():
    texts = tiny.translator().translate(tf.constant(SOURCES))["text"].numpy().tolist()
    own = [text.decode() for text in texts]
    result = run(tiny.model(), own)
    assert set(result) == FIELDS
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["examples"] == 5
    assert result["exact_match"] == 1
    assert result["sources_cut"] == 1
    assert result["symbols_per_second"] > 0
    # With other references the translations stay the same, as no reference is fed in.
    others = [own[0], "two", own[2], "five, six", own[4]]
    assert run(tiny.model(), others)["exact_match"] == 3 / 5


def test_perplexity_per_symbol_and_per_word():
    targets = ["two thousand, two", "five", "six", "two six", ""]
    result = run(tiny.model(), targets)
    nats = symbols = 0
    for source, target in zip(SOURCES, targets, strict=True):
        source, target = (
            tiny.tokenizer().tokenize(text).numpy() for text in (source, target)
        )
        target = [*target, EOS]
        size = max(len(source), len(target))
        pad = lambda row: tf.constant([[*row, *[0] * (size - len(row))]], tf.int32)  # noqa: B023, E731
        batch = {
            "source": pad(source),
            "target": pad(target),
            "size": tf.constant([size]),
        }
        nats += Perplexity(tiny.model())([batch]).nats
        symbols += len(target)
    assert result["perplexity_symbol"] == pytest.approx(
        math.exp(nats / symbols), rel=1e-5
    )
    words = 3 + 1 + 1 + 2 + 0 + 5  # white space, and an end each
    assert result["perplexity_word"] == pytest.approx(math.exp(nats / words), rel=1e-5)


def test_a_broken_model_still_gives_json():
    model = tiny.new_model(len(tiny.vocabulary()))
    kernel = model.layers[-1].kernel  # O
    kernel.assign(float("nan") * kernel)
    result = run(model, ["two"] * 5)
    assert result["perplexity_symbol"] is None
    json.dumps(result, allow_nan=False)
