import pytest
import tensorflow as tf

from neural_gpu_tf.evaluation.read_scalars import Scalar, read_scalars


def write(directory, values):
    """An event file, as training writes it."""
    with tf.summary.create_file_writer(str(directory)).as_default():
        for step, value in values:
            tf.summary.scalar("loss", value, step)
        tf.summary.text("translations", "| a | b |", 3)


def test_reads_scalars_alone_in_order(tmp_path):
    write(tmp_path / "validation", [(20, 0.5)])
    write(tmp_path / "train", [(10, 3.0), (20, 2.0)])
    assert read_scalars(tmp_path) == [
        Scalar("train", "loss", 10, 3),
        Scalar("train", "loss", 20, 2),
        Scalar("validation", "loss", 20, 0.5),
    ]


def test_steps_done_again_count_as_done_last(tmp_path):
    for number, values in enumerate(([(1, 9.0), (2, 8.0)], [(2, 7.0), (3, 6.0)])):
        write(tmp_path / "train", values)
        (path,) = (tmp_path / "train").glob("*.v2")
        path.rename(path.with_name(f"events.out.tfevents.{number}"))
    assert [value for *_, value in read_scalars(tmp_path)] == [9, 7, 6]


def test_an_event_that_is_still_being_written_is_left_out(tmp_path):
    write(tmp_path / "train", [(1, 9.0), (2, 8.0)])
    (path,) = (tmp_path / "train").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b"loss") + 3])
    assert [step for _, _, step, _ in read_scalars(tmp_path)] == [1]


@pytest.mark.parametrize(
    "tensor",
    [
        dict(dtype=1, float_val=[1.0, 2.0]),
        dict(dtype=1, float_val=[1.0], tensor_shape=dict(dim=[dict(size=10**11)])),
        dict(dtype=7, string_val=[b"x"]),
        dict(dtype=999),
    ],
)
def test_what_is_no_number_is_left_out(tmp_path, tensor):
    write(tmp_path / "train", [(1, 9.0)])
    (path,) = (tmp_path / "train").iterdir()
    event = tf.compat.v1.Event(step=2)
    value = event.summary.value.add(tag="losses/loss")
    value.metadata.plugin_data.plugin_name = "scalars"
    value.tensor.CopyFrom(type(value.tensor)(**tensor))
    with tf.io.TFRecordWriter(str(path.with_name("events.out.tfevents.z"))) as file:
        file.write(event.SerializeToString())
    assert [step for _, _, step, _ in read_scalars(tmp_path)] == [1]


def test_no_event_files(tmp_path):
    assert read_scalars(tmp_path / "none") == []
