"""Every public layer and model keeps the Keras contract; see `contract`."""

import runpy
import subprocess
import sys
from pathlib import Path

import contract
import contract_cases
import keras
import numpy as np
import pytest
import tensorflow as tf
from backend_process import BACKENDS, NO_TORCH, output_under

from neural_gpu_tf import layers, models

SEEN = [case[0] for case in contract_cases.LAYERS]


@pytest.mark.parametrize(
    "cls, arguments, inputs",
    [
        pytest.param(
            *case,
            id=f"{case[0].__name__}{i}",
            marks=pytest.mark.slow if case[0] in SEEN[:i] else [],
        )
        for i, case in enumerate(contract_cases.LAYERS)
    ],
)
def test_a_layer_keeps_the_contract(cls, arguments, inputs):
    contract.run_layer_test(cls, arguments, inputs)


QUICK = ("ExtendedNeuralGPU", "RNNSeq2Seq")  # one of each kind
CASES = [
    pytest.param(
        *case,
        id=case[0].__name__,
        marks=[] if case[0].__name__ in QUICK else pytest.mark.slow,
    )
    for case in contract_cases.MODELS
]


@pytest.mark.parametrize(
    "cls, arguments",
    CASES,
)
def test_a_model_keeps_the_contract(cls, arguments):
    contract.run_model_test(cls, arguments, contract_cases.VOCABULARY)


@pytest.mark.slow
@pytest.mark.parametrize("cls, arguments", CASES)
def test_fit_compiled_by_xla(cls, arguments):
    contract.check_compiled(cls, arguments, contract_cases.VOCABULARY)


def test_none_is_left_out():
    public = [getattr(layers, name) for name in layers.__all__]
    public = {x for x in public if isinstance(x, type)}
    public = {x.__name__ for x in public if issubclass(x, keras.layers.Layer)}
    tested = {case[0].__name__ for case in contract_cases.LAYERS}
    assert public == tested | contract_cases.ELSEWHERE
    assert {case[0] for case in contract_cases.MODELS} == {*models.MODELS.values()}


@pytest.mark.parametrize(
    "cls, arguments",
    [
        case
        if case.id == "ExtendedNeuralGPU"
        else pytest.param(*case.values, id=case.id, marks=pytest.mark.slow)
        for case in CASES
    ],
)
def test_keras_and_tensorflow_export_a_model(cls, arguments, tmp_path):
    model = cls(**arguments())
    arrays = contract.symbol_arrays(contract_cases.VOCABULARY)
    expected = np.array(model(arrays))
    model.export(tmp_path / "keras", verbose=False)
    exported = tf.saved_model.load(tmp_path / "keras")
    np.testing.assert_allclose(exported.serve(arrays), expected, atol=1e-5)
    tf.saved_model.save(model, tmp_path / "tensorflow")
    saved = tf.saved_model.load(tmp_path / "tensorflow")
    names = ("inputs", "inputs_1", "inputs_2")  # as Keras calls them, in this order:
    tensors = [tf.constant(arrays[name]) for name in ("size", "source", "target")]
    signature = saved.signatures["serving_default"]
    (logits,) = signature(**dict(zip(names, tensors, strict=True))).values()
    np.testing.assert_allclose(logits, expected, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_contract_is_kept_under_other_backends(backend):
    printed = output_under(backend, Path(__file__).with_name("contract_under.py"))
    assert (
        f"{len(contract_cases.LAYERS)} layers, {len(models.MODELS)} models" in printed
    )


@NO_TORCH
def test_a_layer_under_pytorch():
    script = Path(__file__).with_name("contract_under.py")
    assert "1 layers, 0 models" in output_under("torch", script, "CGRU")  # all: minutes


STRANGER = Path(__file__).parents[1] / "examples" / "cgru_in_keras.py"


def test_a_strangers_program(tmp_path, monkeypatch, capsys):
    assert len(STRANGER.read_text("utf-8").splitlines()) <= 20
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(STRANGER))
    assert "the same outputs: True" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", pytest.param("torch", marks=NO_TORCH)])
def test_a_strangers_program_under_another_backend(backend, tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", backend)
    done = subprocess.run(
        [sys.executable, STRANGER], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "the same outputs: True" in done.stdout


def test_units_pass_a_mask_on_and_an_encoder_refuses_one():
    symbols = np.array([[3, 4, 0], [5, 0, 0]])
    vectors = keras.layers.Embedding(9, 6, mask_zero=True)(symbols)
    canvas = layers.CGRU(6)(layers.FirstRow(2)(vectors))
    np.testing.assert_array_equal(keras.src.backend.get_keras_mask(canvas), symbols > 0)
    encoder = layers.ActiveMemoryEncoder(layers.CGRU(6))
    with pytest.raises(ValueError, match="takes no Keras mask; `size` says"):
        encoder(canvas, np.array([2, 1]))


UNITS = ("CGRU", "TapeCGRU", "DiagonalCGRU", "ResidualUnit", "TapeResidualUnit")


@pytest.mark.parametrize("dtype", ["bool", "int32"])
@pytest.mark.parametrize("name", UNITS)
def test_active_cells_of_another_dtype(name, dtype):
    unit = getattr(layers, name)(6, dtype="mixed_bfloat16")
    canvases = np.random.default_rng(0).normal(size=(1 + ("Tape" in name), 2, 5, 3, 6))
    active = np.arange(10).reshape(2, 5, 1, 1) % 3 > 0
    expected = unit(*canvases, active=active.astype("float32"))
    found = unit(*canvases, active=active.astype(dtype))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_a_machine_takes_a_mask_and_passes_it_on(recwarn):
    symbols = np.array([[3, 4, 0, 5], [5, 0, 0, 0]])
    vectors = keras.layers.Embedding(9, 6, mask_zero=True)(symbols)
    machine = layers.StackMachine(4, stacks=2)
    outputs, state = machine(vectors)
    assert not [x for x in recwarn if "mask" in str(x.message)]
    expected, _ = machine(keras.ops.copy(vectors), symbols > 0)
    np.testing.assert_array_equal(outputs, expected)
    mask = keras.src.backend.get_keras_mask
    np.testing.assert_array_equal(mask(outputs), symbols > 0)
    assert [mask(x) for x in state] == [None, None]


def test_a_machine_goes_on_with_a_state_and_takes_a_mask():
    symbols = np.array([[3, 4, 0, 5], [5, 0, 0, 0]])
    vectors = keras.layers.Embedding(9, 6, mask_zero=True)(symbols)
    machine = layers.StackMachine(4, stacks=2, depth=6)
    outputs, _ = machine(vectors, state=machine.initial_state(2))
    np.testing.assert_array_equal(outputs, machine(vectors)[0])


@pytest.mark.parametrize(
    "machine",
    [
        lambda: layers.StackMachine(4, stacks=2),
        lambda: layers.TuringMachine(4, 5, 3),
        lambda: layers.TuringMachine(4, 5, 3, controller="feedforward"),
    ],
)
def test_a_state_handed_on_in_a_functional_model_is_loaded(machine, tmp_path):
    first, second = keras.Input((None, 3)), keras.Input((None, 3))
    machine = machine()
    _, state = machine(first)
    outputs, _ = machine(second, None, state)
    model = keras.Model([first, second], outputs)
    model.save(tmp_path / "model.keras")
    copy = keras.models.load_model(tmp_path / "model.keras")
    inputs = [np.ones((2, 4, 3), "float32"), np.ones((2, 5, 3), "float32")]
    np.testing.assert_array_equal(model(inputs), copy(inputs))


def test_a_model_of_float16_scales_its_loss():
    model = models.NeuralGPU(9, maps=4, dtype="mixed_float16")
    model.compile("adam", "mse")
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)


@pytest.mark.parametrize("kind", ["ExtendedNeuralGPU", "MarkovianNeuralGPU"])
def test_a_target_shorter_than_its_source(kind):
    model = getattr(models, kind)(9, maps=4, width=1, layers=1)
    rows = np.ones((2, 5), "int32")
    with pytest.raises(ValueError, match="target has 4 columns, the canvas 5; pad"):
        model({"source": rows, "target": rows[:, 1:], "size": np.array([5, 5])})


def test_an_int_is_a_square_kernel():
    assert layers.CGRU(24, kernel_size=3).kernel_size == (3, 3)


def test_an_encoder_hands_its_policy_on():
    units = [layers.CGRU(6), layers.CGRU(6)]
    encoder = layers.ActiveMemoryEncoder(units, dtype="mixed_bfloat16")
    assert all(unit.compute_dtype == "bfloat16" for unit in encoder.units)
    unit = layers.CGRU(6, dtype="mixed_bfloat16")
    assert layers.ActiveMemoryEncoder(unit).compute_dtype == "bfloat16"
    with pytest.raises(ValueError, match="is a part of a layer of mixed_bfloat16"):
        layers.ActiveMemoryEncoder(unit, dtype="float32")
    unit.build()
    with pytest.raises(ValueError, match="has weights for mixed_bfloat16"):
        layers.ActiveMemoryEncoder(unit, dtype="float32")
