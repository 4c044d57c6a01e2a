"""Models whose step is made of other parts than the usual one's, exported."""

import pytest
import tiny

from neural_gpu_tf.models import ModelConfig
from neural_gpu_tf.serving import Translator, export


@pytest.mark.parametrize(
    "name", ["hybrid_neural_gpu", "stack_rnn", "neural_turing_machine"]
)
def test_its_export_answers_as_it_does(name, tmp_path):
    """`export` loads what it wrote in a session, compares, and raises if it differs."""
    config = ModelConfig(
        model=name, maps=4, width=1, layers=1, units=4, embedding_size=4
    )
    model = tiny.new_model(len(tiny.vocabulary()), config)
    translator = Translator(model, tiny.tokenizer(), tiny.DECODING)
    assert export(translator, tmp_path) == tmp_path / "1"
