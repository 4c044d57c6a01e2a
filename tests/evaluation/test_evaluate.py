import json
import math

import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.evaluation import Perplexity, Surprisal, evaluate

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


@pytest.fixture(scope="module")
def targets():
    """For 3 of 5 sources what the model says itself, as plain text."""
    texts = tiny.translator().translate(tf.constant(SOURCES))["text"].numpy()
    own = [text.decode() for text in texts]
    return [own[0], "two six", own[2], "five, six", own[4]]


@pytest.fixture(scope="module")
def result(targets):
    return evaluate(tiny.model(), tiny.tokenizer(), tiny.DECODING, SOURCES, targets)


def test_scores_the_models_own_translations(result):
    # Fed with references it would say other things: it is free-running.
    assert result["exact_match"] == 3 / 5
    assert 0 < result["chrf"] < 100
    assert result["examples"] == 5
    assert result["sources_cut"] == 1
    assert result["symbols_per_second"] > 0


def test_is_json(result):
    assert set(result) == FIELDS
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_perplexity_per_symbol_and_per_word(result, targets):
    perplexity = Perplexity(tiny.model())
    nats = symbols = 0
    for source, target in zip(SOURCES, targets, strict=True):
        source = tiny.tokenizer().tokenize(source).numpy().tolist()
        target = [*tiny.tokenizer().tokenize(target).numpy().tolist(), EOS]
        size = max(len(source), len(target))
        canvas = [[*row, *[0] * (size - len(row))] for row in (source, target)]
        nats += perplexity(
            [
                {
                    "source": tf.constant([canvas[0]]),
                    "target": tf.constant([canvas[1]]),
                    "size": tf.constant([size]),
                }
            ]
        ).nats
        symbols += len(target)
    words = sum(len(target.split()) for target in targets) + 5  # and an end each
    assert words < symbols
    assert result["perplexity_symbol"] == pytest.approx(
        math.exp(nats / symbols), rel=1e-4
    )
    assert result["perplexity_word"] == pytest.approx(math.exp(nats / words), rel=1e-4)


def test_what_is_no_number_is_none(monkeypatch):
    names = evaluate.__globals__
    monkeypatch.setitem(names, "Translator", lambda *_, **__: tiny.translator())
    monkeypatch.setitem(
        names, "Perplexity", lambda _: lambda _: Surprisal(float("nan"), 1)
    )
    result = evaluate(None, tiny.tokenizer(), tiny.DECODING, ["two"], ["six"])
    assert result["perplexity_symbol"] is None
    json.dumps(result, allow_nan=False)
