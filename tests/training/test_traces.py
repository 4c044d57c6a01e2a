"""No retracing: at most one trace of the training step a bucket, and mostly fewer."""

import itertools

import pytest
import tiny
import toy

from neural_gpu_tf.optimizers import build_optimizer
from neural_gpu_tf.options import (
    CurriculumConfig,
    DataConfig,
    ModelConfig,
    TrainingConfig,
)
from neural_gpu_tf.training import Curriculum
from neural_gpu_tf.training.batch_loss import BatchLoss
from neural_gpu_tf.training.epochs import Epochs
from neural_gpu_tf.training.strategy import mirrored_strategy
from neural_gpu_tf.training.train_step import TrainStep

DATA = DataConfig(
    max_length=8,
    max_batch_size=6,
    smallest_bucket=2,
    bucket_growth=1.6,
    extra_columns=1,
    shuffle_buffer=50,
)


@pytest.fixture
def python_runs(monkeypatch):
    """A list that grows when the step's Python runs, that is, when it is traced."""
    runs, sums = [], BatchLoss._sums

    def noting(self, batch, *rows):
        runs.append(tuple(batch["target"].shape))
        return sums(self, batch, *rows)

    monkeypatch.setattr(BatchLoss, "_sums", noting)
    return runs


SYMBOLS = 128


def new_step(new_model, **options):
    strategy = mirrored_strategy(1)
    config = TrainingConfig(gradient_noise=0.1, average_decay=0.9, autoclip=2.0)
    with strategy.scope():
        network = new_model()
        optimizer = build_optimizer(config)
        optimizer.build(network.trainable_variables)
    return TrainStep(network, optimizer, config, strategy, **options)


@pytest.fixture(scope="module")
def batches():
    """Of an epoch, in the order of training."""
    pairs = toy.Pairs()
    epochs = Epochs(pairs, pairs, DATA, mirrored_strategy(1))
    return list(itertools.takewhile(lambda _: epochs.epoch == 0, epochs.batches()))


def shapes(batches):
    """The different ones, of which each comes several times."""
    found = [tuple(batch["target"].shape) for batch in batches]
    assert len(set(found)) >= 3 and len(found) > 2 * len(set(found))
    return sorted(set(found))


def test_all_buckets_of_a_model_share_one_trace(batches, python_runs):
    config = ModelConfig(model="neural_gpu", maps=4, width=1, layers=1, dropout=0.1)
    step = new_step(lambda: tiny.new_model(SYMBOLS, config), parts=2)
    for batch in batches:
        step(batch)
    assert shapes(batches)
    assert step.traces == 1
    assert python_runs == 2 * [(None, None)]


def test_another_dropout_is_one_more_trace(batches, python_runs):
    options = dict(model="neural_gpu", maps=4, width=1, layers=1, dropout=0.99)
    step = new_step(lambda: tiny.new_model(SYMBOLS, ModelConfig(**options)))
    batch, weights = batches[0], step.model.get_weights()

    def loss(rate):
        step.model.set_weights(weights)
        step.use_dropout(rate)
        return float(step(batch).loss)

    kept = loss(None)
    assert loss(0.999) == kept and len(python_runs) == 1  # at most its own
    assert loss(0.0) != pytest.approx(kept, rel=1e-3)
    assert len(python_runs) == 2
    assert loss(None) == pytest.approx(kept, rel=1e-6)
    assert len(python_runs) == 2  # each rate's graph is kept


@pytest.mark.slow
def test_compiled_each_bucket_has_one_trace(batches, python_runs):
    step = new_step(lambda: toy.model(symbols=SYMBOLS), compiled=True)
    for batch in batches:
        step(batch)
    assert step.traces == len(shapes(batches))
    assert sorted(python_runs) == shapes(batches)


def test_all_lengths_of_a_curriculum_share_one_trace(python_runs):
    options = dict(task="badd", task_batch_size=4, most_bits=6)
    for buckets in (1, 3):
        step = new_step(
            lambda: toy.model(symbols=SYMBOLS), blanks_count=True, buckets=buckets
        )
        config = CurriculumConfig(**options, buckets=buckets, curriculum=buckets == 1)
        curriculum = Curriculum(config, mirrored_strategy(1))
        columns = set()
        for batch in itertools.islice(curriculum.batches(), 20):
            step(batch)
            parts = batch if buckets > 1 else (batch,)
            columns |= {part["target"].shape[1] for part in parts}
            curriculum.bits = min(curriculum.bits + 1, 6)
        assert len(columns) >= 3
        assert step.traces == 1
        assert python_runs == [(None, None)]
        python_runs.clear()
