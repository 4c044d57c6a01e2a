"""The Keras contract that every layer and model keeps, on any backend.

(After keras-hub's `run_layer_test`.)
"""

import inspect
import json
import os
import tempfile
import warnings

import keras
import numpy as np
import pytest
from keras import ops, tree

POLICIES = ("float32", "float64", "mixed_bfloat16")
OF_EVERY_LAYER = inspect.signature(keras.layers.Layer.__init__).parameters
NO_OPTIONS = {"self", "kwargs", "own"}


def sublayers(layer):
    """The layer and all that it has."""
    found = [layer]
    for part in layer._flatten_layers(include_self=False, recursive=True):
        found.append(part)
    return found


def trainable_parts(layer):
    return [(part.name, part.trainable) for part in sublayers(layer)]


def random_inputs(inputs, batch=2, columns=4, seed=0):
    """Arrays of the shapes and types given, "n" for the columns.

    Args:
        inputs: name to (shape without the batch, dtype or the greatest symbol).
    """
    rng = np.random.default_rng(seed)
    arrays = {}
    for name, (shape, kind) in inputs.items():
        shape = (batch, *(columns if x == "n" else x for x in shape))
        if kind == "size":
            arrays[name] = np.array([columns, *[columns - 1] * (batch - 1)], "int32")
        elif kind == "mask":
            arrays[name] = np.arange(columns) < columns - np.arange(batch)[:, None]
        elif isinstance(kind, int):
            arrays[name] = rng.integers(3, kind, shape).astype("int32")
        else:
            arrays[name] = rng.standard_normal(shape).astype(kind)
    return arrays


def symbol_arrays(vocabulary_size, **shape):
    """Inputs of a model; the shape as for `random_inputs`."""
    symbols = (("n",), vocabulary_size)
    inputs = {"source": symbols, "target": symbols, "size": ((), "size")}
    return random_inputs(inputs, **shape)


def leaves(outputs):
    outputs = [ops.cast(x, "float32") for x in tree.flatten(outputs)]
    return [ops.convert_to_numpy(x) for x in outputs]


def check_config(cls, arguments):
    """Every argument comes back from JSON; so do name, dtype and trainable."""
    layer = cls(**arguments(), name="mine", dtype="mixed_bfloat16", trainable=False)
    config = json.loads(json.dumps(layer.get_config()))
    own = inspect.signature(cls.__init__).parameters.keys() - OF_EVERY_LAYER.keys()
    missing = own - config.keys() - NO_OPTIONS
    assert not missing, f"{cls.__name__}.get_config lacks {missing}"
    assert own - NO_OPTIONS <= set(arguments()), "not tested"
    copy = cls.from_config(json.loads(json.dumps(config)))
    assert json.dumps(copy.get_config(), sort_keys=True) == json.dumps(
        config, sort_keys=True
    )
    assert copy.name == "mine" and not copy.trainable
    for part in sublayers(copy):
        if part is not copy or not isinstance(part, keras.Model):
            assert part.dtype_policy.name in ("mixed_bfloat16", "float32")
            if part.weights and not isinstance(part, keras.layers.InputLayer):
                assert part.dtype_policy.name == "mixed_bfloat16", part.path


def check_policies(cls, arguments, call, inputs):
    """The policy reaches every weight and every part; outputs are finite.

    Returns:
        By the name of the policy the layer and its outputs.
    """
    made = {}
    for name in POLICIES:
        layer = cls(**arguments(), dtype=name)
        outputs = call(layer, inputs)
        policy = keras.dtype_policies.get(name)
        for part in sublayers(layer):
            if isinstance(part, keras.layers.InputLayer | keras.Model):
                continue
            assert part.compute_dtype == policy.compute_dtype, (part, name)
        for weight in layer.weights:
            if "seed" not in weight.path:
                assert weight.dtype == policy.variable_dtype, (weight.path, name)
        assert all(np.isfinite(x).all() for x in leaves(outputs))
        made[name] = layer, outputs
    return made


def check_shapes(layer, outputs, call, inputs):
    """Symbolic outputs, and `compute_output_shape`, are as the real ones."""
    real = tree.flatten(outputs)
    symbolic = tree.flatten(functional(layer, call, inputs).outputs)
    for a, b in zip(real, symbolic, strict=True):
        assert keras.backend.standardize_dtype(a.dtype) == b.dtype
        assert len(a.shape) == len(b.shape)
        for n, known in zip(a.shape, b.shape, strict=True):
            assert known in (None, n)
    told = []
    shapes = layer.compute_output_shape(*(x.shape for x in inputs.values()))
    tree.map_shape_structure(lambda shape: told.append(tuple(shape)), shapes)
    # Keras takes an empty part of a state for the shape of a scalar.
    assert [shape for shape in told if shape] == [tuple(x.shape) for x in real]


def check_gradients(layer, call, inputs):
    """Each trainable weight has a finite gradient that is not all zeros."""
    layer.trainable = True
    loss = lambda outputs: sum(  # noqa: E731
        ops.sum(ops.sin(3.0 * ops.cast(x, "float32")))
        for x in tree.flatten(outputs)
        if "float" in keras.backend.standardize_dtype(x.dtype)
    )
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        with tf.GradientTape() as recording:
            value = loss(call(layer, inputs, training=True))
        variables = [v.value for v in layer.trainable_variables]
        gradients = recording.gradient(value, variables)
        gradients = [tf.convert_to_tensor(g) for g in gradients]
    elif keras.backend.backend() == "torch":
        layer.zero_grad()
        loss(call(layer, inputs, training=True)).backward()
        gradients = [v.value.grad for v in layer.trainable_variables]
    else:
        import jax

        def value(trainable, others):
            pairs = [*zip(layer.trainable_variables, trainable, strict=True)]
            pairs += zip(layer.non_trainable_variables, others, strict=True)
            with keras.StatelessScope(pairs):
                return loss(call(layer, inputs, training=True))

        gradients = jax.grad(value)(
            [v.value for v in layer.trainable_variables],
            [v.value for v in layer.non_trainable_variables],
        )
    for variable, gradient in zip(layer.trainable_variables, gradients, strict=True):
        gradient = ops.convert_to_numpy(ops.cast(gradient, "float32"))
        assert np.isfinite(gradient).all() and gradient.any(), variable.path
    layer.trainable = False
    assert layer.trainable_weights == []
    layer.trainable = True


def functional(layer, call, inputs):
    """A functional model around a layer, batch and columns unknown."""
    symbolic = {}
    for name, x in inputs.items():
        shape = [None if n == 4 else n for n in x.shape[1:]]
        symbolic[name] = keras.Input(shape, dtype=x.dtype.name, name=name)
    return keras.Model(symbolic, call(layer, symbolic))


def check_saved(model, *inputs):
    """A .keras file gives the same outputs, for each length; what is frozen stays."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "model.keras")
        model.save(path)
        copy = keras.models.load_model(path)
    assert trainable_parts(copy) == trainable_parts(model)
    for arrays in inputs:
        for a, b in zip(leaves(model(arrays)), leaves(copy(arrays)), strict=True):
            np.testing.assert_array_equal(a, b)


def check_quantized(model, inputs):
    """What `quantize` makes of embeddings and products is saved as it is."""
    before = leaves(model(inputs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of layers that have no such form
        model.quantize("int8")
    quantized = [x for x in sublayers(model) if x.quantization_mode]
    assert {type(x).__name__ for x in quantized} <= {"Dense", "Embedding"}
    for a, b in zip(before, leaves(model(inputs)), strict=True):
        np.testing.assert_allclose(a, b, atol=0.05 * max(1.0, np.abs(a).max()))
    check_saved(model, inputs)
    return quantized


def check_fit(model, inputs):
    """A step of `fit` on arrays changes weights."""
    targets = [np.zeros(x.shape, "float32") for x in leaves(model(inputs))]
    targets = tree.pack_sequence_as(model.output, targets)
    before = [np.array(v) for v in model.trainable_variables]
    model.compile("sgd", tree.map_structure(lambda _: "mse", model.output))
    model.fit(inputs, targets, verbose=0)
    after = [np.array(v) for v in model.trainable_variables]
    assert not before or any((a != b).any() for a, b in zip(before, after, strict=True))


def check_compiled(cls, arguments, vocabulary_size):
    """A step of `fit` compiled by XLA, Keras's default on a GPU, as one without."""
    arrays = symbol_arrays(vocabulary_size)
    loss = keras.losses.SparseCategoricalCrossentropy(True, ignore_class=0)
    fitted = []
    for compiled in (False, True):
        keras.utils.set_random_seed(0)
        model = cls(**arguments())
        model.compile(keras.optimizers.SGD(0.1), loss, jit_compile=compiled)
        model.fit(arrays, arrays["target"], verbose=0)
        fitted.append([np.array(v) for v in model.trainable_variables])
    for a, b in zip(*fitted, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def run_layer_test(cls, arguments, inputs, call=None):
    """Puts a layer through the contract.

    Args:
        cls: the layer.
        arguments: makes the constructor's arguments, none of which is its default.
        inputs: see `random_inputs`, in the order of `call`.
        call: `call(layer, inputs by name, **training)`; `layer(*inputs)` if not given.
    """
    takes = inspect.signature(cls.call).parameters

    def plain(layer, arrays, **training):
        training = training if "training" in takes else {}
        return layer(*arrays.values(), **training)

    call = call or plain
    arrays, longer = random_inputs(inputs), random_inputs(inputs, batch=3, columns=5)
    keras.utils.set_random_seed(0)
    check_config(cls, arguments)
    made = check_policies(cls, arguments, call, arrays)
    check_shapes(*made["mixed_bfloat16"], call, arrays)
    layer, _ = made["float32"]
    model = functional(layer, call, arrays)
    for part in sublayers(layer)[1::3]:
        part.trainable = False
    check_saved(model, arrays, longer)
    if layer.trainable_weights:
        check_gradients(layer, call, arrays)
    check_fit(model, arrays)
    if any(isinstance(part, keras.layers.Dense) for part in sublayers(layer)):
        assert check_quantized(model, arrays)


def run_model_test(cls, arguments, vocabulary_size):
    """Puts a model through the contract, its own inputs and logits.

    Args:
        cls: the model.
        arguments: makes the constructor's arguments, none of which is its default.
        vocabulary_size: v.
    """
    arrays = symbol_arrays(vocabulary_size)
    keras.utils.set_random_seed(0)
    check_config(cls, arguments)
    with pytest.raises(ValueError, match="unknown option 'drop_out'; legal.* dropout"):
        cls(**arguments(), drop_out=0.1)
    call = lambda model, x, **training: model(x, **training)  # noqa: E731
    model, _ = check_policies(cls, arguments, call, arrays)["float32"]
    check_gradients(model, call, arrays)
    for part in sublayers(model)[1::3]:
        part.trainable = False
    loss = keras.losses.SparseCategoricalCrossentropy(True, ignore_class=0)
    model.compile(keras.optimizers.Adam(0.01), loss)
    before = model.predict(arrays, verbose=0)
    assert before.shape == (2, 4, vocabulary_size)
    model.fit(arrays, arrays["target"], epochs=3, verbose=0)
    after = model.predict(arrays, verbose=0)
    assert loss(arrays["target"], after) < loss(arrays["target"], before)
    model.summary(print_fn=lambda *_, **__: None, expand_nested=True)
    check_saved(model, arrays, symbol_arrays(vocabulary_size, batch=3, columns=5))
    assert len(check_quantized(model, arrays)) >= 2
