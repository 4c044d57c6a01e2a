"""Every model, exported."""

import pytest
import tiny
from served_ops import ALLOWED, served_ops

from neural_gpu_tf.inference import Translator
from neural_gpu_tf.models import MODELS
from neural_gpu_tf.options import ModelConfig
from neural_gpu_tf.serving import export

# Their steps are made of other parts than that of the model in test_export.py.
QUICK = ("hybrid_neural_gpu", "stack_rnn", "neural_turing_machine")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK))
        for name in MODELS
    ],
)
def test_its_export_answers_as_it_does(name, tmp_path):
    """`export` loads what it wrote in a session, compares, and raises if it differs."""
    config = ModelConfig(
        model=name, maps=4, width=1, layers=1, units=4, embedding_size=4
    )
    model = tiny.new_model(len(tiny.vocabulary()), config)
    translator = Translator(model, tiny.tokenizer(), tiny.DECODING)
    exported = export(translator, tmp_path)
    assert exported == tmp_path / "1"
    assert served_ops(exported) <= ALLOWED
