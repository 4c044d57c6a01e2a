"""Every model, exported."""

import pytest
import tiny
from served_ops import ALLOWED, served_ops

from neural_gpu_tf.inference import Translator
from neural_gpu_tf.models import MODELS
from neural_gpu_tf.options import ModelConfig
from neural_gpu_tf.serving import export
from neural_gpu_tf.serving.translator_signatures import TranslatorSignatures

# Its step is made of other parts than that of the model in test_export.py.
QUICK = ("hybrid_neural_gpu",)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_its_export_answers_as_it_does(name, tmp_path):
    check_export(name, tmp_path)


@pytest.mark.parametrize("name", QUICK)
def test_its_default_signature_answers_as_it_does(name, tmp_path, monkeypatch):
    every = TranslatorSignatures.endpoints
    monkeypatch.setattr(
        *(TranslatorSignatures, "endpoints"),
        lambda self: {"serving_default": every(self)["serving_default"]},
    )
    check_export(name, tmp_path)


def check_export(name, tmp_path):
    """`export` loads what it wrote in a session, compares, and raises if it differs."""
    config = ModelConfig(
        model=name, maps=4, width=1, layers=1, units=4, embedding_size=4
    )
    model = tiny.new_model(len(tiny.vocabulary()), config)
    translator = Translator(model, tiny.tokenizer(), tiny.DECODING)
    exported = export(translator, tmp_path)
    assert exported == tmp_path / "1"
    assert served_ops(exported) <= ALLOWED
