"""Runs that begin with the weights of another, of the same symbols or of others."""

import numpy as np
import oracles
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import MODELS, build_model
from neural_gpu_tf.options import (
    CurriculumConfig,
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
)
from neural_gpu_tf.runs import RunConfig, RunDirectory
from neural_gpu_tf.runs.first_weights import load_first_weights, shared_symbols
from neural_gpu_tf.tasks import TASKS
from neural_gpu_tf.weights import save_weights

QUICK = ("attention_seq2seq", "diagonal_neural_gpu", "pooled_neural_gpu")
SMALL = {"maps": 4, "width": 2, "layers": 1, "units": 4, "embedding_size": 3}


def config(task, name, init_from=""):
    return RunConfig(
        DataConfig(),
        ModelConfig(model=name, **SMALL),
        TrainingConfig(init_from=str(init_from)),
        DecodingConfig(),
        TASKS[task].vocabulary_size,
        "",
        CurriculumConfig(task=task),
    )


def new_model(options):
    return oracles.randomize(build_model(options.model, options.vocabulary_size))


def begun(path, task, name):
    """A run of random weights, and its model."""
    options, directory = config(task, name), RunDirectory(path)
    directory.path.mkdir()
    directory.write_config(options)
    model = new_model(options)
    for weight in model.weights:
        weight.assign(1.25 * weight)
    save_weights(model, directory.weights("best"))
    return model


def rows(task, texts):
    """Strings of one length, by the task's symbols."""
    names = TASKS[task].symbols
    return np.array([[names.index(x) for x in text] for text in texts], "int32")


def logits(model, task, source, target):
    source, target = rows(task, source), rows(task, target)
    size = np.full(len(source), source.shape[1], "int32")
    return np.array(model({"source": source, "target": target, "size": size}))


@pytest.mark.parametrize(
    "there, here, name",
    [
        pytest.param(
            *("modular-brackets", "solve-equation", name),
            marks=[] if name in QUICK else pytest.mark.slow,
        )
        for name in MODELS
    ]
    + [
        ("binary-multiplication", "bmul", "attention_seq2seq"),
        # Others, as many, in other places; the decoders begin with symbol 1.
        ("parity-check", "missing-duplicate", "neural_gpu"),
    ],
)
def test_what_both_tasks_have_means_the_same(there, here, name, tmp_path):
    other = begun(tmp_path / "there", there, name)
    options = config(here, name, tmp_path / "there")
    model = new_model(options)
    load_first_weights(options, model)
    pairs = shared_symbols(options.symbols, TASKS[there].symbols)
    both = [options.symbols[ours] for ours, _ in pairs]
    assert "_" in both and both == [TASKS[there].symbols[i] for _, i in pairs]
    letters = np.random.default_rng(0).choice(both, [2, 3, 6])
    ours, theirs = np.array(pairs).T
    found = logits(model, here, *letters)[..., ours]
    expected = logits(other, there, *letters)[..., theirs]
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_what_is_new_keeps_its_weights(tmp_path):
    other = begun(tmp_path / "there", "modular-brackets", "diagonal_neural_gpu")
    options = config("solve-equation", "diagonal_neural_gpu", tmp_path / "there")
    model = new_model(options)
    embedding, *between, kernel = (np.array(x) for x in model.weights)
    load_first_weights(options, model)
    news = [options.symbols.index(symbol) for symbol in "x="]
    shared = [i for i in range(len(options.symbols)) if i not in news]
    rows, *found, columns = (np.array(x) for x in model.weights)
    np.testing.assert_array_equal(rows[news], embedding[news])
    np.testing.assert_array_equal(columns[:, news], kernel[:, news])
    assert np.all(rows[shared] != embedding[shared])
    assert np.all(columns[:, shared] != kernel[:, shared])
    assert len(found) == len(between) == len(other.weights) - 2
    for one, of in zip(found, other.weights[1:-1], strict=True):
        np.testing.assert_array_equal(one, of)


def test_the_same_symbols_are_all_taken(tmp_path):
    other = begun(tmp_path / "there", "badd", "neural_gpu")
    options = config("qadd", "neural_gpu", tmp_path / "there")
    model = new_model(options)
    load_first_weights(options, model)
    for one, of in zip(model.weights, other.weights, strict=True):
        np.testing.assert_array_equal(one, of)


def test_nothing_is_loaded_unasked():
    options = config("badd", "neural_gpu")
    model = new_model(options)
    before = [np.array(x) for x in model.weights]
    load_first_weights(options, model)
    assert all(map(np.array_equal, before, model.weights))


def test_the_first_of_a_name_is_the_first():
    assert shared_symbols("_+a+", "_b++") == [(0, 0), (1, 2), (3, 3)]
    assert shared_symbols("_+", "_++") == [(0, 0), (1, 1)]
    assert shared_symbols("_++", "_+") == [(0, 0), (1, 1)]


def test_pad_is_shared_whatever_its_name():
    assert shared_symbols(".xy", "_01") == [(0, 0)]
    assert shared_symbols(".x_", "_0x") == [(0, 0), (1, 2)]


def test_weights_that_are_missing_are_named(tmp_path):
    begun(tmp_path / "there", "modular-brackets", "neural_gpu")
    RunDirectory(tmp_path / "there").weights("best").unlink()
    options = config("solve-equation", "neural_gpu", tmp_path / "there")
    with pytest.raises(InputError, match="best.weights.h5: missing"):
        load_first_weights(options, new_model(options))
