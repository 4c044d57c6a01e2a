import dataclasses
import json
import shutil

import keras
import numpy as np
import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.decoding.compare_sizes import compare_sizes
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import Ensemble, SizeReadout
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.runs import (
    RunDirectory,
    load_run,
    load_size_predictor,
    run_translator,
)
from neural_gpu_tf.weights import save_weights
from neural_gpu_tf.workflows import fit_sizes
from neural_gpu_tf.workflows.fit_sizes import _fit, _make_default, _same, _Sizes

PREDICTED = DecodingConfig(sizes="predicted")
ALL = DecodingConfig(size_margin=20)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """200 lines: two words, or none, or more than decoding takes.

    Before them there are more blank ones than are decoded together.
    """
    path = tmp_path_factory.mktemp("lines") / "source"
    words = np.random.default_rng(0).choice(["two", "six", "five"], (200, 2))
    lines = [" ".join(two) for two in words]
    lines[3], lines[5] = "", "two " * 10
    path.write_text("\n" * 150 + "".join(f"{line}\n" for line in lines))
    return str(path)


@pytest.fixture(scope="module")
def fitted(run_dir, source, tmp_path_factory):
    path = tmp_path_factory.mktemp("fitted") / "run"
    shutil.copytree(run_dir, path)
    return path, fit_sizes(path, source)


def test_what_a_fitted_run_predicts(fitted):
    path, result = fitted
    assert (result["examples"], result["held_out"]) == (180, 19)
    assert result["default"] is None  # of 19 nobody can tell
    run = load_run(path)
    symbols = tf.cast(
        run.tokenizer.tokenize(["two six", "five two"]).to_tensor(), "int32"
    )
    length = tf.fill([2], 2)
    q = compare_sizes(run.model, symbols, length, tiny.DECODING).share.numpy()
    predictor = load_size_predictor(run, PREDICTED)
    assert predictor.readout.choices == 10  # of a source of 9 symbols
    p = np.exp(predictor(symbols, length, 64))
    assert np.abs(p[:, :3] - q).max() < 0.1 < q.max() - 1 / 3
    assert result["nats"] < 0.5 < np.log(10)
    assert result["same"][8] == 1 >= result["same"][2] >= result["same"][1]


def test_the_fit_finds_what_features_and_length_tell():
    """Shares that are the softmax of a random readout, of sources not seen before."""
    random = np.random.default_rng(0)
    true, found = (SizeReadout(5, 4, longest=3) for _ in range(2))
    true.set_weights([2 * random.normal(size=w.shape) for w in true.get_weights()])

    def sizes(count):
        h = random.normal(size=(count, 5)).astype(np.float32)
        length = random.integers(1, 9, count).astype(np.int32)
        q = np.exp(true({"features": h, "length": length}))
        return _Sizes(h, length, q, q == q.max(axis=1, keepdims=True))

    unseen = sizes(100)
    entropy = -np.sum(unseen.share * np.log(unseen.share), axis=1).mean()
    assert entropy < 0.8 and _same(found, unseen, 1, ALL) < 0.5  # even: log 4 = 1.39
    nats = _fit(found, sizes(300), unseen)
    assert entropy <= nats + 1e-6 and nats < entropy + 0.05
    assert _same(found, unseen, 1, ALL) > 0.9 and _same(found, unseen, 4, ALL) == 1


def test_what_did_not_end_is_tried_as_decoding_does():
    """On the likeliest canvas no output ends: that is another than on all."""
    readout = SizeReadout(2, 3, longest=3)
    kernel, *rest = readout.get_weights()
    readout.set_weights([np.zeros_like(kernel), *map(np.zeros_like, rest)])
    decoding = DecodingConfig(max_size_ratio=1.0, size_margin=1)  # 2 of 3 are legal
    unseen = _Sizes(
        features=np.zeros((1, 2), np.float32),
        length=np.array([2], np.int32),
        share=np.array([[0.0, 1.0, 0.0]], np.float32),
        agrees=np.array([[False, True, False]]),
    )
    same = [_same(readout, unseen, tried, decoding) for tried in (1, 2, 3)]
    assert same == [0, 1, 1]  # of equally likely ones the smaller is tried first
    # Its output may be the right one all the same, without room for an EOS.
    agrees = np.array([[True, True, False]])
    assert _same(readout, unseen._replace(agrees=agrees), 1, decoding) == 1
    # The likeliest of all is a size that decoding does not try.
    readout.set_weights([kernel * 0, *(x * 0 + [0, 0, 9] for x in rest)])
    assert _same(readout, unseen, 1, decoding) == 0


def test_the_readout_that_is_kept_is_the_one_of_the_figure():
    """The fit goes on for a while after the best one; few sources are overfitted."""
    random = np.random.default_rng(0)

    def sizes(number):
        features = random.normal(size=(number, 5)).astype(np.float32)
        length = random.integers(1, 9, number).astype(np.int32)
        share = random.dirichlet(np.full(4, 0.2), number).astype(np.float32)
        return _Sizes(features, length, share, share == share.max(1, keepdims=True))

    readout, unseen = SizeReadout(5, 4, longest=3), sizes(40)
    nats = _fit(readout, sizes(20), unseen)
    log_p = readout({"features": unseen.features, "length": unseen.length})
    expected = -np.mean(np.sum(unseen.share * log_p, axis=1))
    assert nats == pytest.approx(expected, rel=1e-5)


def test_its_translator_tries_these_sizes(fitted):
    run = load_run(fitted[0])
    texts = tf.constant(["six six", "five", ""])
    translator = run_translator(run, {"sizes": "predicted", "tried_sizes": 1})
    size = translator.translate(texts)["size"].numpy()
    symbols = tf.cast(run.tokenizer.tokenize(texts).to_tensor(), tf.int32)
    log_p = translator.size_predictor(symbols, tf.constant([2, 1, 0]), 64).numpy()
    assert size.tolist() == [2 + log_p[0, :3].argmax(), 1 + log_p[1, :2].argmax(), 0]
    assert run_translator(run).size_predictor is None


@pytest.mark.parametrize("sizes", ["all", "16"])
def test_few_sizes_that_lose_nothing_are_the_default(run_dir, tmp_path, sizes):
    path = tmp_path / "run"
    shutil.copytree(run_dir, path)
    directory = RunDirectory(path)
    config = directory.read_config()
    own = dataclasses.replace(config.decoding, sizes=sizes, tried_sizes=5)
    directory.write_config(dataclasses.replace(config, decoding=own))
    directory.write_decoding({"beam": 3})

    def default(*arguments):
        made = _make_default(directory, *arguments)
        decoding = load_run(path).config.decoding
        assert decoding.beam == 3
        return made, decoding.sizes, decoding.tried_sizes

    same = {1: 0.99, 2: 0.999, 8: 1.0}
    assert default(99, same) == (None, sizes, 5)
    assert default(100, same) == (2, "predicted", 2)
    assert default(100, {1: 0.99, 2: 0.998, 8: 1.0}) == (8, "predicted", 8)
    assert default(100, {1: 0.5, 8: 0.9}) == (None, sizes, 5)


def test_an_ensemble_asks_its_first_run(fitted):
    run = load_run(fitted[0])
    both = run._replace(model=Ensemble([run.model, tiny.model()]))
    assert load_size_predictor(both, PREDICTED).model is run.model


def fault(call, *arguments):
    with pytest.raises(InputError) as error:
        call(*arguments)
    message = str(error.value)
    assert "\n" not in message
    return message


def test_missing_stale_or_damaged(fitted, tmp_path):
    path = tmp_path / "run"
    shutil.copytree(fitted[0], path)
    directory, config = RunDirectory(path), PREDICTED
    remedy = f"make it: neural-gpu-fit-sizes --run_dir={path}, or give --sizes=all"
    run = load_run(path)
    other = keras.models.clone_model(run.model)
    save_weights(other, directory.weights("best"))
    message = fault(load_size_predictor, load_run(path), config)
    assert "fitted to other weights than the run's" in message and remedy in message
    directory.size_predictor.write_bytes(b"damaged")
    message = fault(load_size_predictor, run, config)
    assert message.startswith(f"{directory.size_predictor}: damaged")
    directory.size_predictor.unlink()
    message = fault(load_size_predictor, run, config)
    assert message.startswith("--sizes=predicted: no ") and remedy in message
    assert load_size_predictor(run, DecodingConfig()) is None


def test_what_cannot_be_fitted(run_dir, source, monkeypatch):
    assert "examples=9: must be" in fault(fit_sizes, run_dir, source, 9)
    monkeypatch.setattr(type(tiny.model()), "sized", False, raising=False)
    told = f"{run_dir} does not depend on a canvas size; name a run that does before"
    assert told in fault(load_size_predictor, load_run(run_dir), PREDICTED)
    assert "does not depend on a canvas size" in fault(fit_sizes, run_dir, source)


@pytest.fixture(scope="module")
def new(new_run, tmp_path_factory):
    path = tmp_path_factory.mktemp("new") / "run"
    return new_run(path, tiny.vocabulary(), tiny.model())


def test_fitted_by_length_alone_then_translated(run_binary, new, source):
    run, sizes = f"--run_dir={new}", ["--sizes=predicted", "--tried_sizes=1"]
    for name in ("translate", "export", "evaluate"):
        answer = run_binary(name, run, *sizes, stdin=b"six\n")
        assert (answer.status, answer.out) == (2, "") and answer.err.count("\n") == 1
        assert f"make it: neural-gpu-fit-sizes --run_dir={new}" in answer.err
    flags = run, f"--source={source}", "--length_alone", "--json"
    answer = run_binary("fit_sizes", *flags)
    assert answer.status == 0
    result = json.loads(answer.out)
    assert (result["examples"], result["held_out"]) == (180, 19)
    assert result["nats"] < np.log(10) - 0.1
    # Equally long sources get equal sizes, whatever their words.
    fitted = load_run(new)
    symbols = fitted.tokenizer.tokenize(["two six", "five two"]).to_tensor()
    predictor = load_size_predictor(fitted, PREDICTED)
    p = predictor(tf.cast(symbols, "int32"), tf.fill([2], 2), 64).numpy()
    np.testing.assert_array_equal(p[0], p[1])
    assert np.ptp(p[0]) > 0.1
    answer = run_binary("translate", run, *sizes, stdin=b"six\n")
    assert answer.status == 0 and answer.out.count("\n") == 1


def test_faults_are_one_line_and_status_2(run_binary, run_dir, tmp_path):
    (tmp_path / "few").write_text("six\n\n" * 9)
    (tmp_path / "blank").write_text("\n" * 200)
    run = f"--run_dir={run_dir}"
    for arguments, message in (
        ([run, f"--source={tmp_path}/few"], "few: only 9 non-empty sources"),
        ([run, f"--source={tmp_path}/blank"], "blank: only 0 non-empty sources"),
        ([run, f"--source={tmp_path}/none"], "none: no such file"),
        ([run, "--examples=1"], "--examples=1: must be at least 10"),
        (["--run_dir=/nowhere"], "/nowhere: not a run directory"),
        ([], "name the model"),
    ):
        answer = run_binary("fit_sizes", *arguments)
        assert (answer.status, answer.out) == (2, "")
        assert message in answer.err and answer.err.count("\n") == 1
