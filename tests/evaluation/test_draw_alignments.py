import keras
import numpy as np
import pytest
import tensorflow as tf
import tiny
from small_files import small_files

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import AlignmentPictures
from neural_gpu_tf.evaluation.alignment_picture import alignment_frame
from neural_gpu_tf.inference import Translator
from neural_gpu_tf.inference.translate_all import Translation
from neural_gpu_tf.options import ModelConfig

BLACK = (0, 0, 0)


def boxes(frame, colour):
    """The corners of all that has a colour."""
    where = np.argwhere((frame == colour).all(-1))
    return where.min(0), where.max(0) + 1


def test_a_cell_is_as_dark_as_its_weight():
    weights = np.zeros((3, 4), "float32")
    weights[1, 2], weights[2, 3] = 1.7, 0.25
    frame = alignment_frame(weights, [""] * 4, [""] * 3)
    (first, end), (grey, _) = boxes(frame, BLACK), boxes(frame, (191,) * 3)
    assert (end - first == 40).all() and (abs(grey - first - 40) <= 2).all()
    inside = frame[26:-26, 26:-26]
    assert abs(np.array(inside.shape) - (120, 160, 3)).max() <= 6
    white = (inside == 255).all(-1).mean()
    assert white == pytest.approx(10 / 12, abs=0.03)


def test_labels_stand_beside_their_rows_and_columns_where_there_is_room():
    weights = np.zeros((2, 3), "float32")
    bare = alignment_frame(weights, [""] * 3, [""] * 2)
    row = alignment_frame(weights, [""] * 3, ["", "deux"])
    column = alignment_frame(weights, ["", "", "two"], [""] * 2)
    assert row.shape[1] > bare.shape[1] and row.shape[0] == bare.shape[0]
    assert column.shape[0] > bare.shape[0] and column.shape[1] == bare.shape[1]
    dark = np.argwhere(row.sum(-1) < 300)  # beside the second row
    assert dark[:, 0].min() >= bare.shape[0] - 64 and dark[:, 1].max() < 120
    dark = np.argwhere(column.sum(-1) < 300)  # above the third column
    assert dark[:, 1].min() >= bare.shape[1] - 64 and dark[:, 0].max() < 120
    many = np.zeros((2, 100), "float32")
    same = [alignment_frame(many, [x] * 100, [x] * 2) for x in ("", "a")]
    np.testing.assert_array_equal(*same)


@pytest.fixture(scope="module", params=["attention_seq2seq", "hybrid_neural_gpu"])
def pictures(request):
    config = ModelConfig(
        model=request.param, maps=8, width=1, layers=1, units=8, embedding_size=8
    )
    model = tiny.new_model(len(tiny.vocabulary()), config)
    translator = Translator(model, tiny.tokenizer(), tiny.DECODING)
    return AlignmentPictures(translator), model


def test_what_is_drawn_are_the_models_alignments(pictures):
    pictures, model = pictures
    text, translation = "two thousand, five", Translation("six two", -1.0, 6)
    frame = pictures.frame(text, translation)
    source = np.array([tiny.tokenizer().tokenize([text])[0]])
    target = np.array([tiny.tokenizer().tokenize([translation.text])[0]])
    names = np.array(tiny.vocabulary().symbols)
    size, n = 6, source.shape[1]
    rows = np.append(target[0], 2)
    assert n < size > len(rows)
    on_canvas = [
        keras.ops.pad(np.array(x, "int32"), [[0, 0], [0, size - x.shape[1]]])
        for x in (source, rows[None])
    ]
    weights = model.alignments(*on_canvas, tf.constant([size]))[0]
    columns = n if not getattr(model, "sized", True) else size
    expected = alignment_frame(
        np.array(weights)[: len(rows), :columns],
        [*(name.replace("▁", " ").strip() for name in names[source[0]])]
        + [""] * (columns - n),
        [name.replace("▁", " ").strip() for name in names[rows]],
    )
    np.testing.assert_array_equal(frame, expected)
    assert 0 < (frame < 128).mean() < 0.5


def test_a_long_source_is_drawn_as_it_is_translated(pictures):
    most, said = tiny.DECODING.max_source_length, Translation("six", -1.0, 3)
    longer, long = (pictures[0].frame("two " * n, said) for n in (most + 5, most))
    np.testing.assert_array_equal(longer, long)


def test_a_file_a_sentence(pictures, tmp_path):
    pictures, _ = pictures
    write = pictures.writer(tmp_path / "new" / "folder")
    write(1, b"six", Translation("five", -1.0, 2))
    write(2, b"", Translation("", 0.0, 0))
    write(3, b"two six", Translation("", -1.0, 3))
    names = sorted(path.name for path in (tmp_path / "new" / "folder").iterdir())
    assert names == ["00001.png", "00003.png"]
    path = tmp_path / "new" / "folder" / "00001.png"
    before = path.read_bytes()
    with small_files(100), pytest.raises(InputError, match="1.png: can't be written"):
        write(1, b"two six", Translation("", -1.0, 3))
    assert path.read_bytes() == before
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: can't write there.*another folder"):
        pictures.writer(tmp_path / "file")


def test_a_model_without_alignments_is_told():
    with pytest.raises(InputError, match="ExtendedNeuralGPU has no .*hybrid_neural_gp"):
        AlignmentPictures(tiny.translator())
