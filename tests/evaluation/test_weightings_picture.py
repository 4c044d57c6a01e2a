import numpy as np
import pytest
from PIL import Image

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import draw_question, has_picture, question_frames
from neural_gpu_tf.evaluation.weightings_picture import weightings_frames
from neural_gpu_tf.inference import Solver
from neural_gpu_tf.models import NeuralTuringMachine, RNNSeq2Seq
from neural_gpu_tf.tasks import TASKS

BLACK, BORDER, NOT_YET = (0,) * 3, (178, 24, 43), (225,) * 3


def places(steps, heads, rows, at):
    """Heads wholly at row `at` of step and head."""
    values = np.zeros((steps, heads, rows), "float32")
    for step, head, row in at:
        values[step, head, row] = 1
    return values


def cells(frame, colour):
    return np.argwhere((frame == colour).all(-1))


def test_a_panel_has_a_column_a_step_and_a_row_a_row_of_the_memory():
    nowhere = places(4, 1, 5, [])
    bare = ["", ""]
    frame, write, read = (
        weightings_frames(*x, bare, bare)[0]
        for x in (
            (nowhere, nowhere),
            (places(4, 1, 5, [(0, 0, 1), (3, 0, 4)]), nowhere),
            (nowhere, places(4, 1, 5, [(0, 0, 1)])),
        )
    )
    high, wide = 16, 16
    changed = [np.argwhere((x != frame).any(-1)) for x in (write, read)]
    first, last = changed[0].min(0), changed[0].max(0)
    for corner in (first, last):
        assert tuple(write[tuple(corner)]) == BLACK
    # A border of one pixel stands between steps 1 and 2.
    assert (last - first + 1).tolist() == [4 * high, 4 * wide + 1]
    assert len(changed[0]) == 2 * high * wide and len(changed[1]) == high * wide
    assert changed[1].min(0)[1] == first[1]  # the panels lie below each other
    assert changed[1].min(0)[0] - first[0] > 5 * high
    border = cells(frame, BORDER)
    assert set(border[:, 1]) == {first[1] + 2 * wide}
    assert len(border) == 2 * 5 * high


def test_symbols_are_written_where_there_is_room():
    for steps, room in ((4, True), (300, False)):
        nowhere, half = places(steps, 1, 5, []), steps // 2
        bare, *drawn = (
            weightings_frames(nowhere, nowhere, [a] * half, [b] * half)[0]
            for a, b in (("", ""), ("x", ""), ("", "x"))
        )
        for frame in drawn:
            assert (frame != bare).any() == room


def test_frames_show_one_step_more_each():
    at = places(4, 2, 5, [(0, 0, 1), (3, 1, 4)])
    frames = weightings_frames(at, at, "ab", "cd", last_only=False)
    assert len(frames) == 4
    for frame, steps in zip(frames, (3, 2, 1, 0), strict=True):
        left = len(cells(frame, NOT_YET)) - 4 * 5 * 16 * 16 * steps
        assert 0 <= left < 40  # text has greys like it
    np.testing.assert_array_equal(frames[-1], weightings_frames(at, at, "ab", "cd")[0])


@pytest.fixture(scope="module")
def model():
    vocabulary = TASKS["copy"].vocabulary_size
    return NeuralTuringMachine(
        vocabulary, units=6, memory_rows=7, memory_width=3, read_heads=2
    )


def test_what_is_drawn_is_where_the_heads_are(model, tmp_path):
    task = TASKS["copy"]
    source = task.parse("3a1")
    assert source.tolist()[-3:] == [0, 0, 0]
    size = task.size(source[None])
    output = Solver(model)(source[None], size)
    weightings = model.weightings(source[None], output, size)
    steps = [0, 1, 2, 3, *range(7, 14)]  # 3 a 1 #, and the output
    expected = weightings_frames(
        np.asarray(weightings.write)[0, steps],
        np.asarray(weightings.read)[0, steps],
        "3a1#",
        [task.symbols[i] for i in output[0]],
    )[0]
    np.testing.assert_array_equal(question_frames(model, task, source), expected)
    draw_question(tmp_path / "a.png", model, task, "3a1")
    np.testing.assert_array_equal(Image.open(tmp_path / "a.png"), expected)
    draw_question(tmp_path / "a.gif", model, task, "3a1")
    assert Image.open(tmp_path / "a.gif").n_frames == len(steps)


def test_bad_input(model, tmp_path):
    task = TASKS["copy"]
    with pytest.raises(InputError, match="trace_maps=0: .* has heads, no maps"):
        draw_question(tmp_path / "a.png", model, task, "3a1", ["0"])
    with pytest.raises(InputError, match="a.jpg: name a .png or a .gif"):
        draw_question(tmp_path / "a.jpg", model, task, "3a1")
    other = RNNSeq2Seq(task.vocabulary_size, units=3, embedding_size=2, layers=1)
    assert has_picture(model) and not has_picture(other)
