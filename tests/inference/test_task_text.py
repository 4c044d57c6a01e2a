import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference.task_text import task_text
from neural_gpu_tf.tasks import TASKS, Addition, StringTask, Task

COLUMNS = 60
SPOILED = [
    "",
    " ",
    "+",
    "1 +",
    "1",
    "12",
    "3 12",
    "1 + 1 + 1",
    "1 1 + 1",
    "é + 1",
    "3#0",
]
SPOILED += [
    "3 1 2",
    "b3 a1 b",
    "3a1#2",
    "3a1#",
    "#2",
    "3a1 # 0012",
    "3a1#2#",
    "9 9 9 9",
]
SPOILED += [
    "0",
    "0000",
    "00 + 000",
    "7 × 8",
    "7·8",
    "7 x 8",
    "10*11",
    "zz",
    "a#b",
    "3a#",
]
SPOILED += [
    "1" * 70,
    f"{'1' * 40} + 1",
    "0012+7",
    " 12\t+\n7 ",
    "1 * 1",
    "+1",
    "3 a 1 #",
]


class Letters(StringTask):
    """Backwards; characters beyond ASCII."""

    alphabet = "αβγ"

    def spec(self, text):
        return text[::-1]

    def draw_text(self, rng, length):
        return self._any(rng, self.alphabet, length)


class Ones(Letters):
    alphabet = "1"


OTHERS = {
    "letters": Letters("letters", blank_columns=0.2),
    "ones": Ones("ones"),
    "uneven": Addition("uneven", balanced=False),
    "wide": dataclasses.replace(TASKS["dup"], blank_columns=0.07),
    "far": dataclasses.replace(TASKS["repeat-copy"], blank_columns=0.5),
    "three": dataclasses.replace(TASKS["addz"], operands=3, blank_columns=0.25),
}
ALL = {**TASKS, **OTHERS}


def python_reading(task, text):
    """What `Task` makes of a text: its source, or None."""
    try:
        source = task.parse(text)
    except InputError:
        return None
    squeezed = "".join(text.split())
    return source if max(len(source), len(squeezed)) <= COLUMNS else None


@pytest.mark.parametrize("name", ALL)
def test_texts_are_read_and_written_as_the_task_does(name):
    task = ALL[name]
    random = np.random.default_rng(0)
    texts = list(SPOILED)
    for length in range(task.minimum_length, 42, 4):
        texts += [task.format(row) for row in task.generate(random, length, 4)[0]]
    form = task_text(task, COLUMNS)
    texts_spec = tf.TensorSpec([None], tf.string)
    graph = tf.function(form.read, input_signature=[texts_spec], autograph=False)
    source, size, valid = (x.numpy() for x in graph(texts))
    seen = 0
    for row, columns, read, text in zip(source, size, valid, texts, strict=True):
        expected = python_reading(task, text)
        assert read == (expected is not None), text
        if read:
            assert columns == len(expected), text
            np.testing.assert_array_equal(row[:columns], expected, text)
            seen += 1
        assert not row[columns:].any()
    assert 20 < seen < len(texts)

    rows = random.integers(0, task.vocabulary_size, [50, 11])
    rows[::2] = task.generate(random, max(11, task.minimum_length), 25)[1][:, :11]
    rows[::3, random.integers(11) :] = 0
    rows[0] = 0
    rows_spec = tf.TensorSpec([None, None], tf.int32)
    write = tf.function(form.write, input_signature=[rows_spec], autograph=False)
    written = [text.decode() for text in write(rows.astype(np.int32)).numpy()]
    assert written == [task.format_target(row) for row in rows]


def test_an_empty_batch():
    form = task_text(TASKS["badd"], COLUMNS)
    source, size, valid = form.read(tf.constant([], tf.string))
    assert source.shape == (0, 1) and size.shape == (0,) and valid.shape == (0,)
    assert form.write(tf.zeros([0, 3], tf.int32)).shape == (0,)


def test_a_task_of_another_kind_is_refused():
    class Own(Task):
        pass

    own = dataclasses.make_dataclass("Own", [], bases=(Task,), frozen=True)
    own.__abstractmethods__ = frozenset()
    own.minimum_length = 1
    with pytest.raises(InputError, match="own: a task of class Own.*derive it from"):
        task_text(own("own"), COLUMNS)


def test_no_room_for_the_shortest_question():
    with pytest.raises(InputError, match="max_columns=2: .* badd takes 3"):
        task_text(TASKS["badd"], 2)
