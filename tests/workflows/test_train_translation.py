"""What a translation run refuses before it begins, and what it takes."""

import dataclasses
import importlib

import pytest
import tiny

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig, TrainingConfig, VocabularyConfig
from neural_gpu_tf.text import Vocabulary
from neural_gpu_tf.workflows import train_translation

DATA = DataConfig(train_examples=20, max_batch_size=4)
WORDS = VocabularyConfig()
TRAINING = TrainingConfig(train_steps=1, validation_sentences=0)


@pytest.mark.parametrize(
    "decoding, training, message",
    [
        ({"beam": 99999}, {}, "beam=99999: wider than the vocabulary"),
        (
            {"beam": 2, "coverage_penalty": 0.2},
            {},
            "coverage_penalty=0.2: the model has no attention",
        ),
        ({}, {"init_from": "badd"}, "init_from=badd: a run of task=badd, not of tran"),
    ],
)
def test_what_can_not_be_decoded_or_begun_with(tmp_path, decoding, training, message):
    decoding = dataclasses.replace(tiny.DECODING, **decoding)
    training = dataclasses.replace(TRAINING, **training)
    model = dataclasses.replace(tiny.MODEL, model="extended_neural_gpu")
    with pytest.raises(InputError, match=message):
        train_translation(tmp_path / "run", DATA, model, training, decoding, WORDS)
    assert not (tmp_path / "run").exists()


def test_validation_data_must_have_text(tmp_path):
    for name, text in (("train", "two\nsix\n"), ("blank", "\n \n")):
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / x) for x in ("train", "train", "blank", "train")]
    data = DataConfig("files", "", *paths)
    options = tiny.MODEL, TRAINING, tiny.DECODING, WORDS
    with pytest.raises(InputError, match="^all 2 validation sources are blank"):
        train_translation(tmp_path / "run", data, *options)
    assert not (tmp_path / "run").exists()


def test_a_vocabulary_of_bytes_alone_is_one(tmp_path, monkeypatch):
    """The model that would be trained sees only how many symbols there are."""
    module = importlib.import_module("neural_gpu_tf.workflows.train_translation")
    begun = []
    monkeypatch.setattr(module, "_train", lambda *run: begun.append(run) or {})
    vocabulary = VocabularyConfig(max_characters=0)
    options = DATA, tiny.MODEL, TRAINING, tiny.DECODING, vocabulary
    train_translation(tmp_path / "run", *options)
    ((directory, config, _, tokenizer, *_),) = begun
    found = Vocabulary.load(directory.vocabulary)
    assert not found.characters and len(found) == config.vocabulary_size > 256
    text = tokenizer.detokenize(tokenizer.tokenize(["six Ä"])).numpy()[0].decode()
    assert text == "six Ä"
