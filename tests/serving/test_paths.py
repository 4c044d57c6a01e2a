"""Folders whose path TensorFlow would take for a pattern."""

import shutil

import pytest
import tiny

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.serving import ExportedTranslator, export
from neural_gpu_tf.serving.model_versions import ModelVersions


def test_a_path_that_is_a_pattern_to_tensorflow(exported, tmp_path):
    told = r"TensorFlow finds no variables where a path has a \["
    with pytest.raises(InputError, match=told):
        export(tiny.translator(), tmp_path / "a[1]")
    assert [*(tmp_path / "a[1]").iterdir()] == []
    shutil.copytree(exported, tmp_path / "b [2]" / "1")
    with pytest.raises(InputError, match=told):
        ExportedTranslator(tmp_path / "b [2]" / "1")
    with pytest.raises(InputError, match=f"version 1 can't be loaded: .*{told}"):
        ModelVersions(tmp_path / "b [2]")
