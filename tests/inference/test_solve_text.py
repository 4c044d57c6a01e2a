import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import solve_text, solve_texts
from neural_gpu_tf.tasks import TASKS

TASK = TASKS["badd"]


def test_the_truth_and_what_the_model_says():
    def perfect(source, size):
        assert source.shape == (1, 7) and size.numpy().tolist() == [7]
        return tf.constant(TASK.target(source.numpy()))

    assert solve_text(perfect, TASK, "101 + 11") == ("1000", "1000")

    def silent(source, size):
        return tf.zeros_like(source)

    answer, exact = solve_text(silent, TASK, "101 + 11")
    assert exact == "1000" != answer
    assert answer == TASK.format_target(np.zeros(7, int))


def test_no_question():
    with pytest.raises(InputError, match="2"):
        solve_text(None, TASK, "12+1")


def test_a_question_beyond_the_memory_is_refused():
    with pytest.raises(InputError, match="the question: 2001 columns of 100000 bytes"):
        solve_text(None, TASK, "1" * 1000 + "+1", cell_bytes=100_000)


def test_questions_are_packed_by_length_and_answered_in_order():
    seen = []

    def perfect(source, size):
        seen.append((source.shape, size.numpy().tolist()))
        return tf.constant(TASK.target(source.numpy()))

    questions = ["1+1", "1" * 12 + "+1", "101+11", "1" * 11 + "+1"]
    found = solve_texts(perfect, TASK, questions, cell_bytes=100_000)
    exact = ["10", "1" + "0" * 12, "1000", "1" + "0" * 11]
    assert found == [(answer, answer) for answer in exact]
    # 55 columns fit into the cache: two canvases of 25, then those of 7 and 3.
    assert seen == [((2, 25), [25, 23]), ((2, 7), [7, 3])]
    assert solve_texts(perfect, TASK, []) == []


def test_which_question_is_none():
    with pytest.raises(InputError, match="^question 2: badd: '2'"):
        solve_texts(None, TASK, ["1+1", "2"])
    with pytest.raises(InputError, match="^question 1: 2001 columns"):
        solve_texts(None, TASK, ["1" * 1000 + "+1", "1+1"], cell_bytes=100_000)
