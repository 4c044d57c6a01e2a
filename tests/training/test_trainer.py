"""What the trainer takes from its batches."""

import numpy as np
import pytest
import toy

from neural_gpu_tf.evaluation.read_scalars import read_scalars
from neural_gpu_tf.training import trainer


def test_each_step_has_the_dropout_that_the_batches_say(tmp_path):
    given, used = [None, 0.1, 0.1, None], []
    one = toy.trainer(tmp_path, train_steps=4)

    class Changing(toy.Batches):
        @property
        def dropout(self):
            return given[self.number]

    one.batches = Changing()
    one.train_step.use_dropout = used.append
    one.train()
    assert used == given


def test_the_chief_alone_removes_weights_of_several_sets(tmp_path, monkeypatch):
    """Workers share the directory."""
    one = toy.trainer(tmp_path, train_steps=1, validate_every=1)
    one.train()
    kept = one.validation._best_weights
    monkeypatch.setattr(one.pull, "observe", lambda *_: True)
    for chief in (False, True):
        monkeypatch.setattr(one.workers, "chief", chief)
        one._draw_together(True)
        assert [best.step for best in kept.best()] == ([] if chief else [1])


def test_the_rate_that_is_shown_is_that_of_the_step(tmp_path, monkeypatch):
    """Not of the one after it, which for the last one would be 0."""
    options = dict(schedule="linear", learning_rate=1.0)
    one = toy.trainer(tmp_path, train_steps=4, log_every=1, **options)
    seen = {}
    monkeypatch.setattr(
        one.summaries,
        "scalars",
        lambda kind, step, values: seen.setdefault(step, values.get("learning_rate")),
    )
    one.train()
    assert seen == {1: 1.0, 2: 0.75, 3: 0.5, 4: 0.25}


def test_the_cores_are_shared_by_the_replicas_of_this_machine(tmp_path, monkeypatch):
    shared = []
    monkeypatch.setattr(trainer, "local_replicas", lambda strategy: [4, 5])
    monkeypatch.setattr(trainer, "batch_parts", lambda *args: shared.append(args) or 1)
    toy.trainer(tmp_path)
    assert shared == [(0, 2)]


def test_the_gradient_norm_that_is_shown_is_the_mean_of_the_steps(tmp_path):
    found = []
    for every in (1, 4):
        one = toy.trainer(tmp_path / str(every), log_every=every, train_steps=4)
        one.train()
        scalars = read_scalars(one.files.events)
        found.append([x.value for x in scalars if x.name == "gradient_norm"])
    assert len(found[0]) == 4
    assert found[1] == [pytest.approx(np.mean(found[0]), rel=1e-4)]


def test_a_first_validation_that_is_not_a_number_leaves_weights(tmp_path):
    one = toy.trainer(tmp_path, lambda step: {"perplexity_symbol": float("nan")})
    one.validation(1)
    assert one.files.best_weights.exists()


def test_a_validation_that_does_not_end_costs_no_step(tmp_path):
    """A kill in it, say: the checkpoint is there, and it is made when training resumes.

    Also where the last one of a run fails.
    """
    options = dict(train_steps=4, checkpoint_every=2, validate_every=2)
    validated = []

    def fail_once(step):
        validated.append(step)
        if validated.count(step) == 1:
            raise MemoryError
        return {"perplexity_symbol": 1.0}

    for _ in range(2):
        one = toy.trainer(tmp_path / "cut", fail_once, **options)
        one.restore()
        with pytest.raises(MemoryError):
            one.train()
    one = toy.trainer(tmp_path / "cut", fail_once, **options)
    one.restore()
    one.train()
    assert validated == [2, 2, 4, 4]
    whole = toy.trainer(tmp_path / "whole", **options)
    whole.train()
    assert toy.equal(toy.weights(one.model), toy.weights(whole.model))
