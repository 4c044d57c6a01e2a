import importlib
import itertools

import numpy as np
import pytest
from courses import curriculum, result

from neural_gpu_tf.curriculum import Course
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import CurriculumConfig, ModelConfig, TrainingConfig
from neural_gpu_tf.tasks import TASKS
from neural_gpu_tf.training.curriculum import Curriculum

# The package has a function of this name.
TRAIN_TASK = importlib.import_module("neural_gpu_tf.workflows.train_task")


def sizes(course, count):
    """The columns and the examples of so many batches."""
    batches = itertools.islice(course.batches(), count)
    return {tuple(batch["source"].shape)[::-1] for batch in batches}


def test_short_examples_come_in_batches_that_cost_no_more():
    """A canvas of 19 columns has the size asked for, one of 3 the most allowed."""
    found = dict(sizes(curriculum(curriculum=False, most_batch_size=24), 200))
    columns = [TASKS["badd"].canvas(bits) for bits in range(1, 10)]
    allowed = 16, 16, 16, 16, 8, 8, 4, 4, 4
    assert found == dict(zip(columns, allowed, strict=True))
    for n, size in found.items():
        assert size == 16 or size * n**2 <= 4 * 19**2 < 2 * size * n**2


def test_all_batches_are_alike_without():
    assert {size for _, size in sizes(curriculum(curriculum=False), 100)} == {4}


def test_hard_and_spare_ones_are_among_them():
    course = curriculum(most_batch_size=16, hard_share=0.25, spare_columns=0.5)
    for batch in itertools.islice(course.batches(), 50):
        source, size = batch["source"].numpy(), batch["size"].numpy()
        task = TASKS["badd"]
        (spare,) = set(size - task.size(source))
        n = source.shape[1] - spare
        assert len(source) == (16 if n < 10 else 8 if n < 14 else 4)
        np.testing.assert_array_equal(batch["target"], task.target(source))


def test_a_doubled_length_is_the_longest():
    course = curriculum(
        curriculum=False,
        buckets=3,
        doublings=1,
        most_batch_size=16,
        task_batch_size=8,
        threshold=0.0,
    )
    batches = course.batches()
    # 1-3, 4-6 and 7-9 bits are 7, 13 and 19 columns, ...
    assert [len(bucket["source"]) for bucket in next(batches)] == [16, 16, 8]
    course.observe(result(1.0))
    # ... and 1-6, 7-12 and 13-18 are 13, 25 and 37.
    assert [len(bucket["source"]) for bucket in next(batches)] == [16, 4, 2]


def test_a_wrong_size_or_threshold_is_named():
    with pytest.raises(InputError, match="most_batch_size=3: must be at least 4"):
        curriculum(most_batch_size=3)
    with pytest.raises(InputError, match="dropout_threshold=1.5"):
        curriculum(dropout_threshold=1.5)
    with pytest.raises(InputError, match="dropout_falls_below=0.95: .*=0.9"):
        curriculum(dropout_falls_below=0.95)


def test_dropout_rises_at_its_threshold():
    course = curriculum(
        curriculum_dropout=0.1,
        dropout_threshold=0.5,
        least_bits=9,
        current_share=1.0,
        shorter_share=0.0,
    )
    for share, _ in zip([0.4] * 60 + [0.6] * 100, course.batches(), strict=False):
        course.observe(result(share))
        assert course.dropout == 0.1 or course.right > 0.5
    assert course.dropout > 0.1


def test_dropout_rises_to_the_models_own():
    config = CurriculumConfig(task="badd", least_bits=20, curriculum_dropout=0.1)
    course, seen = Course(config, 0.14), []
    for _ in range(200):
        course.draw()
        course.note(1.0)
        seen.append(course.scalars()["dropout"])
    assert list(dict.fromkeys(seen)) == [0.1, 0.125, 0.14]
    assert not course.may_rise and course.dropout == 0.14


def test_dropout_falls_again_where_what_was_learned_is_lost():
    options = {
        "curriculum_dropout": 0.1,
        "dropout_threshold": 0.9,
        "dropout_falls_below": 0.5,
        "least_bits": 9,
        "current_share": 1.0,
        "shorter_share": 0.0,
    }
    course = Course(CurriculumConfig(task="badd", most_bits=9, **options), 0.15)
    seen = []
    for share in [1.0] * 200 + [0.6] * 60 + [0.0] * 200:
        course.draw()
        course.note(share)
        seen.append(round(course.dropout, 6))
    # It rises no further than the model, stays in between, and falls to the first.
    assert list(dict.fromkeys(seen)) == [0.1, 0.125, 0.15]
    assert set(seen[150:261]) == {0.15}
    assert seen[261:].count(0.125) == 40 and seen[-1] == 0.1
    assert not Course(CurriculumConfig(task="badd"), 0.15).may_rise


def test_training_knows_the_models_dropout(monkeypatch, tmp_path):
    made = []

    class Kept(Curriculum):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(TRAIN_TASK, "Curriculum", Kept)
    task = CurriculumConfig(task="badd", task_batch_size=2, validation_bits="2")
    model = ModelConfig(model="diagonal_neural_gpu", maps=3, width=1, dropout=0.15)
    TRAIN_TASK.train_task(tmp_path, task, model, TrainingConfig(train_steps=1))
    assert made[-1].most_dropout == 0.15
