import json
from pathlib import Path

import fitted_model
import keras
import numpy as np
import pytest
import tensorflow as tf
from backend_process import output_under
from prepare_tokens import prepare_tokens
from token_batches import Tokens
from train_with_jax import begin, check_steps, train_with_jax

import neural_gpu_tf
from neural_gpu_tf.data import evaluation_batches, open_source
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import Perplexity
from neural_gpu_tf.models.losses import cross_entropy
from neural_gpu_tf.options import (
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
    VocabularyConfig,
)
from neural_gpu_tf.runs import load_run
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary

EXAMPLES = Path(neural_gpu_tf.__file__).parents[1] / "examples"
DATA = DataConfig(
    data="sequence_copy",
    longest_sequence=4,
    train_examples=100,
    validation_examples=9,
    max_length=8,
    smallest_bucket=4,
    bucket_growth=2,
    max_batch_size=4,
)
TRAINING = TrainingConfig(
    train_steps=10,
    validate_every=5,
    learning_rate=0.1,
    schedule="linear",
    label_smoothing=0.1,
    average_decay=0.5,
)


@pytest.fixture(scope="module")
def tokens_dir(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokens")
    prepare_tokens(
        path,
        DATA,
        ModelConfig(model="neural_gpu", maps=3, width=2, layers=1),
        TRAINING,
        DecodingConfig(),
        VocabularyConfig(),
    )
    return path


def test_the_arrays_are_the_pairs(tokens_dir):
    """Each once, but for those that are too long for training, in its bucket."""
    tokens = np.load(tokens_dir / "tokens.npz")
    tokenizer = SpellOutTokenizer(Vocabulary.load(tokens_dir / "vocab.txt"))
    for split in ("train", "validation"):
        texts = np.array(list(open_source(DATA).dataset(split).as_numpy_iterator()))
        rows = tokenizer.tokenize(texts.ravel()).numpy()
        expected = []
        for symbols, others in zip(rows[::2], rows[1::2], strict=True):
            size = max(len(symbols), len(others) + 1)
            if split == "validation" or size <= DATA.max_length:
                expected.append((list(symbols), [*others, 2], size))
        found = []
        for n, _ in tokens["buckets"]:
            if f"{split}_{n}_size" not in tokens:
                continue
            assert tokens[f"{split}_{n}_source"].dtype == np.uint16
            columns = [tokens[f"{split}_{n}_{x}"] for x in ("source", "target", "size")]
            for symbols, others, size in zip(*columns, strict=True):
                assert len(symbols) == len(others) == n >= size
                assert n == 4 or size > n / 2
                found.append((*([k for k in x if k] for x in (symbols, others)), size))
        assert sorted(found) == sorted(expected)


@pytest.mark.slow
def test_trains_under_jax_for_tensorflow(tokens_dir, tmp_path):
    """TensorFlow has the logits and the perplexity of what JAX has trained."""
    run_dir, answers = tmp_path / "run", tmp_path / "answers.npz"
    script = Path(__file__).with_name("under_jax.py")
    printed = output_under(
        "jax", str(script), *map(str, (EXAMPLES, tokens_dir, run_dir, answers))
    )
    assert "trained under JAX" in printed
    run = load_run(run_dir, "last")  # as neural-gpu-evaluate and -export load it
    assert run.config.model == ModelConfig(
        "neural_gpu", maps=6, width=2, layers=1, gate_bias=0.5
    )
    expected = dict(np.load(answers))
    logits = expected.pop("logits")
    np.testing.assert_allclose(run.model(expected), logits, atol=1e-4)
    assert np.ptp(logits) > 1
    summary = json.loads((run_dir / "summary.json").read_text())
    batches = evaluation_batches(open_source(DATA), run.tokenizer, DATA)
    surprisal = Perplexity(run.model)(batches)
    perplexity = surprisal.perplexity(surprisal.symbols)
    assert perplexity == pytest.approx(summary["perplexity_symbol"], rel=1e-4)
    assert summary["step"] == 10


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_that_of_training(smoothing):
    rng = np.random.default_rng(0)
    logits = rng.standard_normal((3, 4, 5)).astype("float32")
    target = rng.integers(0, 5, (3, 4))
    counted = (rng.random((3, 4)) < 0.6).astype("float32")
    fitted = fitted_model.Fitted(
        keras.Sequential(), {"label_smoothing": smoothing, "learning_rate": 0.1}
    )
    loss = fitted.compute_loss(None, target, logits, counted)
    nats = cross_entropy(logits, target, smoothing)
    mean = np.sum(nats * counted) / np.sum(counted)
    np.testing.assert_allclose(loss, mean, rtol=1e-6)


def test_what_layers_add_stays_small():
    """w A is at most α L, and at most A."""
    logits = np.zeros((1, 1, 4), "float32")
    for cost in (1e-3, 1e3):
        network = keras.Sequential([keras.layers.ActivityRegularization(l1=cost)])
        options = {"label_smoothing": 0.0, "learning_rate": 0.1}
        fitted = fitted_model.Fitted(network, options)
        fitted(np.ones((1, 1, 4), "float32"))
        counted = np.ones((1, 1), "float32")
        loss = fitted.compute_loss(None, np.zeros((1, 1)), logits, counted)
        auxiliary = float(tf.add_n(fitted.losses))
        expected = np.log(4) + min(auxiliary, 0.1 * np.log(4))
        np.testing.assert_allclose(loss, expected, rtol=1e-5)


def test_an_interrupted_order_goes_on(tokens_dir):
    """Batch k of a stream is the first of the stream from step k on."""
    tokens = Tokens(tokens_dir / "tokens.npz")
    count = tokens.batches_in_a_pass
    stream = tokens.training_batches(3, 0)
    batches = [next(stream) for _ in range(2 * count)]
    for step in (1, count - 1, count, count + 2):
        inputs, target, counted = next(tokens.training_batches(3, step))
        for name, value in inputs.items():
            np.testing.assert_array_equal(value, batches[step][0][name])
        np.testing.assert_array_equal(counted, target != 0)
    passes = [
        sorted(row.tobytes() for batch in part for row in batch[1])
        for part in (batches[:count], batches[count:])
    ]
    assert len(passes[0]) == len(passes[1]) == 4 * count
    first = [batch[1].tobytes() for batch in batches]
    assert first[:count] != first[count:]


def test_what_it_can_not_do_is_refused(tokens_dir, tmp_path):
    arguments = tokens_dir, tmp_path / "run", {}
    with pytest.raises(InputError, match="--train_steps=7: must be a multiple"):
        begin(*arguments, {"train_steps": 7}, "float32", [])
    assert not (tmp_path / "run").exists()
    for name, value in {
        "gradient_noise": 0.1,
        "init_from": "x",
        "optimizer": "sgd",
        "autoclip": 1.5,
        "train_minutes": 2.0,
        "patience": 3,
        "precision": "bfloat16",
    }.items():
        with pytest.raises(InputError, match=f"--{name}={value}: under JAX only "):
            begin(*arguments, {name: value}, "float32", [])
    with pytest.raises(InputError, match="--autoclip=1.5: under JAX only 0.0"):
        begin(*arguments, {"clip_usual": 1.5}, "float32", [])  # of older tokens
    with pytest.raises(InputError, match="--relaxations=2: under JAX only 1"):
        begin(tokens_dir, tmp_path / "run", {"relaxations": 2}, {}, "float32", [])
    with pytest.raises(InputError, match="no-where.*prepare_tokens"):
        Tokens(tmp_path / "no-where.npz")
    begin(*arguments, {}, "float32", [])
    begin(*arguments, {"train_steps": 20}, "float32", [])  # goes on
    path = tmp_path / "run" / "config.json"
    text = path.read_text().replace("gradient_checkpointing", "checkpointing")
    path.write_text(text)
    begin(*arguments, {"train_steps": 20}, "float32", [])  # by an older name
    assert "gradient_checkpointing" in path.read_text()
    with pytest.raises(InputError, match="a run of other options is here"):
        begin(tokens_dir, tmp_path / "run", {"maps": 9}, {}, "float32", [])
    with pytest.raises(InputError, match="KERAS_BACKEND=tensorflow"):
        train_with_jax(tokens_dir, tmp_path / "other")


def test_the_files_are_known_to_the_run(tmp_path):
    """`neural-gpu-evaluate` without files takes those alone."""
    names = {}
    for split in ("train", "validation"):
        for side in ("source", "target"):
            path = tmp_path / f"{split}.{side}"
            path.write_text(f"a b\nb {side}\n")
            names[f"{split}_{side}"] = str(path)
    data, model = DataConfig(data="files", **names), ModelConfig(maps=3)
    options = model, TRAINING, DecodingConfig(), VocabularyConfig()
    prepare_tokens(tmp_path / "tokens", data, *options)
    begin(tmp_path / "tokens", tmp_path / "run", {}, {}, "float32", [])
    known = json.loads((tmp_path / "run" / "data.json").read_text())
    assert known == open_source(data).fingerprints() != {}


def test_the_steps_that_are_done_are_whole_validations(tmp_path):
    check_steps(tmp_path, 3, 9)
    (tmp_path / "summary.json").write_text('{"step": 4}')
    check_steps(tmp_path, 2, 8)
    with pytest.raises(InputError, match="--validate_every=3: .*has 4 steps"):
        check_steps(tmp_path, 3, 9)
    with pytest.raises(InputError, match="--train_steps=9: must be a multiple"):
        check_steps(tmp_path, 2, 9)
