import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from backend_process import output_under
from course_pool import CoursePool, stacked
from model_copies import observed
from seed_runs import SeedRuns, first_weights
from train_seeds_with_jax import check

import neural_gpu_tf
from neural_gpu_tf.curriculum import Course
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import by_length
from neural_gpu_tf.inference import Solver
from neural_gpu_tf.options import CurriculumConfig, ModelConfig, TrainingConfig
from neural_gpu_tf.pretrained_models import pretrained_run
from neural_gpu_tf.runs import load_task_run
from neural_gpu_tf.training.auxiliary_weight import AuxiliaryWeight
from neural_gpu_tf.workflows import train_task

EXAMPLES = Path(neural_gpu_tf.__file__).parents[1] / "examples"
TASK = CurriculumConfig(
    task="badd",
    curriculum=False,
    buckets=2,
    most_bits=3,
    task_batch_size=8,
    spare_columns=0.5,
    hard_share=0.25,
    validation_bits="2",
    validation_cases=16,
)
MODEL = ModelConfig(model="diagonal_neural_gpu", maps=6, width=1, layers=1)
TRAINING = TrainingConfig(
    train_steps=20,
    validate_every=10,
    learning_rate=0.02,
    schedule="linear",
    decay_from=15,
    optimizer="clipped_adamax",
    average_decay=0.8,
    clip_norm=0.0,
)


@pytest.mark.slow
def test_seeds_learn_what_training_does(tmp_path):
    """Each has the weights that TensorFlow makes of the same start.

    Also where it was stopped half way; and its answers are those of the package. Each
    is trained once, whatever --attempts and --selection_cases say.
    """
    starts, theirs = tmp_path / "starts", {}
    training = dataclasses.replace(TRAINING, init_from=str(starts))
    for seed in (3, 4):
        task = dataclasses.replace(TASK, curriculum_seed=seed)
        first = dataclasses.replace(TRAINING, training_seed=seed, train_steps=1)
        train_task(starts / str(seed), task, MODEL, first)
        start = str(starts / str(seed))
        other = dataclasses.replace(first, train_steps=20, init_from=start)
        train_task(tmp_path / f"tf_{seed}", task, MODEL, other)
        run = load_task_run(tmp_path / f"tf_{seed}", "last")
        theirs[seed] = [np.array(x) for x in run.model.trainable_variables]
    options, runs = tmp_path / "options.json", tmp_path / "runs"
    once = {"attempts": 1, "give_up_at": 0, "selection_cases": 0}
    task = dataclasses.replace(
        TASK, attempts=2, give_up_at=10, give_up_error=0.0, selection_cases=8
    )
    options.write_text(
        json.dumps([dataclasses.asdict(x) for x in (task, MODEL, training)])
    )
    script = Path(__file__).with_name("seeds_under_jax.py")
    printed = output_under("jax", *map(str, (script, EXAMPLES, options, runs)))
    scores = json.loads(printed.splitlines()[-1])
    for seed, (exact, symbols) in zip((3, 4), scores, strict=True):
        run = load_task_run(runs / str(seed), "last")
        expected = dataclasses.replace(task, curriculum_seed=seed, **once)
        assert run.config.task == expected
        for ours, other in zip(
            run.model.trainable_variables, theirs[seed], strict=True
        ):
            np.testing.assert_allclose(ours, other, atol=1e-5)
        run = load_task_run(runs / str(seed))
        (score,) = by_length(Solver(run.model), run.task, [2], 40, 1, seed=0)
        assert (score.exact, score.symbols) == pytest.approx((exact, symbols))
        assert 0.3 < symbols < 1
        lines = (runs / str(seed) / "validations.jsonl").read_text().splitlines()
        assert [json.loads(line)["step"] for line in lines] == [10, 15, 20]
    assert np.ptp([x[0].flat[0] for x in theirs.values()]) > 1e-3


def test_batches_drawn_ahead_are_those_of_the_course():
    """The length doubles where a chunk is asked for after it was learned."""
    config = dataclasses.replace(TASK, doublings=1, doubling_from=5, threshold=0.1)
    others = [
        dataclasses.replace(config, curriculum_seed=seed, task_batch_size=size)
        for seed, size in ((3, 8), (4, 16))
    ]
    pool, courses = CoursePool(others, 10, 1), [Course(other) for other in others]
    pool.ask()
    for most in (3, 6):
        for drawn, buckets in pool.chunk_of_batches():
            assert drawn == [most, most]
            expected = [course.draw() for course in courses]
            for i, same in enumerate(zip(*expected, strict=True)):
                for name, value in stacked(same).items():
                    np.testing.assert_array_equal(buckets[i][name], value)
                    assert buckets[i][name].dtype == np.int32
            pool.note(drawn, [1.0, 1.0])
            for course in courses:
                course.bits = most  # theirs waits for the chunk's end, too
        for course in courses:
            course.bits = 6
        pool.ask()
    assert [course.bits for course in pool.courses] == [6, 6]
    assert [course.taken for course in pool.courses] == [20, 20]
    pool.close()


def test_batches_are_stacked_with_blank_columns_and_rows():
    def batch(rows, columns):
        filled = np.full((rows, columns), rows, np.int32)
        return {"source": filled, "target": -filled, "size": filled[:, 0]}

    found = stacked([batch(2, 5), batch(3, 17)])
    assert found["source"].shape == found["target"].shape == (2, 3, 24)
    np.testing.assert_array_equal(found["size"], [[2, 2, 0], [3, 3, 3]])
    np.testing.assert_array_equal(found["source"][0, :2, :5], 2)
    assert found["source"].sum() == 2 * 10 + 3 * 51
    assert stacked([batch(1, 257)])["source"].shape == (1, 1, 512)


@pytest.mark.parametrize(
    "task, model, training, message",
    [
        ({"curriculum_dropout": 0.1}, {}, {}, "--curriculum_dropout=0.1: here only -1"),
        ({}, {"relaxations": 2}, {}, "--relaxations=2: here only 1; leave it out"),
        ({}, {}, {"autoclip": 1.5}, "--autoclip=1.5: here only 0.0"),
        ({}, {}, {"train_steps": 12}, "--train_steps=12, .* multiples of 5"),
        ({"task": "", "buckets": 1}, {}, {}, "task='': name an algorithmic task"),
    ],
)
def test_what_is_not_to_be_had_is_refused(task, model, training, message, monkeypatch):
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    given = (TASK, task), (MODEL, model), (TRAINING, training)
    options = [dataclasses.replace(one, **more) for one, more in given]
    with pytest.raises(InputError, match=f"^{message}"):
        check(*options)


def test_it_wants_jax():
    with pytest.raises(InputError, match="^KERAS_BACKEND=tensorflow: start with"):
        check(TASK, MODEL, TRAINING)


def test_seeds_start_with_weights_that_mean_the_same():
    model = load_task_run(pretrained_run("badd")).config.model
    first, second = first_weights("badd", [1, 2], TASK, model)
    assert first == second and Path(first).parent.name == "badd"
    assert first_weights("", [1, 2], TASK, model) == []
    with pytest.raises(InputError, match="^init_from=rev: a run of other symbols"):
        first_weights("rev", [1, 2], TASK, model)
    other = dataclasses.replace(model, padding="zero")
    with pytest.raises(InputError, match="^init_from=badd: .* padding=learned, not z"):
        first_weights("badd", [1, 2], TASK, other)
    with pytest.raises(InputError, match="^nowhere/best.weights.h5: missing"):
        first_weights("nowhere", [1, 2], TASK, model)


def test_a_run_of_other_options_stays(tmp_path):
    SeedRuns(tmp_path, [1, 2], TASK, MODEL, TRAINING)
    before = (tmp_path / "2" / "config.json").read_text()
    more = dataclasses.replace(TRAINING, train_steps=40)
    SeedRuns(tmp_path, [2, 1], TASK, MODEL, more)
    path = tmp_path / "1" / "config.json"
    older = path.read_text().replace("gradient_checkpointing", "checkpointing")
    path.write_text(older)
    SeedRuns(tmp_path, [1], TASK, MODEL, more)
    other = dataclasses.replace(TRAINING, learning_rate=0.1)
    with pytest.raises(InputError, match="1/config.json: a run of other options"):
        SeedRuns(tmp_path, [1, 2], TASK, MODEL, other)
    config = json.loads((tmp_path / "2" / "config.json").read_text())
    assert config["training"]["train_steps"] == 40
    assert config["task"]["curriculum_seed"] == config["training"]["training_seed"] == 2
    assert json.loads(before)["training"]["train_steps"] == 20


def test_the_auxiliary_weight_is_that_of_training():
    """Set anew every 200 steps, and at most 1."""
    theirs, ours = AuxiliaryWeight(), np.array([1.0, 0.0, 0.0, 0.0], np.float32)
    rng, seen = np.random.default_rng(0), set()
    for step in range(650):
        loss, more = rng.random(2) * (1.0, 1e-3 if step < 200 else 5.0)
        theirs.observe(*(tf.constant(x, tf.float32) for x in (loss, more, 0.05)))
        ours = np.array(observed(ours, loss, more, 0.05))
        np.testing.assert_allclose(ours[0], theirs.value, rtol=1e-5)
        seen.add(float(ours[0]))
    assert len(seen) == 3 and max(seen) == 1
