import gzip

import pytest
import tensorflow as tf

from neural_gpu_tf.data import TextFiles


class Letters:
    """A stand-in for the tokenizer: each byte but the space is the symbol 4 + byte."""

    def tokenize(self, strings):
        letters = tf.strings.bytes_split(tf.strings.regex_replace(strings, " ", ""))
        codes = tf.io.decode_raw(letters.flat_values, tf.uint8)[:, 0]
        return letters.with_flat_values(4 + tf.cast(codes, tf.int32))


@pytest.fixture(scope="session")
def tokenizer():
    return Letters()


@pytest.fixture(scope="session")
def write_files(tmp_path_factory):
    """Writes aligned files into a new folder; returns their paths."""

    def write(pairs, suffix="") -> tuple[str, str]:
        folder, paths = tmp_path_factory.mktemp("files"), []
        for side, texts in zip(("en", "fr"), zip(*pairs, strict=True), strict=True):
            path = folder / f"train.{side}{suffix}"
            content = "".join(f"{text}\n" for text in texts).encode()
            path.write_bytes(gzip.compress(content) if suffix == ".gz" else content)
            paths.append(str(path))
        return paths[0], paths[1]

    return write


@pytest.fixture(scope="session")
def ladder():
    """300 different pairs whose canvas sizes run from 2 to 31."""
    return [
        (chr(97 + k % 26) * (1 + k // 26 % 6), f"{k:03d}"[: 1 + k % 3] + "z" * (k % 29))
        for k in range(300)
    ]


@pytest.fixture(scope="session")
def source(ladder, write_files):
    return TextFiles({"train": write_files(ladder)})
