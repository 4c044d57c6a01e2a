import io

import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import by_length
from neural_gpu_tf.inference import Solver, check_columns
from neural_gpu_tf.models import NeuralGPU
from neural_gpu_tf.progress_bar import progress_bar
from neural_gpu_tf.tasks import TASKS, carry_length

TASK = TASKS["badd"]


def perfect(source, size):
    return TASK.target(source)


def test_the_exact_answers_are_all_right():
    for hard in (False, True):
        scores = by_length(perfect, TASK, [3, 40], 10, 4, hard=hard)
        assert [score.bits for score in scores] == [3, 40]
        assert [score.columns for score in scores] == [TASK.canvas(3), TASK.canvas(40)]
        assert all(score.exact == score.symbols == 1 for score in scores)


def test_columns_beyond_an_example_do_not_count():
    task = TASKS["repeat-copy"]  # its examples differ in size
    (score,) = by_length(lambda x, _: task.target(x), task, [3], 40, 4)
    assert score.exact == score.symbols == 1


def test_one_wrong_symbol_makes_one_wrong_example():
    def almost(source, size):
        answer = TASK.target(source).copy()
        answer[1, 2] = 99
        return answer

    (score,) = by_length(almost, TASK, [5], 10, 4)
    assert score.exact == 0.9
    assert score.symbols == 1 - 1 / (10 * score.columns)


def test_hard_sums_are_told_by_their_carry():
    def fails_on_long_carries(source, size):
        answer = TASK.target(source).copy()
        for row in range(len(source)):
            if carry_length(*TASK.numbers(source[row])) > 6:
                answer[row, 0] = 99
        return answer

    (score,) = by_length(fails_on_long_carries, TASK, [9], 40, 4, hard=True)
    assert {row["carry"] for row in score.by_carry} == set(range(10))
    assert sum(row["examples"] for row in score.by_carry) == 40
    for row in score.by_carry:
        assert row["exact"] == (row["carry"] <= 6)
    assert 0 < score.exact < 1
    (score,) = by_length(perfect, TASK, [9], 4, 4)
    assert score.by_carry == []
    (score,) = by_length(
        lambda source, size: TASKS["rev"].target(source),
        TASKS["rev"],
        [9],
        4,
        4,
        hard=True,
    )
    assert score.by_carry == []


def test_what_stands_beyond_the_canvas_does_not_count():
    task = TASKS["repeat-copy"]

    def noisy(source, size):
        answer = task.target(source).copy()
        beyond = np.arange(source.shape[1]) >= size[:, None]
        assert beyond.any()
        answer[beyond] = 99
        return answer

    (score,) = by_length(noisy, task, [6], 20, 4)
    assert score.exact == 1


def test_parts_that_fit_the_memory_are_the_whole(monkeypatch):
    def run(source, size):
        shapes.append(source.shape)
        return perfect(source, size) * (source > 1)

    shapes = []
    (whole,) = by_length(run, TASK, [4], 10, 8)
    columns = TASK.canvas(4)
    for cache, batches in ((4, [4, 4, 2]), (0.5, 10 * [1])):
        cache_bytes = int(3 * columns * 8 * cache)
        monkeypatch.setitem(check_columns.__globals__, "CACHE_BYTES", cache_bytes)
        (parts,) = by_length(run, TASK, [4], 10, 8)
        assert [shape[0] for shape in shapes] == [10, *batches]
        assert parts == whole
        del shapes[1:]
    monkeypatch.setitem(check_columns.__globals__, "CANVAS_BYTES", 3 * columns * 8 - 1)
    with pytest.raises(InputError, match="^bits=4: "):
        by_length(run, TASK, [4], 10, 8)


def test_what_takes_long_shows_how_far_it_is_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    bars = [io.StringIO(), Terminal()]
    monkeypatch.setitem(progress_bar.__globals__, "_AFTER", 0)
    monkeypatch.setitem(check_columns.__globals__, "CACHE_BYTES", 1)
    for stream in bars:
        monkeypatch.setattr("sys.stderr", stream)
        by_length(lambda source, size: TASK.target(source), TASK, [4], 6, 8)
    assert bars[0].getvalue() == ""
    shown = bars[1].getvalue()
    assert "length 4" in shown and "0/6" in shown and "exact=100.0%" in shown


def test_the_solver_says_what_the_model_does():
    model = NeuralGPU(TASK.vocabulary_size, maps=5, width=2, seed=1)
    source, target = TASK.generate(np.random.default_rng(0), TASK.canvas(3), 4)
    size = TASK.size(source)
    logits = model({"source": source, "target": target, "size": size})
    np.testing.assert_array_equal(
        Solver(model)(source, size), tf.argmax(logits, axis=-1)
    )
