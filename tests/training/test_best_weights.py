import math

import numpy as np
import pytest
import toy

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.training.best_weights import BestWeights
from neural_gpu_tf.weights import load_weights


def offer(best, model, step, value):
    """Weights that are all `step`."""
    model.set_weights([np.full(w.shape, step) for w in model.get_weights()])
    best.offer(model, step, value)


@pytest.fixture(scope="module")
def model():
    return toy.model()


def files(best):
    return sorted(path.name for path in best.path.iterdir())


@pytest.mark.parametrize("keep", [1, 3])
def test_the_best_are_kept_whatever_the_order(tmp_path, model, keep):
    values = np.random.default_rng(0).integers(0, 9, 12) / 2  # some are equal
    for step, value in enumerate(values):
        best = BestWeights(tmp_path / "best", keep)  # as after another start
        offer(best, model, step, float(value))
        ranked = sorted((v, -s) for s, v in enumerate(values[: step + 1]))[:keep]
        assert [(one.value, -one.step) for one in best.best()] == ranked
        steps = [f"{-s}.weights.h5" for _, s in ranked]
        assert files(best) == sorted([*steps, "values.json"])
    for one in best.best():
        load_weights(model, one.path)
        assert all(np.all(w == one.step) for w in model.get_weights())


def test_a_validation_that_is_made_again_counts_once(tmp_path, model):
    best = BestWeights(tmp_path / "best", 2)
    for step, value in ((1, 0.5), (2, 0.25), (2, 0.25)):
        offer(best, model, step, value)
    assert [one.step for one in best.best()] == [2, 1]
    offer(best, model, 1, 0.5)
    assert [one.step for one in best.best()] == [2, 1]


def test_what_is_not_kept(tmp_path, model):
    best = BestWeights(tmp_path / "best", 2)
    for value in (math.inf, math.nan):
        offer(best, model, 1, value)
    offer(BestWeights(tmp_path / "best", 0), model, 1, 0.5)
    assert not best.path.exists() and best.best() == []


def test_all_are_forgotten(tmp_path, model):
    best = BestWeights(tmp_path / "best", 3)
    best.forget()  # there is nothing yet
    for step in range(2):
        offer(best, model, step, step)
    best.forget()
    assert files(best) == [] and best.best() == []
    offer(best, model, 5, 9.0)
    assert [one.step for one in best.best()] == [5]


def test_what_a_kill_left_is_removed(tmp_path, model):
    """It came after values.json was written, before what was dropped was removed."""
    best = BestWeights(tmp_path / "best", 1)
    left = best.path / "1.weights.h5"
    offer(best, model, 2, 0.5)
    left.touch()
    offer(best, model, 3, 0.75)
    assert files(best) == ["2.weights.h5", "values.json"]
    left.touch()
    best.forget()
    assert files(best) == []


def test_fewer_than_before(tmp_path, model):
    best = BestWeights(tmp_path / "best", 3)
    for step in range(3):
        offer(best, model, step, step)
    fewer = BestWeights(tmp_path / "best", 1)
    offer(fewer, model, 3, 3.0)
    assert files(fewer) == ["0.weights.h5", "values.json"]


def test_no_link_is_followed(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "best").symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match="best: a link; replace it"):
        BestWeights(tmp_path / "best", 1)


def test_damaged(tmp_path, model):
    best = BestWeights(tmp_path / "best", 3)
    offer(best, model, 1, 0.5)
    for text in ("[1]", "[" * 100_000):
        (best.path / "values.json").write_text(text)
        with pytest.raises(InputError, match="values.json: damaged"):
            best.best()


@pytest.mark.parametrize(
    "values, best",
    [
        ({3: 0.5, 6: 0.25, 9: 0.75, 12: 0.3}, [(6, 0.25), (12, 0.3)]),
        ({3: 0.5, 6: 0.25, 9: 0.25, 12: 0.75}, [(9, 0.25), (6, 0.25)]),
    ],
)
def test_the_trainer_keeps_its_best(tmp_path, values, best):
    """Of equal ones the last before the first."""
    weights = {}

    def validate(step):
        weights[step] = toy.weights(trainer.model)
        return {"perplexity_symbol": values[step]}

    trainer = toy.trainer(tmp_path, validate, validate_every=3, keep_best=2)
    trainer.train()
    kept = BestWeights(trainer.files.best, 2).best()
    assert [(one.step, one.value) for one in kept] == best
    load_weights(trainer.model, trainer.files.best_weights)
    assert toy.equal(toy.weights(trainer.model), weights[best[0][0]])
    assert not toy.equal(weights[best[0][0]], weights[best[1][0]])
    for one in kept:
        load_weights(trainer.model, one.path)
        assert toy.equal(toy.weights(trainer.model), weights[one.step])
