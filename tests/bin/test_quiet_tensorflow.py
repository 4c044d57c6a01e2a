import importlib
import sys

import pytest

from neural_gpu_tf.bin.quiet_tensorflow import UNUSED, _hidden


@pytest.fixture
def unknown(monkeypatch):
    """A module that nothing has imported."""
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")
    return "wave"


def test_what_is_hidden_can_be_imported_after_it(unknown):
    with _hidden((unknown,)):
        with pytest.raises(ImportError):
            importlib.import_module(unknown)
    assert unknown not in sys.modules
    assert importlib.import_module(unknown)


def test_what_is_imported_or_the_backend_is_not_hidden(unknown, monkeypatch):
    with _hidden(("json",)):
        assert importlib.import_module("json") is sys.modules["json"]
    assert "json" in sys.modules
    monkeypatch.setenv("KERAS_BACKEND", unknown)
    with _hidden((unknown,)):
        assert importlib.import_module(unknown)
    assert set(UNUSED) == {"jax", "matplotlib"}
