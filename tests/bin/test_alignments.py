"""Pictures of alignments, from the binaries."""

import dataclasses
import os
import subprocess
import sys

import numpy as np
import pytest
import tiny
from PIL import Image

from neural_gpu_tf.evaluation import AlignmentPictures
from neural_gpu_tf.inference import translate_all
from neural_gpu_tf.options import ModelConfig
from neural_gpu_tf.runs import RunDirectory, load_run, run_translator
from neural_gpu_tf.weights import save_weights

LINES = [b"two thousand, five", b"", b"six"]
MODEL = dict(model="attention_seq2seq", layers=1, units=8, embedding_size=8)


@pytest.fixture(scope="module")
def attentive_run(run_dir, tmp_path_factory):
    directory = RunDirectory(tmp_path_factory.mktemp("attentive"))
    config = RunDirectory(run_dir).read_config()
    model = ModelConfig(**MODEL)
    directory.write_config(dataclasses.replace(config, model=model))
    tiny.vocabulary().save(directory.vocabulary)
    save_weights(
        tiny.new_model(config.vocabulary_size, model), directory.weights("best")
    )
    return directory.path


def test_a_picture_a_line(run_binary, attentive_run, tmp_path):
    """Beside the translations, which are the same as without."""
    folder = tmp_path / "new"
    run = f"--run_dir={attentive_run}"
    answer = run_binary(
        "translate", run, f"--alignments={folder}", stdin=b"\n".join(LINES)
    )
    assert answer.status == 0
    assert sorted(path.name for path in folder.iterdir()) == ["00001.png", "00003.png"]
    translator = run_translator(load_run(attentive_run))
    pictures = AlignmentPictures(translator)
    answers = translate_all(translator.translate, LINES)
    assert answer.out.splitlines() == [one.text for one in answers]
    for number in (1, 3):
        expected = pictures.frame(LINES[number - 1], answers[number - 1])
        found = Image.open(folder / f"{number:05}.png")
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_a_model_without_attention_is_told_before_it_translates(
    run_binary, run_dir, tmp_path
):
    answer = run_binary(
        "translate", f"--run_dir={run_dir}", f"--alignments={tmp_path}", stdin=b"six\n"
    )
    assert answer.status == 2 and answer.out == ""
    assert answer.err.count("\n") == 1
    assert "--alignments: ExtendedNeuralGPU has no attention to draw" in answer.err


@pytest.mark.slow
def test_tensorboard_shows_those_of_the_validation(tmp_path):
    from tensorflow.compat.v1.train import summary_iterator

    flags = MODEL | dict(
        run_dir=tmp_path,
        train_steps=1,
        train_examples=50,
        validation_examples=2,
        max_number=50,
        max_batch_size=4,
        validation_sentences=2,
        max_source_length=12,
    )
    subprocess.run(
        [
            *(sys.executable, "-m", "neural_gpu_tf.bin.train"),
            *(f"--{name}={value}" for name, value in flags.items()),
        ],
        check=True,
        capture_output=True,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
    )
    tags = {
        value.tag: value.metadata.plugin_data.plugin_name
        for path in tmp_path.rglob("*tfevents*")
        for event in summary_iterator(str(path))
        for value in event.summary.value
    }
    assert tags["alignment_1"] == tags["alignment_2"] == "images"
    assert "alignment_3" not in tags
