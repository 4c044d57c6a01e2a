import dataclasses
import itertools
import types

import numpy as np
import pytest
from courses import curriculum, result

from neural_gpu_tf.curriculum import Course
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import CurriculumConfig
from neural_gpu_tf.training import Curriculum


def test_the_longest_length_doubles_when_all_are_learned():
    """A batch has a quarter of its examples then; the state tells how long it is."""
    options = dict(
        curriculum=False,
        buckets=2,
        doublings=2,
        task_batch_size=32,
        most_bits=4,
        threshold=0.95,
    )
    course, seen = curriculum(**options), []
    shares = [0.9] * 40 + [1.0] * 200
    for share, parts in zip(shares, course.batches(), strict=False):
        lengths = tuple(part["source"].shape[1] // 2 for part in parts)
        seen.append((lengths, parts[0]["source"].shape[0]))
        learned = course.observe(result(share))
        assert learned == (course.right > 0.95 or course.right == 0)
    assert list(dict.fromkeys(seen)) == [((2, 4), 32), ((4, 8), 8), ((8, 16), 2)]
    assert seen.count(((2, 4), 32)) > 45 and seen.count(((4, 8), 8)) == 29
    other = curriculum(**options)
    other.deserialize(course.serialize())
    assert other.bits == other.most_bits == 16
    assert next(other.batches())[1]["source"].shape == (2, 33)


def test_the_length_does_not_double_before_its_step():
    options = dict(curriculum=False, buckets=2, doublings=1, doubling_from=60)
    course = curriculum(**options)
    seen = []
    for _ in itertools.islice(course.batches(), 70):
        course.observe(result(1.0))
        seen.append(course.most_bits)
    assert seen == [9] * 59 + [18] * 11


def test_longer_examples_have_a_share_of_hard_ones_of_their_own(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "neural_gpu_tf.tasks.Task.hard",
        lambda self, rng, bits, batch: (
            asked.append(batch) or self.generate(rng, self.canvas(bits), batch)
        ),
    )
    options = dict(curriculum=False, doublings=1, doubling_from=20, least_bits=9)
    options |= dict(task_batch_size=32, hard_share=0.25, doubled_hard_share=0.75)
    course, counts = curriculum(**options), []
    for _ in itertools.islice(course.batches(), 60):
        course.observe(result(1.0))
        counts.append(sum(batch - 64 for batch in asked))  # they are chosen from more
        asked.clear()
    assert counts[:20] == [8] * 20 and set(counts[20:]) == {6}
    config = course.config
    assert config.last_hard_share == 0.75
    same = dataclasses.replace(config, doubled_hard_share=-1.0)
    assert same.last_hard_share == 0.25


@pytest.mark.parametrize(
    ("batch", "share", "hard"),
    [(2, 0.1, [0, 0, 0, 0, 1]), (1, 0.25, [0, 0, 0, 1]), (8, 0.1, [1]), (2, 0, [0])],
)
def test_small_batches_have_their_share_of_hard_ones_over_time(batch, share, hard):
    options = dict(task="badd", task_batch_size=batch, hard_share=share)
    course = Course(CurriculumConfig(**options, most_bits=1))
    course.task = types.SimpleNamespace(**marked(course.task))
    seen = [int((course.draw()[0]["target"][:, 0] == 7).sum()) for _ in range(20)]
    assert seen == hard * (20 // len(hard))


def marked(task):
    """A task whose hard examples' targets are all of the symbol 7."""

    def hard(rng, bits, count):
        source, target = task.generate(rng, task.canvas(bits), count)
        return source, np.full_like(target, 7)

    return dict(canvas=task.canvas, generate=task.generate, size=task.size, hard=hard)


def test_doublings_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="^doublings=1: .* add --nocurriculum"):
        curriculum(doublings=1)
    with pytest.raises(InputError, match="^task_batch_size=8: .* a multiple of 16$"):
        curriculum(doublings=2, curriculum=False, task_batch_size=8)
    with pytest.raises(InputError, match="^doubled_hard_share=0.5: .* give --doub"):
        curriculum(doubled_hard_share=0.5)
    with pytest.raises(InputError, match="^doubled_hard_share=1.5: must be -1, or"):
        curriculum(doubled_hard_share=1.5)
    options = dict(task="badd", curriculum=False, doublings=1, task_batch_size=4)
    two = types.SimpleNamespace(num_replicas_in_sync=2)
    with pytest.raises(InputError, match="^task_batch_size=4: .* 2 replicas times 4"):
        Curriculum(CurriculumConfig(**options), two)
