import inspect
from dataclasses import fields

import contract_cases
import keras
import numpy as np
import oracles
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import MODELS, NeuralGPU, build_model, cell_bytes
from neural_gpu_tf.models.build import taken_options
from neural_gpu_tf.models.recurrent_model import RecurrentModel
from neural_gpu_tf.options import ModelConfig
from neural_gpu_tf.options.model import FAMILIES, NAMES

PARAMETERS = {"cutoff": "gate_cutoff"}
"""Options with other names than the parameters of the models."""
STARTS = {"kernel_gain", "embedding_range"}
"""Options that stand for initializers."""


@pytest.mark.parametrize(
    "wrong",
    [
        dict(maps=0),
        dict(width=0),
        dict(layers=0),
        dict(kernel_size=4),
        dict(kernel_size=-1),
        dict(gate_cutoff=0.9),
        dict(gate_cutoff=float("inf")),
        dict(gate_bias=float("nan")),
        dict(kernel_gain=float("inf")),
        dict(embedding_range=float("inf")),
        dict(relaxations=0),
        dict(contexts=0),
        dict(cell="rnn"),
        dict(attention_score="cosine"),
        dict(memory_rows=0),
        dict(memory_width=0),
        dict(controller="gru"),
        dict(read_heads=0),
        dict(write_heads=0),
        dict(shift_range=0),
        dict(shift_range=64),
        dict(memory_start="zeros"),
        dict(stacks=0),
        dict(stack_tops=0),
        dict(stack_depth=1),
        dict(stack_depth=-1),
        dict(dropout=1.0),
        dict(dropout=-0.1),
    ],
)
def test_a_bad_value_names_its_flag(wrong):
    (name,) = wrong
    with pytest.raises(InputError, match=f"{name}="):
        ModelConfig(**wrong)


@pytest.mark.parametrize("build", [lambda c: build_model(c, 9), taken_options])
def test_a_model_that_is_none_is_named_with_those_there_are(build):
    with pytest.raises(InputError, match="^model=transformer: ") as error:
        build(ModelConfig(model="transformer"))
    assert all(legal in str(error.value) for legal in MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_every_option_reaches_the_model(name):
    given = contract_cases.options(MODELS[name])()
    expected = {k: v for k, v in given.items() if not k.endswith("_initializer")}
    if "gate_bias" in expected:
        expected["gate_bias"] = 0.5  # a flag for both gates
    flags = {PARAMETERS.get(k, k): v for k, v in expected.items()}
    size, seed = flags.pop("vocabulary_size"), flags.pop("seed")
    config = ModelConfig(model=name, kernel_gain=1.7, embedding_range=1.9, **flags)
    assert set(taken_options(config)) - set(flags) == STARTS
    found = build_model(config, size, seed=seed).get_config()
    assert {option: found[option] for option in expected} == expected
    assert found["kernel_initializer"]["config"]["gain"] == 1.7
    assert found["embedding_initializer"]["config"]["maxval"] == 1.9


def test_weights_start_as_the_options_say():
    config = ModelConfig(
        maps=6, width=3, kernel_gain=1.3, embedding_range=1.7, relaxations=3
    )
    weights = oracles.model_weights(build_model(config, 11))
    assert 1.4 < np.abs(weights.E).max() <= 1.7
    assert len(weights.encoder) == 3 * config.layers
    kernel = weights.encoder[0].U.reshape(-1, 6)
    np.testing.assert_allclose(kernel.T @ kernel, 1.3**2 * np.eye(6), atol=1e-5)


def test_a_model_without_a_canvas_has_no_sets_of_weights():
    with pytest.raises(InputError, match="^relaxations=2: model=rnn_seq2seq does not"):
        build_model(ModelConfig(model="rnn_seq2seq", relaxations=2), 9)


@pytest.mark.parametrize("name", MODELS)
def test_weights_follow_from_the_random_seed(name):
    drawn = []
    for _ in range(2):
        keras.utils.set_random_seed(1)
        config = ModelConfig(model=name, maps=4, units=4, embedding_size=4)
        model = build_model(config, 5)
        drawn.append(model.trainable_weights)
    for a, b in zip(*drawn, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", MODELS)
def test_flags_and_classes_have_the_same_defaults(name):
    """But for what no flag names: the width of a canvas is of the paper in both."""
    small = {"maps": 3, "units": 4, "embedding_size": 3, "memory_rows": 8}
    taken = inspect.signature(MODELS[name].__init__).parameters
    own = {k: v for k, v in small.items() if k in taken}
    by_hand = MODELS[name](9, **own).get_config()
    by_flags = build_model(ModelConfig(model=name, **own), 9).get_config()
    assert {**by_hand, "name": ""} == {**by_flags, "name": ""}


def test_units_default_to_the_models_own():
    assert build_model(ModelConfig(model="stack_rnn"), 9).machine.units == 100


def test_families_are_the_models_that_take_their_options():
    assert set(NAMES) == set(MODELS)
    known = {"gate_cutoff": "cutoff"}
    families = {field.name: family for family in FAMILIES for field in fields(family)}
    common = {"model", "kernel_gain", "embedding_range", "dropout"}
    assert common | set(families) == {field.name for field in fields(ModelConfig)}
    for name, family in families.items():
        parameter = known.get(name, name)
        taken = {
            model
            for model, cls in MODELS.items()
            if parameter in inspect.signature(cls.__init__).parameters
        }
        assert set(family.models) == taken, name


@pytest.mark.parametrize(
    "name, numbers",
    [
        ("neural_gpu", 4 * 3),
        ("attention_seq2seq", 2 * 5),
        ("hybrid_seq2seq", 2 * 5 + 3),
        ("stack_rnn", 2 * 5),
    ],
)
def test_the_memory_of_a_column_is_counted(name, numbers):
    config = ModelConfig(model=name, maps=3, width=4, units=5)
    assert cell_bytes(config) == 4 * numbers


def test_the_memory_of_both_directions_is_counted():
    config = ModelConfig(model="attention_seq2seq", units=5, bidirectional=True)
    assert cell_bytes(config) == 4 * (2 * 5 + 5)


def test_an_own_model_that_names_neither_counts_as_one_of_the_default_size(monkeypatch):
    class Own(NeuralGPU):
        def __init__(self, vocabulary_size, **options):
            super().__init__(vocabulary_size, **options)

    monkeypatch.setitem(MODELS, "own", Own)
    assert cell_bytes(ModelConfig(model="own")) == 4 * ModelConfig.maps


@pytest.mark.parametrize("name", MODELS)
def test_one_that_is_not_drawn_takes_the_weights_of_one_that_is(name):
    config = ModelConfig(model=name, maps=4, units=4, embedding_size=4)
    drawn, empty = build_model(config, 5), build_model(config, 5, drawn=False)
    assert [x.shape for x in drawn.weights] == [x.shape for x in empty.weights]
    kernels = [
        w
        for w in empty.weights
        if w.path.endswith(("kernel", "embeddings"))
        and (w.path != "readout/kernel" or issubclass(MODELS[name], RecurrentModel))
    ]
    assert len(kernels) > 2 and not any(np.any(w) for w in kernels)
    empty.set_weights(drawn.get_weights())
    batch = {
        "source": np.array([[2, 3, 4]], np.int32),
        "target": np.array([[3, 4, 2]], np.int32),
        "size": np.array([3], np.int32),
    }
    np.testing.assert_array_equal(drawn(batch), empty(batch))
