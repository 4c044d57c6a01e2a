import inspect
import json

import keras
import numpy as np
import oracles
import pytest

from neural_gpu_tf import layers

SIZE = np.array([4, 2], "int32")
CANVAS = oracles.ragged_canvas(SIZE, 4, 2, 3)
TAPE = oracles.ragged_canvas([4, 4], 4, 2, 3, seed=1)
PLAIN = dict(
    maps=3, kernel_size=(5, 3), kernel_initializer=keras.initializers.Orthogonal(1.4)
)
UNIT = dict(**PLAIN, cutoff=1.1, gate_bias=(0.7, 0.5))
LOOP = dict(
    dropout=0.2,
    dropout_by_length=True,
    gradient_checkpointing=True,
    relaxations=2,
    seed=7,
)
DECODER = LOOP | {"relaxations": 1}


def units(cls, **options):
    """Two units, each with options of its own."""
    return [cls(**options), cls(**options | {"kernel_size": (3, 1)})]


def loops():
    """Encoders and decoders with their arguments and inputs."""
    cgrus, tapes = units(layers.CGRU, **UNIT), units(layers.TapeCGRU, **UNIT)
    diagonals = units(layers.DiagonalCGRU, **PLAIN)
    residuals = units(layers.ResidualUnit, **PLAIN)
    on_tape = units(layers.TapeResidualUnit, **PLAIN)
    encoding, decoding = [CANVAS, SIZE], [CANVAS, TAPE[:, :, 0], SIZE]
    return [
        (layers.ActiveMemoryEncoder, LOOP | {"units": cgrus}, encoding),
        (layers.ActiveMemoryEncoder, LOOP | {"units": residuals}, encoding),
        (layers.ActiveMemoryDecoder, DECODER | {"units": tapes}, decoding),
        (layers.ActiveMemoryDecoder, DECODER | {"units": on_tape}, decoding),
        (layers.AttentiveDecoder, DECODER | {"units": tapes}, decoding),
        (
            layers.DiagonalEncoder,
            LOOP | {"units": diagonals, "saturation_weight": 0.1},
            encoding,
        ),
    ]


@pytest.mark.parametrize("frozen", [(), (0,), (1, 2), (0, 3)])
def test_what_is_frozen_in_each_set_stays(frozen):
    encoder = layers.ActiveMemoryEncoder(units(layers.CGRU, **UNIT), relaxations=2)
    for i in frozen:
        encoder.units[i].trainable = False
    config = json.loads(json.dumps(encoder.get_config()))
    copy = layers.ActiveMemoryEncoder.from_config(config)
    assert [i for i in range(4) if not copy.units[i].trainable] == [*frozen]
    config.pop("frozen", None)  # as in older files
    assert layers.ActiveMemoryEncoder.from_config(config).trainable


@pytest.mark.parametrize("frozen", [0, 1])
def test_of_units_of_one_name_only_the_frozen_one_is(frozen):
    units = [layers.CGRU(4, name="unit") for _ in range(2)]
    units[frozen].trainable = False
    config = layers.ActiveMemoryEncoder(units).get_config()
    copy = layers.ActiveMemoryEncoder.from_config(json.loads(json.dumps(config)))
    assert [unit.trainable for unit in copy.units] == [frozen == 1, frozen == 0]


CASES = [  # no argument has its default, but the relaxations of decoders
    (layers.CGRU, UNIT, [CANVAS]),
    (layers.TapeCGRU, UNIT, [CANVAS, TAPE]),
    (layers.DiagonalCGRU, PLAIN, [CANVAS]),
    (layers.ResidualUnit, PLAIN, [CANVAS]),
    (layers.TapeResidualUnit, PLAIN, [CANVAS, TAPE]),
    *loops(),
    (layers.RowWithVectors, {}, [CANVAS, TAPE[:, :, 0], SIZE]),
    (layers.FirstRow, dict(width=3), [TAPE[:, :, 0]]),
]
cases = pytest.mark.parametrize(
    "cls, arguments, inputs", CASES, ids=lambda x: getattr(x, "__name__", "")
)


@cases
def test_config_gives_the_layer_back(cls, arguments, inputs):
    layer = cls(**arguments, name="mine", dtype="float32")
    layer(*inputs)
    expected = oracles.randomize(layer)(*inputs)

    config = layer.get_config()
    parameters = inspect.signature(cls.__init__).parameters
    of_every_layer = inspect.signature(keras.layers.Layer.__init__).parameters
    for name in parameters.keys() - of_every_layer.keys() - {"kwargs"}:
        assert name in arguments, f"{name} is not tested"
        assert name in config
        if name not in ("kernel_initializer", "units"):
            assert config[name] == arguments[name]
    copy = cls.from_config(json.loads(json.dumps(config)))
    assert json.dumps(copy.get_config()) == json.dumps(config)
    copy(*inputs)
    copy.set_weights(layer.get_weights())
    np.testing.assert_array_equal(copy(*inputs), expected)
    if "kernel_initializer" in arguments:
        assert copy.kernel_initializer.gain == 1.4
    if "units" in arguments:
        sizes = [unit.kernel_size for unit in copy.units]
        assert sizes == [(5, 3), (3, 1)] * copy.relaxations
        assert copy.units[-1].kernel_initializer.gain == 1.4


@cases
def test_registered_name_gives_the_layer_back(cls, arguments, inputs):
    serialized = keras.saving.serialize_keras_object(cls(**arguments))
    copy = keras.saving.deserialize_keras_object(json.loads(json.dumps(serialized)))
    assert type(copy) is cls


@cases
def test_a_functional_model_with_the_layer_is_saved_and_loaded(
    cls, arguments, inputs, tmp_path
):
    symbolic = [keras.Input((None, *x.shape[2:])[: x.ndim - 1]) for x in inputs]
    layer = cls(**arguments)
    model = keras.Model(symbolic, layer(*symbolic))
    oracles.randomize(layer)
    model.save(tmp_path / "model.keras")
    copy = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(copy(inputs), model(inputs))
    for symbolic, real in zip(model.output.shape, model(inputs).shape, strict=True):
        assert symbolic in (None, real)


@pytest.mark.parametrize("name", ["WithinSize", "SourceMask", "RowWithVectors"])
def test_a_dtype_policy_comes_back(name):
    """Also of a layer without options of its own."""
    layer = getattr(layers, name)(dtype=keras.DTypePolicy("mixed_bfloat16"))
    config = json.loads(json.dumps(keras.saving.serialize_keras_object(layer)))
    copy = keras.saving.deserialize_keras_object(config)
    assert copy.dtype_policy.name == "mixed_bfloat16"
