import gzip
import random

import pytest

pytest.importorskip("apache_beam", reason="needs pip install 'neural-gpu-tf[beam]'")

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import VocabularyConfig
from neural_gpu_tf.pipelines import Runner, vocabulary, vocabulary_of_files
from neural_gpu_tf.pipelines.files import Part
from neural_gpu_tf.text import build_vocabulary

WORDS = [
    "two",
    "five",
    "six",
    "Über",
    "x, y",
    "a-b",
    "▁",
    "▁▁",
    "漢字",
    "é",
    "zz",
    "yy",
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, draw = tmp_path_factory.mktemp("corpus"), random.Random(2)
    for number in range(3):
        lines = [" ".join(draw.choices(WORDS, k=draw.randint(0, 7))) for _ in range(60)]
        content = "\r\n".join(lines).encode() + b"\n" * (number != 1)
        content = b"\xef\xbb\xbf" * (number == 0) + content
        path = folder / f"x{number}{'.gz' * (number == 2)}"
        path.write_bytes(gzip.compress(content) if number == 2 else content)
    return folder


@pytest.mark.parametrize(
    "size, characters, least",
    [(32_768, 1_000, 1), (270, 1_000, 1), (280, 7, 1), (281, 3, 40), (260, 0, 1)],
)
def test_has_the_bytes_of_build_vocabulary(
    files, runner, tmp_path, monkeypatch, size, characters, least
):
    monkeypatch.setattr(vocabulary, "_PART", 150)  # bytes, so that files are cut
    config = VocabularyConfig(size, characters, least)
    vocabulary_of_files([f"{files}/x*"], str(tmp_path / "v"), config, runner)
    paths = sorted(files.iterdir())
    build_vocabulary(paths, size, characters, least).save(tmp_path / "expected")
    assert (tmp_path / "v").read_bytes() == (tmp_path / "expected").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_line_that_is_not_utf8_is_named_in_one_line(tmp_path):
    (tmp_path / "x").write_bytes(b"fine\n\xff\n")
    output = str(tmp_path / "v")
    with pytest.raises(
        InputError, match=r"^/.*/x:2: not UTF-8 .*convert the file"
    ) as e:
        vocabulary_of_files([f"{tmp_path}/x"], output, VocabularyConfig(), Runner())
    assert "\n" not in str(e.value)
    with pytest.raises(InputError, match="^runner=None: Unexpected pipeline runner"):
        vocabulary_of_files(
            [f"{tmp_path}/x"], output, VocabularyConfig(), Runner("None")
        )


@pytest.mark.parametrize("name", ["kept", "kept/", "new/"])
def test_a_folder_as_output_is_refused(tmp_path, name):
    (tmp_path / "x").write_bytes(b"fine\n")
    (tmp_path / "kept").mkdir()
    with pytest.raises(InputError, match=f"{name}: a folder; name a file"):
        vocabulary_of_files(
            *([f"{tmp_path}/x"], f"{tmp_path}/{name}", VocabularyConfig(), Runner())
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "x"]


def test_a_packed_file_that_is_cut_off_is_named(tmp_path, runner):
    lines = "".join(f"line {number}\n" for number in range(999)).encode()
    packed = gzip.compress(lines)
    (tmp_path / "x.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="x.gz:[0-9]+: damaged .gz file"):
        vocabulary_of_files(
            *([f"{tmp_path}/x.gz"], f"{tmp_path}/v", VocabularyConfig(), runner)
        )
    assert [path.name for path in tmp_path.iterdir()] == ["x.gz"]


def test_a_byte_order_mark_within_a_file_counts(tmp_path):
    """At the start of a part that is not the file's first."""
    text = "six\n\ufefffive\n".encode()
    (tmp_path / "text").write_bytes(text)
    counts = dict(vocabulary._count(Part(str(tmp_path / "text"), 4, len(text))))
    assert counts[False, "\ufeff"] == 1
