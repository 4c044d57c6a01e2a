import random
from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf
import tiny

from benchmarks import canvas_probe, diagnosis
from neural_gpu_tf.constants import PAD
from neural_gpu_tf.models.losses import cross_entropy
from neural_gpu_tf.options import DataConfig

SOURCES = ["two six", "six", "two five six two", "five five five five two two two"]
TARGETS = ["six two", "two", "two six", "five"]


def run_of(model):
    config = SimpleNamespace(data=DataConfig())
    return SimpleNamespace(model=model, tokenizer=tiny.tokenizer(), config=config)


@pytest.fixture(scope="module")
def batches():
    run = run_of(tiny.model())
    return list(diagnosis.batches(run, 9 * SOURCES, 9 * TARGETS, at_once=3))


def test_batches_are_of_one_size_and_hold_each_pair(batches):
    assert sum(len(batch["size"]) for batch in batches) == 9 * len(SOURCES)
    for batch in batches:
        size = batch["source"].shape[1]
        assert {*batch["size"].tolist()} == {size}
        filled = np.maximum(
            (batch["source"] != PAD).sum(1), (batch["target"] != PAD).sum(1)
        )
        assert (filled == size).all() and len(filled) <= 3


def test_the_loss_is_the_models_and_so_is_its_gradient(batches):
    model, batch = tiny.model(), batches[0]
    with tf.GradientTape() as tape:
        encoded, decoded, loss = canvas_probe.canvases(model, batch, tape)
    steps = batch["source"].shape[1]
    assert len(encoded) == len(decoded) == steps + 1
    nats = cross_entropy(
        model({k: tf.constant(x) for k, x in batch.items()}), batch["target"]
    )
    expected = tf.reduce_mean(tf.boolean_mask(nats, batch["target"] != PAD))
    np.testing.assert_allclose(loss, expected, rtol=1e-5)
    trace = model.encode(
        tf.constant(batch["source"]), tf.constant(batch["size"]), trace=True
    )
    np.testing.assert_allclose(np.swapaxes(tf.stack(encoded), 2, 3), trace, atol=1e-6)
    # What leaves the encoder enters the decoder.
    at_border = tape.gradient(loss, [encoded[-1], decoded[0]])
    np.testing.assert_allclose(*at_border, rtol=1e-5, atol=1e-7)


def test_norms_by_step(batches):
    found = canvas_probe.gradient_norms(tiny.model(), batches[0])
    size = found["size"]
    assert len(found["encoder"]) == len(found["decoder"]) == size + 1
    assert found["encoder"][-1] == found["decoder"][0] > 0
    # Of the last canvas only the column that is read counts.
    assert 0 < found["decoder"][-1] < found["decoder"][0] * 100


def test_the_probe_finds_what_is_there_and_nothing_in_noise(batches, monkeypatch):
    found = canvas_probe.probe(tiny.model(), batches)
    assert found["s_0"] == 1.0 and found["most_frequent"] < 1.0
    assert set(found) == {
        "s_0",
        "s_n/4",
        "s_n/2",
        "s_n",
        "d_n/2",
        "d_n",
        "most_frequent",
    }
    generator = np.random.default_rng(0)

    def noise(model, batch, tape):
        shape = len(batch["size"]), 2, batch["source"].shape[1], 8
        states = [tf.constant(generator.normal(size=shape)) for _ in range(9)]
        return states, states, 0.0

    monkeypatch.setattr(canvas_probe, "canvases", noise)
    assert canvas_probe.probe(tiny.model(), batches)["s_0"] < 0.6


def test_sources_exchanged_and_shortened():
    assert sorted(diagnosis.exchanged(SOURCES)) == sorted(SOURCES)
    assert all(
        a != b for a, b in zip(diagnosis.exchanged(SOURCES), SOURCES, strict=True)
    )
    assert diagnosis.exchanged(SOURCES)[1] == "two six"
    for text in SOURCES:
        words = diagnosis.removed(text, random.Random(0)).split()
        assert len(words) == max(1, len(text.split()) - 1)


def test_a_model_that_does_not_read_is_equally_perplexed():
    found = diagnosis.reading(run_of(tiny.model()), SOURCES, TARGETS)
    assert found["own"] != found["another's"]
    assert [row[2] for row in found["by_words"]] == [3, 1]
    deaf = tiny.new_model(len(tiny.vocabulary()))
    deaf.source_embedding.embeddings.assign(0 * deaf.source_embedding.embeddings)
    found = diagnosis.reading(run_of(deaf), 4 * ["two"], TARGETS)
    assert found["own"] == found["another's"] == found["one word less"]
