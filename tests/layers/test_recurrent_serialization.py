import inspect
import json

import keras
import numpy as np
import oracles
import pytest

from neural_gpu_tf.layers.fixed_memory import FixedMemory
from neural_gpu_tf.layers.memory_attention import MemoryAttention
from neural_gpu_tf.layers.memory_lookup import MemoryLookup
from neural_gpu_tf.layers.recurrent_decoder import RecurrentDecoder
from neural_gpu_tf.layers.recurrent_encoder import RecurrentEncoder
from neural_gpu_tf.layers.source_mask import SourceMask
from neural_gpu_tf.layers.stack_machine import StackMachine
from neural_gpu_tf.layers.turing_heads import TuringHeads
from neural_gpu_tf.layers.turing_machine import TuringMachine
from neural_gpu_tf.layers.within_size import WithinSize

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((2, 4, 3)).astype("float32")
CONTEXTS = ROWS.copy()  # whose number is fixed
EXISTS = np.array([[1, 1, 0, 1], [1, 1, 0, 0]], bool)
SIZE = np.array([4, 2], "int32")
KERNEL = dict(kernel_initializer=keras.initializers.Orthogonal(1.4))
STACK = dict(
    **KERNEL,
    units=2,
    layers=1,
    cell="lstm",
    recurrent_initializer=keras.initializers.Orthogonal(1.3),
    dropout=0.2,
    seed=7,
)
HEADS = dict(read_heads=2, write_heads=3, shift_range=2)
MEMORY = RNG.standard_normal((2, 6, 4)).astype("float32")
WEIGHTINGS = np.full((2, 5, 6), 1 / 6, "float32")
CASES = [  # no argument has its default
    (SourceMask, {}, [np.array([[1, 0, 2, 3], [0, 4, 5, 6]]), SIZE]),
    (RecurrentEncoder, dict(**STACK, bidirectional=True), [ROWS, EXISTS]),
    (MemoryAttention, dict(**KERNEL, units=2, score="dot"), [ROWS[:, 0], ROWS, EXISTS]),
    (
        MemoryLookup,
        dict(**KERNEL, scoring="sigmoid"),
        [ROWS[:, 0], CONTEXTS, EXISTS],
    ),
    (
        FixedMemory,
        dict(**KERNEL, contexts=2, position_encoding=True, scoring="sigmoid"),
        [ROWS, EXISTS],
    ),
    (
        RecurrentDecoder,
        dict(
            **STACK,
            readout_size=5,
            attention_score="state",
            attention_scoring="sigmoid",
        ),
        [ROWS, ((ROWS[:, 1, :2], ROWS[:, 2, :2]),), CONTEXTS, SIZE, EXISTS],
    ),
    (
        StackMachine,
        {k: x for k, x in STACK.items() if k not in ("layers", "cell")}
        | dict(stacks=2, tops=1, depth=5, recurrent=False),
        [ROWS, EXISTS],
    ),
    (TuringHeads, dict(**KERNEL, **HEADS), [ROWS[:, 0], MEMORY, WEIGHTINGS]),
    (
        TuringMachine,
        {k: x for k, x in STACK.items() if k not in ("layers", "cell")}
        | HEADS
        | dict(
            memory_rows=6,
            memory_width=4,
            controller="feedforward",
            memory_start="constant",
        ),
        [ROWS, EXISTS],
    ),
    (WithinSize, {}, [ROWS, SIZE]),
]
cases = pytest.mark.parametrize(
    "cls, arguments, inputs", CASES, ids=lambda x: getattr(x, "__name__", "")
)


def equal(a, b):
    for x, y in zip(keras.tree.flatten(a), keras.tree.flatten(b), strict=True):
        np.testing.assert_array_equal(x, y)


@cases
def test_config_gives_the_layer_back(cls, arguments, inputs):
    layer = cls(**arguments, name="mine", dtype="float32")
    layer(*inputs)
    expected = oracles.randomize(layer)(*inputs)

    config = layer.get_config()
    parameters = inspect.signature(cls.__init__).parameters
    own = parameters.keys() - {"self", "kwargs"} if arguments else set()
    assert own <= set(arguments)
    for name in arguments:
        if not name.endswith("initializer"):
            assert config[name] == arguments[name]
    copy = cls.from_config(json.loads(json.dumps(config)))
    assert json.dumps(copy.get_config()) == json.dumps(config)
    copy(*inputs)
    copy.set_weights(layer.get_weights())
    equal(copy(*inputs), expected)


@cases
def test_registered_name_gives_the_layer_back(cls, arguments, inputs):
    serialized = keras.saving.serialize_keras_object(cls(**arguments))
    copy = keras.saving.deserialize_keras_object(json.loads(json.dumps(serialized)))
    assert type(copy) is cls


@cases
def test_a_functional_model_with_the_layer_is_saved_and_loaded(
    cls, arguments, inputs, tmp_path
):
    symbolic = keras.tree.map_structure(
        lambda x: (
            keras.Input((None, *x.shape[2:])[: x.ndim - 1], dtype=str(x.dtype))
            if x is not CONTEXTS and (x.ndim != 2 or x.dtype in (bool, int))
            else keras.Input(x.shape[1:])
        ),
        inputs,
    )
    layer = cls(**arguments)
    model = keras.Model(symbolic, layer(*symbolic))
    oracles.randomize(layer)
    model.save(tmp_path / "model.keras")
    copy = keras.models.load_model(tmp_path / "model.keras")
    equal(copy(inputs), model(inputs))
