"""What holds for every task."""

import dataclasses

import numpy as np
import pytest

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import TASKS, NumberTask

REQUIRED = (
    "badd qadd add bmul qmul mul mulbcd incr id rev rev2 sort bsort kvsort dup search "
    "left right left-shift right-shift 3badd 3qadd 3add copy repeat-copy"
).split()

every_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())


def generator(seed=7):
    return np.random.default_rng(seed)


def check_examples(task, source, target, length):
    """Shapes, symbols, and that source and target lie on the source's canvas."""
    assert source.shape == target.shape == (len(source), length)
    assert source.dtype == target.dtype == np.int32
    assert source.min() >= PAD and source.max() < task.vocabulary_size
    assert target.min() >= PAD and target.max() < task.vocabulary_size
    size = task.size(source)
    assert size.dtype == np.int32 and size.shape == (len(source),)
    assert size.max() <= length and size.min() >= task.minimum_length
    outside = np.arange(length) >= size[:, None]
    assert not source[outside].any() and not target[outside].any()


def test_every_required_task_is_there_under_its_own_name():
    assert set(REQUIRED) <= set(TASKS)
    assert all(task.name == name for name, task in TASKS.items())


@every_task
def test_symbols(task):
    assert task.vocabulary_size == len(task.symbols) <= 256
    assert task.symbols[PAD] == "_"
    assert "_" not in "".join(task.symbols[1:])


@every_task
def test_examples_lie_on_the_canvas(task):
    for length in (*range(task.minimum_length, task.minimum_length + 24), 200):
        source, target = task.generate(generator(length), length, 8)
        check_examples(task, source, target, length)


@every_task
@pytest.mark.parametrize("bits", [1, 2, 3, 20])
def test_a_problem_of_so_many_bits_fills_its_canvas(task, bits):
    source, _ = task.generate(generator(), task.canvas(bits), 64)
    assert task.size(source).max() == task.canvas(bits)
    if isinstance(task, NumberTask) and task.layout != "bare":
        assert task.size(source).min() == task.canvas(bits)


@every_task
@pytest.mark.parametrize("bits", [1, 2, 3, 20])
def test_hard_inputs(task, bits):
    for batch in (1, 50):
        source, target = task.hard(generator(), bits, batch)
        check_examples(task, source, target, task.canvas(bits))
        np.testing.assert_array_equal(target, task.target(source))


@every_task
def test_the_seed_decides(task):
    length = task.canvas(8)
    for draw in (
        lambda rng: task.generate(rng, length, 20),
        lambda rng: task.hard(rng, 8, 20),
    ):
        first, again, other = draw(generator(1)), draw(generator(1)), draw(generator(2))
        np.testing.assert_array_equal(first, again)
        assert (first[0] != other[0]).any()


@every_task
def test_columns_behind_an_example_change_nothing(task):
    source, target = task.generate(generator(), task.canvas(5), 10)
    wide = np.pad(source, ((0, 0), (0, 9)))
    np.testing.assert_array_equal(task.size(wide), task.size(source))
    wider = np.pad(target, ((0, 0), (0, 9)))
    np.testing.assert_array_equal(task.target(wide), wider)


@every_task
@pytest.mark.parametrize("bits", [1, 5, 20])
def test_blank_columns_follow_the_same_examples(task, bits):
    roomy = dataclasses.replace(task, blank_columns=0.25)
    columns = task.canvas(bits)
    length = roomy.canvas(bits)
    assert length == columns + -(-columns // 4)
    for draw in (
        lambda task: task.generate(generator(), task.canvas(bits), 8),
        lambda task: task.hard(generator(), bits, 8),
    ):
        (source, target), (wide, answers) = draw(task), draw(roomy)
        np.testing.assert_array_equal(wide[:, :columns], source)
        np.testing.assert_array_equal(answers[:, :columns], target)
        assert not wide[:, columns:].any() and not answers[:, columns:].any()
        check_examples(roomy, wide, answers, length)
        own = task.size(source)
        np.testing.assert_array_equal(roomy.size(wide), own + -(-own // 4))
        text = task.format(source[0])
        assert roomy.format(wide[0]) == text and roomy.answer(text) == task.answer(text)
        assert len(roomy.parse(text)) == roomy.size(wide[0])


def test_the_share_of_blank_columns_is_exact():
    """0.07 · 100 in floats is a little more than 7."""
    task = dataclasses.replace(TASKS["rev"], blank_columns=0.07)
    assert [task.canvas(bits) for bits in (1, 14, 15, 100)] == [2, 15, 17, 107]


@every_task
def test_format_and_parse_are_inverse(task):
    for length in (task.minimum_length, task.canvas(2), task.canvas(9)):
        source, target = task.generate(generator(), length, 10)
        for question, answer in zip(source, target, strict=True):
            text = task.format(question)
            parsed = task.parse(text)
            assert parsed.dtype == np.int32
            assert len(parsed) == task.size(question)
            np.testing.assert_array_equal(parsed, question[: len(parsed)])
            assert task.answer(text) == task.format_target(answer)
            assert task.parse(f"  {text} \n").tolist() == parsed.tolist()


@every_task
def test_any_output_can_be_shown(task):
    outputs = generator().integers(task.vocabulary_size, size=(200, 9))
    assert all(task.format_target(output) for output in outputs)
    assert task.format_target(np.zeros(9, np.int32)) == "_"


@every_task
def test_too_short(task):
    with pytest.raises(InputError, match=f"{task.name}: no example of length"):
        task.generate(generator(), task.minimum_length - 1, 2)
    roomy = dataclasses.replace(task, blank_columns=1.0)
    with pytest.raises(InputError, match=f"{task.name}: no example of length"):
        roomy.generate(generator(), 2 * task.minimum_length - 1, 2)
    source, target = roomy.generate(generator(), 2 * task.minimum_length, 2)
    check_examples(roomy, source, target, 2 * task.minimum_length)
    with pytest.raises(InputError, match=f"{task.name}: operands of 0 symbols"):
        task.hard(generator(), 0, 2)


@every_task
@pytest.mark.parametrize("text", ["", "  "])
def test_empty_text(task, text):
    with pytest.raises(InputError) as error:
        task.parse(text)
    message = str(error.value)
    assert message.startswith(f"{task.name}: ") and "\n" not in message


def test_a_seed_stands_for_questions():
    """Hard or random, of the length asked for; each seed, length and kind its own."""
    task = dataclasses.replace(TASKS["badd"], blank_columns=0.5)
    for hard in (False, True):
        source, target, size = task.questions(3, 5, 40, hard)
        np.testing.assert_array_equal(source, task.questions(3, 5, 40, hard)[0])
        np.testing.assert_array_equal(target, task.target(source))
        np.testing.assert_array_equal(size, 17)
        assert np.any(source != task.questions(4, 5, 40, hard)[0])
    rng = np.random.default_rng([3, 5, 1])
    np.testing.assert_array_equal(source, task.hard(rng, 5, 40)[0])


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("seed, bits, wrong", [(-1, 5, "seed=-1"), (0, 0, "bits=0")])
def test_questions_of_no_length_or_of_no_seed(seed, bits, wrong, hard):
    with pytest.raises(InputError, match=wrong):
        TASKS["badd"].questions(seed, bits, 4, hard)
