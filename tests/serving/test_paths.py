"""Folders that no server could read an export from."""

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


@pytest.mark.parametrize("version", [-1, 0, 10**18])
def test_a_version_that_no_server_finds_is_not_written(tmp_path, version):
    with pytest.raises(InputError, match=f"^version={version}: must be from 1 to 9"):
        export(tiny.translator(), tmp_path / "new", version=version)
    assert not (tmp_path / "new").exists()
