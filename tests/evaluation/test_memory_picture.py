import numpy as np
import pytest
from PIL import Image
from small_files import small_files

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import draw_question, question_frames
from neural_gpu_tf.evaluation.memory_picture import (
    liveliest_maps,
    memory_frames,
    write_memory_picture,
)
from neural_gpu_tf.models import DiagonalNeuralGPU, NeuralGPU
from neural_gpu_tf.tasks import TASKS

WHITE, RED, BLUE = (247, 247, 247), (178, 24, 43), (33, 102, 172)


def memory(steps=4, columns=3, maps=5):
    """0 but for 1 and -1 in map 2, at step 1 and 2."""
    values = np.zeros((steps, columns, maps), "float32")
    values[1, 0, 2], values[2, 2, 2] = 1, -3
    return values


def colours(frame):
    return {tuple(colour) for colour in frame.reshape(-1, 3).tolist()}


def test_the_liveliest_maps_are_those_that_change():
    values = np.random.default_rng(0).standard_normal((6, 4, 5)) * [1, 9, 2, 0, 3]
    assert liveliest_maps(values, 3) == [1, 2, 4]
    assert liveliest_maps(values[:, :, :2], 3) == [0, 1]


def test_a_panel_has_a_row_a_step_and_a_column_a_symbol():
    (frame,) = memory_frames(memory(), list("abc"), list("xyz"), maps=[2])
    cells = {
        colour: np.argwhere((frame == colour).all(-1)) for colour in (WHITE, RED, BLUE)
    }
    size = 16
    assert len(cells[RED]) == len(cells[BLUE]) == size**2
    assert abs(len(cells[WHITE]) - 10 * size**2) < 9  # text has greys like it
    down, right = cells[BLUE].min(0) - cells[RED].min(0)
    assert (down, right) == (size, 2 * size)
    assert colours(memory_frames(memory(), "", "", maps=[0])[0]).isdisjoint({RED, BLUE})


def test_symbols_are_written_where_there_is_room():
    bare = memory_frames(memory(), [""] * 3, [""] * 3, maps=[2])[0]
    for source, output in ((list("abc"), [""] * 3), ([""] * 3, list("abc"))):
        drawn = memory_frames(memory(), source, output, maps=[2])[0]
        assert (drawn != bare).any()
    wide = np.zeros((2, 400, 1))
    bare, drawn = (memory_frames(wide, [x] * 400, [x] * 400)[0] for x in ("", "a"))
    np.testing.assert_array_equal(bare, drawn)


def test_frames_show_one_step_more_each():
    frames = memory_frames(memory(), "abc", "xyz", maps=[2], last_only=False)
    assert len(frames) == 4
    assert [RED in colours(frame) for frame in frames] == [False, True, True, True]
    assert [BLUE in colours(frame) for frame in frames] == [False, False, True, True]
    last = memory_frames(memory(), "abc", "xyz", maps=[2])[0]
    np.testing.assert_array_equal(frames[-1], last)


def test_files(tmp_path):
    write_memory_picture(tmp_path / "a.png", memory(), "abc", "xyz", [2])
    expected = memory_frames(memory(), "abc", "xyz", [2])[0]
    np.testing.assert_array_equal(Image.open(tmp_path / "a.png"), expected)
    write_memory_picture(tmp_path / "a.gif", memory(), "abc", "xyz", [2])
    assert Image.open(tmp_path / "a.gif").n_frames == 4


def test_a_full_disk_leaves_the_picture_before(tmp_path):
    path = tmp_path / "a.gif"
    write_memory_picture(path, memory(), "abc", "xyz", [2])
    before = path.read_bytes()
    with small_files(), pytest.raises(InputError, match="a.gif: can't be written"):
        write_memory_picture(path, memory(), "abc", "xyz")
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    "name, maps, message",
    [
        ("a.jpg", None, "trace=.*a.jpg: name a .png or a .gif"),
        ("a.png", [5], "no map 5; this model's maps are 0 to 4"),
        ("no/where/a.png", None, "a.png: can't be written"),
    ],
)
def test_bad_input(tmp_path, name, maps, message):
    with pytest.raises(InputError, match=message):
        write_memory_picture(tmp_path / name, memory(), "abc", "xyz", maps)


@pytest.mark.parametrize("cls", [NeuralGPU, DiagonalNeuralGPU])
def test_what_is_drawn_is_the_memory_of_the_model(cls, tmp_path):
    task = TASKS["badd"]
    model = cls(task.vocabulary_size, maps=6, width=2, layers=2)
    source = task.parse("101 + 11")
    size = task.size(source[None])
    trace = np.asarray(model.encode(source[None], size, trace=True))
    assert trace.shape == (8, 1, 7, 2, 6)
    np.testing.assert_array_equal(trace[-1], model.encode(source[None], size))
    part = np.asarray(model.encode(source[None, :3], np.array([3]), trace=True))
    # s_0 comes first, of which a column depends on its own symbol alone.
    np.testing.assert_allclose(part[0, 0], trace[0, 0, :3], atol=1e-6)
    assert np.abs(trace[1] - trace[0]).max() > 1e-3
    output = np.argmax(model.solve(source[None], size)[0], -1)
    names = task.symbols
    expected = memory_frames(
        trace[:, 0, :, 0],
        [names[i] for i in source],
        [names[i] for i in output],
    )[0]
    np.testing.assert_array_equal(question_frames(model, task, source), expected)
    draw_question(tmp_path / "a.png", model, task, "101 + 11")
    np.testing.assert_array_equal(Image.open(tmp_path / "a.png"), expected)
    with pytest.raises(InputError, match="trace_maps=x"):
        draw_question(tmp_path / "a.png", model, task, "101 + 11", ["x"])
