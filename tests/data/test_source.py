import os

import pytest

from neural_gpu_tf.data import NumbersAndDates, TextFiles, open_source
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig


def test_files_are_taken_from_the_folder(write_files):
    folder = os.path.dirname(write_files([("a", "b")])[0])
    config = DataConfig(
        data="files",
        data_dir=folder,
        train_source="train.en",
        train_target="train.fr",
    )
    source = open_source(config, ["train"])
    assert isinstance(source, TextFiles)
    assert list(source.sentences("train")) == ["a", "b"]
    with pytest.raises(InputError, match="^validation_source='': not set"):
        open_source(config)


def test_both_files_are_needed():
    config = DataConfig(data="files", train_source="x")
    with pytest.raises(InputError, match="^train_target='': not set"):
        open_source(config, ["train"])


def test_generated():
    config = DataConfig(train_examples=20, validation_examples=10, max_number=50)
    source = open_source(config)
    assert isinstance(source, NumbersAndDates)
    assert len(source.pairs("train")) == 20
    assert len(source.pairs("validation")) == 10


def test_tfds_without_a_name():
    with pytest.raises(InputError, match="^tfds_name"):
        open_source(DataConfig(data="tfds"))


def test_unknown_split():
    with pytest.raises(InputError, match="split=test: .*train, validation"):
        open_source(DataConfig(), ["test"])
