"""Numbers as human text and on the canvas."""

import dataclasses

import numpy as np
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import TASKS, Addition

BADD = TASKS["badd"]


def names(task, symbols):
    return [task.symbols[symbol] for symbol in symbols]


def test_least_significant_digit_first():
    source = BADD.parse("1101 + 0110")
    assert names(BADD, source) == list("1011+0110")
    assert names(BADD, BADD.target(source[None])[0]) == list("110010000")
    assert BADD.format(source) == "1101 + 0110"
    assert BADD.answer("1101 + 0110") == "10011"


def test_the_shorter_operand_is_filled_with_zeros():
    assert BADD.format(BADD.parse("110101+1011")) == "110101 + 001011"
    loose = dataclasses.replace(BADD, balanced=False)
    assert loose.format(loose.parse("110101+1011")) == "110101 + 1011"
    assert loose.answer("110101+1011") == BADD.answer("110101+1011") == "1000000"


def test_bare_numbers_have_no_leading_zeros():
    task = TASKS["baddz"]
    source = task.parse("0011 + 000")
    assert names(task, source) == list("11+0")
    assert names(task, task.target(source[None])[0]) == list("11__")


def test_aligned_numbers_lie_one_above_the_other():
    task = TASKS["badde"]
    source = task.parse("110 + 1")
    assert names(task, source) == ["01", "10", "10", "+", "_", "_", "_"]
    assert names(task, task.target(source[None])[0]) == list("1110000")
    assert task.format(source) == "110 + 001"


def test_reversed_operands_begin_with_their_most_significant_digit():
    task = TASKS["baddr"]
    source = task.parse("110 + 1")
    assert names(task, source) == list("110+001")
    assert names(task, task.target(source[None])[0]) == list("1110000")
    assert task.format(source) == "110 + 001"
    assert task.numbers(source) == (6, 1)


def test_the_operator_tells_the_base():
    tasks = [TASKS[name] for name in ("badd", "qadd", "add", "bmul", "qmul", "mul")]
    assert [task.separator for task in tasks] == [11, 12, 13, 14, 15, 16]
    assert {task.vocabulary_size for task in tasks} == {17}


def test_multiplication_signs():
    task = TASKS["mul"]
    for text in ("12 * 34", "12×34", "12·34", "12 x 34"):
        assert task.format(task.parse(text)) == "12 * 34"


def test_numbers_of_a_source():
    assert BADD.numbers(BADD.parse("110101 + 1011")) == (53, 11)
    task = TASKS["mule"]
    assert task.numbers(np.pad(task.parse("907 * 15"), (0, 4))) == (907, 15)
    assert TASKS["mulbcd"].numbers(TASKS["mulbcd"].parse("907 * 15")) == (907, 15)


def test_output_of_a_model():
    assert BADD.format_target(np.array([2, 1, 2, 1, 1, 0, 0])) == "101"
    assert BADD.format_target(np.array([1, 1, 1])) == "0"
    assert BADD.format_target(np.array([1, 11, 0, 2, 1])) == "1_+0"


@pytest.mark.parametrize(
    "name", ["badd", "add", "qmul", "mulbcd", "3badd", "baddz", "badde", "baddr"]
)
def test_operands_of_any_width(name):
    task = dataclasses.replace(TASKS[name], balanced=False)
    rng = np.random.default_rng(0)
    for length in range(task.minimum_length, 60, 7):
        source, target = task.generate(rng, length, 50)
        assert task.size(source).max() <= length
        for question, answer in zip(source, target, strict=True):
            text = task.format(question)
            assert task.format_target(answer) == TASKS[name].answer(text)
            assert task.parse(text).tolist() == question[: task.size(question)].tolist()


def test_a_random_split_is_even():
    task = dataclasses.replace(BADD, balanced=False)
    source, _ = task.generate(np.random.default_rng(0), 12, 5000)
    assert (task.size(source) == 12).all()
    places = np.bincount(np.argmax(source == task.separator, axis=1), minlength=12)
    assert not places[[0, 11]].any()
    # 10 places, 500 times each; 5 standard deviations of a binomial are 106.
    assert np.abs(places[1:11] - 500).max() < 106


@pytest.mark.parametrize(("name", "base"), [("badd", 2), ("qmul", 4)])
def test_operands_are_drawn_evenly(name, base):
    task, pairs = TASKS[name], base**4
    source, _ = task.generate(np.random.default_rng(0), 5, 100 * pairs)
    counts = np.zeros(pairs, int)
    for row in source[:, [0, 1, 3, 4]] - 1:
        counts[np.dot(row, base ** np.arange(4))] += 1
    # 100 times each; 6 standard deviations are 60.
    assert np.abs(counts - 100).max() < 60


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("badd", "1101", "has no '\\+' where 1 should be; write \"1101 \\+ 1101\""),
        ("badd", "1 + 1 + 1", "has 2 '\\+' where 1 should be"),
        ("badd", "10 * 11", "has no '\\+'"),
        ("badd", " + 11", "operand 1 of ' \\+ 11' is empty"),
        ("badd", "11 + ", "operand 2 of '11 \\+ ' is empty"),
        ("badd", "1121 + 1", "operand 1 .* '2' at position 3; its digits are 0 to 1"),
        ("badd", "11 + 10a", "operand 2 .* 'a' at position 8; its digits are 0 to 1"),
        ("badd", "11 + 1 1", "operand 2 .* ' ' at position 7"),
        ("qadd", "3 + 4", "operand 2 .* '4' at position 5; its digits are 0 to 3"),
        ("add", "3 + ４", "operand 2 .* '４' at position 5"),
        ("mul", "3 * -4", "operand 2 .* '-' at position 5; its digits are 0 to 9"),
        ("mulbcd", "3 * 1f", "operand 2 .* 'f' at position 6"),
        ("badde", "12 + 1", "operand 1 .* '2' at position 2"),
        ("3badd", "1 + 1", "has 1 '\\+' where 2 should be; write \"1101 \\+ 1101 \\+ "),
    ],
)
def test_wrong_text(name, text, message):
    with pytest.raises(InputError, match=f"^{name}: .*{message}") as error:
        TASKS[name].parse(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"base": 3}, "base 3; choose one of 2, 4, 10"),
        ({"layout": "wide"}, "layout 'wide'; choose one of padded, bare, aligned"),
        ({"operands": 1}, "1 operands in layout padded; at least 2, at most 9"),
        (
            {"operands": 3, "layout": "aligned"},
            "3 operands in layout aligned; .*most 2",
        ),
    ],
)
def test_wrong_choices(choice, message):
    with pytest.raises(InputError, match=message):
        Addition("x", **choice)
