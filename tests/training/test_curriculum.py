import itertools

import numpy as np
import pytest
import tensorflow as tf
from courses import curriculum, result

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import TASKS, carry_length


def bits_of(batch, task=TASKS["badd"]):
    """The canvas of a batch as bits."""
    return {task.canvas(bits): bits for bits in range(1, 50)}[batch["source"].shape[1]]


def take(batches, count):
    return list(itertools.islice(batches, count))


def test_a_batch_is_of_the_task():
    (batch,) = take(curriculum(curriculum=False).batches(), 1)
    task = TASKS["badd"]
    assert batch["source"].shape == batch["target"].shape
    np.testing.assert_array_equal(batch["target"], task.target(batch["source"].numpy()))
    np.testing.assert_array_equal(batch["size"], task.size(batch["source"].numpy()))
    assert {tensor.dtype for tensor in batch.values()} == {tf.int32}


def test_lengths_come_in_their_shares():
    course = curriculum(current_share=0.5, shorter_share=0.2)
    course.bits = 6
    found = np.array([bits_of(batch) for batch in take(course.batches(), 600)])
    current, longer = np.mean(found == 6), np.mean(found > 6)
    assert current == pytest.approx(0.5 + 0.2 / 6 + 0.3 / 9, abs=0.07)
    assert longer == pytest.approx(0.3 * 3 / 9, abs=0.04)
    assert set(found) == set(range(1, 10))


def test_once_the_longest_is_reached_it_has_a_share_of_its_own():
    course = curriculum(current_share=0.8, shorter_share=0.2, longest_share=0.1)
    for bits, own, others in ((9, 0.1, 0.9 / 9), (6, 0.8, 0.2 / 6)):
        course.bits = bits
        found = np.array([bits_of(batch) for batch in take(course.batches(), 600)])
        shares = np.array([np.mean(found == n) for n in range(1, bits)])
        assert np.mean(found == bits) == pytest.approx(own + others, abs=0.05)
        assert shares == pytest.approx(np.full(bits - 1, others), abs=0.04)


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5])
def test_a_wrong_share_of_the_longest_is_named(share):
    with pytest.raises(InputError, match=f"longest_share={share}: must be -1, or in"):
        curriculum(longest_share=share)


def test_the_longest_has_no_share_without_a_curriculum():
    with pytest.raises(InputError, match="longest_share=0.1: needs a curriculum"):
        curriculum(longest_share=0.1, curriculum=False)


def widths(batch):
    """Of the operands of each sum, [batch, 2]."""
    task = TASKS["badd"]
    parts = [
        bytes(row.astype(np.uint8)).rstrip(b"\0") for row in batch["source"].numpy()
    ]
    return np.array([[len(x) for x in p.split(bytes([task.separator]))] for p in parts])


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_numbers_of_any_widths_have_their_share_of_batches(share):
    course = curriculum(
        curriculum=False, least_bits=6, unbalanced_share=share, hard_share=0.5
    )
    task, found = TASKS["badd"], []
    for batch in take(course.batches(), 300):
        random, hard = np.split(widths(batch), 2)
        assert (hard[:, 0] == hard[:, 1]).all()
        assert (random.sum(axis=1) == hard.sum(axis=1)).all()
        found.append((random[:, 0] != random[:, 1]).any())
        source = batch["source"].numpy()
        np.testing.assert_array_equal(batch["target"], task.target(source))
        np.testing.assert_array_equal(batch["size"], task.size(source))
    assert np.mean(found) == pytest.approx(share, abs=0.07)


def test_numbers_of_any_widths_need_numbers():
    with pytest.raises(InputError, match="unbalanced_share=1.5: must be in"):
        curriculum(unbalanced_share=1.5)
    for task in ("rev", "badde"):
        with pytest.raises(InputError, match=f"unbalanced_share=1.0: task={task} has"):
            curriculum(task=task, unbalanced_share=1.0)


def test_without_a_curriculum_all_lengths_are_alike():
    found = [bits_of(b) for b in take(curriculum(curriculum=False).batches(), 450)]
    assert np.bincount(found)[1:].min() > 25


def test_it_goes_on_when_the_current_length_is_learned():
    course = curriculum(current_share=1.0, shorter_share=0.0, threshold=0.8)
    batches = course.batches()
    seen, progress = [], []
    for _ in range(200):
        next(batches)
        progress.append(course.observe(result(1.0)))
        seen.append(course.bits)
    # 1 - 0.9^16 = 0.81 is the first running share beyond 0.8.
    assert seen[:17] == 15 * [1] + [2, 2]
    assert seen[-1] == 9  # and no longer
    assert progress == [i % 16 == 15 or i >= 9 * 16 for i in range(200)]
    assert course.scalars()["bits"] == 9


def test_it_stays_while_the_current_length_is_not_learned():
    course = curriculum(current_share=1.0, shorter_share=0.0, threshold=0.8)
    batches = course.batches()
    for _ in range(200):
        next(batches)
        assert not course.observe(result(0.75))
    assert course.bits == 1
    assert course.scalars()["right_at_bits"] == pytest.approx(0.75)


def test_other_lengths_say_nothing_of_the_current_one():
    course = curriculum(current_share=0.0, shorter_share=0.0)
    batches = course.batches()
    for _ in range(100):
        if bits_of(next(batches)) != course.bits:
            before = course.scalars()
            assert not course.observe(result(1.0))
            assert course.scalars() == before


def test_dropout_rises_while_most_of_the_longest_are_right():
    """Not when it passes the threshold; nor does it fall when it goes worse again."""
    course = curriculum(
        curriculum_dropout=0.1, least_bits=8, current_share=1.0, shorter_share=0.0
    )
    seen = []
    shares = [1.0] * 20 + [0.89] * 80 + [1.0] * 100 + [0.0] * 100
    for share, _ in zip(shares, course.batches(), strict=False):
        course.observe(result(share))
        seen.append((course.bits, round(course.dropout, 6)))
    assert list(dict.fromkeys(seen)) == [
        *[(8, 0.1), (9, 0.1), (9, 0.125), (9, 0.15), (9, 0.175)]
    ]
    assert [seen.count((9, rate)) for rate in (0.125, 0.15)] == [40, 40]
    assert seen[99] == (9, 0.1) and seen[104] == (9, 0.125)
    assert course.scalars()["dropout"] == course.dropout == pytest.approx(0.175)
    assert curriculum().dropout is None and "dropout" not in curriculum().scalars()
    other = curriculum(curriculum_dropout=0.1, least_bits=8)
    assert other.dropout == 0.1
    other.deserialize(course.serialize())
    assert other.dropout == course.dropout
    other.right = 1.0
    next(other.batches())
    other.observe(result(1.0))  # long enough after the last rise
    assert other.dropout == pytest.approx(0.2)
    course.deserialize(other.serialize())
    course.observe(result(1.0))  # not yet
    assert course.dropout == other.dropout


def test_dropout_rises_without_a_curriculum_too():
    course = curriculum(curriculum_dropout=0.1, curriculum=False, buckets=3)
    seen = []
    for share, _ in zip([0.89] * 60 + [1.0] * 40, course.batches(), strict=False):
        course.observe(result(share))
        seen.append(course.dropout)
    assert seen[59] == 0.1 and seen[-1] == 0.125


def test_half_of_the_batches_have_spare_columns():
    """As many for all examples of a batch; source and target are blank there."""
    task = TASKS["badd"]
    spares = []
    for batch in take(curriculum(spare_columns=0.5, least_bits=9).batches(), 600):
        source, size = batch["source"].numpy(), batch["size"].numpy()
        (spare,) = set(size - task.size(source))
        assert source.shape[1] == size.max()
        np.testing.assert_array_equal(batch["target"], task.target(source))
        spares.append(spare / task.canvas(9))
    spares = np.array(spares)
    assert 0.5 < np.mean(spares == 0) < 0.6
    assert 0.5 < spares.max() <= 10 / 19 and spares[spares > 0].min() == 1 / 19
    assert np.mean(spares[spares > 0]) == pytest.approx(0.29, abs=0.03)


def test_every_example_has_its_share_of_blank_columns():
    plain, roomy = (
        next(curriculum(blank_columns=share, least_bits=9).batches())
        for share in (0.0, 0.2)
    )
    columns = plain["source"].shape[1]
    assert roomy["source"].shape[1] == columns + -(-columns // 5)
    np.testing.assert_array_equal(roomy["source"][:, :columns], plain["source"])
    size = plain["size"].numpy()
    np.testing.assert_array_equal(roomy["size"], size + -(-size // 5))


def test_blank_columns_of_evaluation_are_not_those_of_training():
    course = curriculum(blank_columns=0.2, evaluation_blank_columns=0.5)
    assert course.task.blank_columns == 0.2
    assert course.config.algorithm.blank_columns == 0.5
    plain = curriculum(blank_columns=0.2)
    assert plain.config.algorithm.blank_columns == 0.2
    pairs = zip(plain.batches(), course.batches(), strict=False)
    for one, other in itertools.islice(pairs, 5):
        np.testing.assert_array_equal(one["source"], other["source"])
        np.testing.assert_array_equal(one["size"], other["size"])
    none = curriculum(blank_columns=0.2, evaluation_blank_columns=0.0)
    assert none.config.algorithm.blank_columns == 0


def test_a_saved_place_goes_on_with_the_same_batches():
    def run(course, count):
        batches = []
        for batch in itertools.islice(course.batches(), count):
            course.observe(result(1.0))
            batches.append(batch["source"].numpy())
        return batches

    whole = run(curriculum(), 60)
    first = curriculum()
    before = run(first, 25)
    second = curriculum()
    second.deserialize(first.serialize())
    after = run(second, 35)
    assert all(map(np.array_equal, before + after, whole))
    other = run(curriculum(curriculum_seed=1), 60)
    assert not all(map(np.array_equal, other, whole))


def test_every_step_takes_a_batch_of_each_range_of_lengths():
    course = curriculum(
        curriculum=False, buckets=4, task_batch_size=60, least_bits=2, most_bits=9
    )
    task, seen = TASKS["badd"], set()
    for step in take(course.batches(), 3):
        assert [bits_of(batch) for batch in step] == [3, 5, 7, 9]
        for batch, most in zip(step, (3, 5, 7, 9), strict=True):
            source, size = batch["source"].numpy(), batch["size"].numpy()
            assert len(source) == 60
            np.testing.assert_array_equal(batch["target"], task.target(source))
            np.testing.assert_array_equal(size, task.size(source))
            assert set(size) == {task.canvas(most - 1), task.canvas(most)}
            seen |= {source.tobytes()}
        course.observe(result(1.0))
    assert len(seen) == 12
    # All steps tell of the current length, which is the longest.
    assert course.scalars()["right_at_bits"] == pytest.approx(1 - 0.9**3)


def test_buckets_and_a_curriculum_are_either_or():
    with pytest.raises(InputError, match="buckets=2: .*--nocurriculum"):
        curriculum(buckets=2)
    with pytest.raises(InputError, match="buckets=10: more than the lengths"):
        curriculum(curriculum=False, buckets=10)


def test_hard_examples_have_their_share():
    task = TASKS["badd"]

    def carries(share):
        course = curriculum(
            curriculum=False,
            least_bits=12,
            most_bits=12,
            task_batch_size=40,
            hard_share=share,
        )
        batches = [batch["source"].numpy() for batch in take(course.batches(), 10)]
        assert all(len(batch) == 40 for batch in batches)
        return [
            [carry_length(*task.numbers(row)) for row in batch] for batch in batches
        ]

    plain, mixed, hard = (np.array(carries(share)) for share in (0.0, 0.25, 1.0))
    assert np.mean(plain >= 9) < 0.03
    assert 0.25 * np.mean(hard >= 9) - 0.03 < np.mean(mixed >= 9) < 0.12
    assert set(hard.ravel()) >= set(range(1, 13))
    assert len({tuple(row) for row in hard}) == 10  # not the same ones every time
    with pytest.raises(InputError, match="hard_share=1.5"):
        curriculum(hard_share=1.5)
