"""Tasks on lists, on every short list, against loops written out."""

import dataclasses
import itertools

import numpy as np
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import TASKS, Reverse


def reversed_list(source):
    target = list(source)
    for k in range(len(source)):
        target[len(source) - 1 - k] = source[k]
    return target


def counted(source):
    return [s for s in range(1, 9) for _ in range(source.count(s))]


def pairs_reversed(source):
    target = []
    for k in range(0, len(source), 2):
        target = source[k : k + 2] + target
    return target


def pairs_by_key(source):
    target = []
    for key in range(1, 9):
        for k in range(0, len(source), 2):
            if source[k] == key:
                target += source[k : k + 2]
    return target


def looked_up(source):
    for k in range(0, len(source) - 1, 2):
        if source[k] == source[-1]:
            return [source[k + 1]] + [0] * (len(source) - 1)
    return [0] * len(source)


def padded(symbols, source):
    return symbols + [0] * (len(source) - 1)


ORACLES = {
    "id": lambda source: source,
    "rev": reversed_list,
    "rev2": pairs_reversed,
    "sort": counted,
    "bsort": counted,
    "kvsort": pairs_by_key,
    "dup": lambda source: source + source,
    "search": looked_up,
    "left": lambda source: padded(source[:1], source),
    "right": lambda source: padded(source[-1:], source),
    "left-shift": lambda source: source[-1:] + source[:-1],
    "right-shift": lambda source: source[1:] + source[:1],
    "copy": lambda source: [0] * (len(source) + 1) + source,
}


@pytest.mark.parametrize("name", ORACLES)
def test_all_short_lists(name):
    task = dataclasses.replace(TASKS[name], values=3)
    step, start = {"rev2": (2, 2), "kvsort": (2, 2), "search": (2, 3)}.get(name, (1, 1))
    for count in range(start, 8, step):
        lists = [list(row) for row in itertools.product((1, 2, 3), repeat=count)]
        expected = np.array([ORACLES[name](row) for row in lists])
        source = np.zeros(expected.shape, int)
        source[:, :count] = lists
        if name == "copy":
            source[:, count] = 4
        np.testing.assert_array_equal(task.target(source), expected)
        assert (task.size(source) == expected.shape[1]).all()


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("id", "3 a 1", "3a1"),
        ("rev", "3a1", "1a3"),
        ("rev2", "b3 a1 c2", "c2 a1 b3"),
        ("sort", "3a13", "133a"),
        ("bsort", "1001011", "0001111"),
        ("kvsort", "b3 a1 b2", "a1 b3 b2"),
        ("dup", "3a1", "3a13a1"),
        ("search", "b3 a1 b2 b", "3"),
        ("search", "b3 a1 b2 c", "_"),
        ("left", "3a1", "3"),
        ("right", "3a1", "1"),
        ("left-shift", "3a1", "13a"),
        ("right-shift", "3a1", "a13"),
        ("copy", "3a1", "3a1"),
        ("copy", "3a1#", "3a1"),
        ("repeat-copy", "3a1#2", "3a13a1#"),
    ],
)
def test_text(name, text, answer):
    assert TASKS[name].answer(text) == answer


def test_names():
    task = TASKS["rev"]
    assert task.symbols == ("_", *"0123456789abcde")
    assert task.parse("0 9e").tolist() == [1, 10, 15]
    assert task.format(np.array([1, 10, 15, 0])) == "09e"
    assert TASKS["rev2"].format(TASKS["rev2"].parse("b3a1")) == "b3 a1"
    assert TASKS["copy"].symbols[-1] == "#" and TASKS["copy"].vocabulary_size == 16


def test_symbols_are_drawn_evenly():
    source, _ = TASKS["sort"].generate(np.random.default_rng(0), 30, 1000)
    counts = np.array([(source == symbol).sum(axis=0) for symbol in range(1, 16)])
    # In each column each symbol 66.7 times; 6 standard deviations are 47.
    assert np.abs(counts - 1000 / 15).max() < 47


def test_hard_lists():
    task = TASKS["sort"]
    source, _ = task.hard(np.random.default_rng(0), 30, 8)
    rows = source.tolist()
    assert rows[0] == [1] * 30 and rows[1] == [15] * 30 and len(set(rows[2])) == 1
    assert rows[3] == sorted(rows[3]) and len(set(rows[3])) > 5
    assert rows[4] == sorted(rows[4])[::-1] and len(set(rows[4])) > 5
    assert rows[5] == rows[5][:2] * 15
    assert rows[6] == rows[6][::-1] and len(set(rows[6])) > 5
    assert sorted(np.unique(rows[7], return_counts=True)[1].tolist()) == [1, 29]


def test_two_symbols_of_a_hard_list_differ():
    source, _ = TASKS["bsort"].hard(np.random.default_rng(0), 9, 800)
    assert (source[5::8, 0] != source[5::8, 1]).all()
    assert (np.ptp(source[7::8], axis=1) == 1).all()


def test_hard_keys():
    source, _ = TASKS["kvsort"].hard(np.random.default_rng(0), 30, 8)
    assert (source[0, 0::2] == 1).all() and len(set(source[0, 1::2])) > 5
    assert (np.diff(source[3, 0::2]) >= 0).all()
    assert (np.diff(source[4, 0::2]) <= 0).all()


def test_hard_searches():
    source, _ = TASKS["search"].hard(np.random.default_rng(0), 10, 5)
    found = [(row[0:-1:2] == row[-1]).nonzero()[0].tolist() for row in source]
    assert found == [[], [0], [9], list(range(10)), []]
    assert (source[4, 1::2] == source[4, -1]).all()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rev", "3z1", "'3z1' has 'z' at position 2; its symbols are 0123456789abcde$"),
        ("rev", "3A1", "has 'A' at position 2"),
        ("rev", "", "'' is empty"),
        ("copy", "3#1", "has '#' at position 2"),
        ("copy", "#", "is empty"),
        ("rev2", "b3 a", "has 3 symbols; it takes pairs"),
        ("kvsort", "b3 a", "has 3 symbols; it takes pairs"),
        ("search", "b3", "has 2 symbols; it takes pairs, .* then one key"),
        ("search", "b", "has 1 symbols"),
    ],
)
def test_wrong_text(name, text, message):
    with pytest.raises(InputError, match=f"^{name}: .*{message}") as error:
        TASKS[name].parse(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("values", [1, 37])
def test_wrong_number_of_symbols(values):
    with pytest.raises(InputError, match=f"{values} symbols; at least 2, at most 36"):
        Reverse("x", values=values)
