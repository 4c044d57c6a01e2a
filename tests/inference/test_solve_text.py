import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import solve_text
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
