import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tiny
from served_ops import ALLOWED, served_ops
from tensorflow.core.protobuf import saved_model_pb2

from neural_gpu_tf.decoding import SizePredictor
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import Translator
from neural_gpu_tf.models import SizeReadout
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.serving import ExportedTranslator, export
from neural_gpu_tf.serving.translator_signatures import TranslatorSignatures
from neural_gpu_tf.serving.warmup import read_warmup

LONG = "two six five " * 5
BATCHES = [
    ["two thousand, five", "", "six", LONG, "Ü漢!"],
    ["six"],
    [""],
    ["", "", " "],
    [],
]


def listing(directory):
    return sorted(path.name for path in directory.iterdir())


def same(answer, expected):
    assert answer.keys() == expected.keys()
    for name, values in expected.items():
        if name == "log_probability":
            np.testing.assert_allclose(answer[name], values, rtol=1e-5, atol=1e-5)
        else:
            assert list(answer[name]) == list(values)


@pytest.fixture(scope="module")
def predicting():
    """A translator that tries one predicted size."""
    readout = SizeReadout(2 * tiny.MODEL.width * tiny.MODEL.maps, 10, 9)
    random = np.random.default_rng(0)
    readout.set_weights([random.normal(size=w.shape) for w in readout.get_weights()])
    config = dataclasses.replace(tiny.DECODING, sizes="predicted", tried_sizes=1)
    predictor = SizePredictor(tiny.model(), readout)
    return Translator(tiny.model(), tiny.tokenizer(), config, size_predictor=predictor)


@pytest.mark.slow
def test_tensorflow_alone_serves_predicted_sizes(predicting, tmp_path):
    exported = export(predicting, tmp_path)
    batches = {"serving_default": BATCHES, "too_long": BATCHES}
    check_served(exported, serve(exported, batches), predicting)
    sizes = [x.translate(BATCHES[0])["size"] for x in (predicting, tiny.translator())]
    assert np.any(sizes[0] != sizes[1])


@pytest.fixture(scope="module")
def asked():
    """Batches to every signature, by name."""
    symbols = tiny.tokenizer().tokenize(BATCHES[0]).to_tensor().numpy().tolist()
    pairs = {"source": BATCHES[0], "target": BATCHES[0][::-1]}
    names = ("serving_default", "too_long", "translate", "translate_nbest", "tokenize")
    return {
        **{name: BATCHES for name in names},
        "score": [pairs, {"source": [], "target": []}],
        "detokenize": [{"symbols": symbols}],
    }


@pytest.fixture(scope="module")
def served(exported, asked):
    return serve(exported, asked)


def test_tensorflow_alone_serves_it_as_the_translator_does(exported, served):
    check_served(exported, served, tiny.translator())


def check_served(exported, served, translator):
    assert served["not_core"] == []
    assert served_ops(exported) <= ALLOWED
    assert served["ops"] > 50
    assert served["others"] == []
    answers = (served["answers"][name] for name in ("serving_default", "too_long"))
    for batch, answer, long in zip(BATCHES, *answers, strict=True):
        expected = translator.translate(tf.constant(batch, tf.string))
        expected = {name: values.numpy() for name, values in expected.items()}
        same(answer, {**expected, "text": [x.decode() for x in expected["text"]]})
        assert long == {"too_long": [text == LONG for text in batch]}


def test_it_holds_every_weight_once(exported):
    variables = tf.train.list_variables(str(exported / "variables" / "variables"))
    shapes = [tuple(shape) for name, shape in variables if "VARIABLE_VALUE" in name]
    expected = [tuple(weight.shape) for weight in tiny.model().weights]
    assert set(shapes) <= set(expected)
    assert sum(map(np.prod, shapes)) <= tiny.model().count_params()


def read_graph(exported):
    content = (exported / "saved_model.pb").read_bytes()
    return saved_model_pb2.SavedModel.FromString(content).meta_graphs[0]


def test_all_its_signatures_read_texts_by_one_graph(exported):
    functions = read_graph(exported).graph_def.library.function
    nodes = [node.op for function in functions for node in function.node_def]
    assert nodes.count("LookupTableFindV2") == 1


def serve(exported, batches):
    """The answers of a session in another process, by signatures."""
    served = subprocess.run(
        [sys.executable, Path(__file__).with_name("serve_in_session.py"), exported],
        input=json.dumps(batches),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(served.stdout)


def test_tensorflow_alone_serves_all_signatures(asked, served):
    signatures = TranslatorSignatures(tiny.translator(), ServingConfig())
    for name in ("translate", "translate_nbest", "tokenize", "score", "detokenize"):
        function, specs = signatures.endpoints()[name]
        for batch, answer in zip(asked[name], served["answers"][name], strict=True):
            inputs = batch if isinstance(batch, dict) else {"text": batch}
            tensors = [tf.constant(inputs[x.name], x.dtype) for x in specs]
            expected = {k: v.numpy() for k, v in function(*tensors).items()}
            assert answer.keys() == expected.keys()
            for key, values in expected.items():
                if values.dtype == object:
                    values = np.char.decode(values.astype(bytes))
                found = np.reshape(answer[key], values.shape)
                if values.dtype == np.float32:
                    np.testing.assert_allclose(found, values, 1e-5, 1e-5)
                else:
                    np.testing.assert_array_equal(found, values)


def test_python_loads_it(exported):
    translator = ExportedTranslator(exported)
    for batch in BATCHES:
        texts = tf.constant(batch, tf.string)
        answer = translator.translate(texts)
        same(
            {name: values.numpy() for name, values in answer.items()},
            {k: v.numpy() for k, v in tiny.translator().translate(texts).items()},
        )
        np.testing.assert_array_equal(
            translator.too_long(texts), [text == LONG for text in batch]
        )


@pytest.mark.slow
def test_python_has_minus_infinity_where_an_export_can_not(tmp_path):
    config = dataclasses.replace(tiny.DECODING, beam=2, n_best=2)
    translator = Translator(tiny.model(), tiny.tokenizer(), config)
    found, expected = (
        x.translate(tf.constant(["", "six"]))["n_best_score"]
        for x in (ExportedTranslator(export(translator, tmp_path)), translator)
    )
    np.testing.assert_allclose(found, expected, 1e-5)
    assert np.isneginf(found).tolist() == [[False, True], [False, False]]


def test_a_damaged_description(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "1")
    for content in ("{", "[]", '{"limits": {}}', '{"limits": {"max_texts": "9"}}'):
        (tmp_path / "1/assets.extra/export.json").write_text(content)
        with pytest.raises(InputError, match=r"export.json: damaged .*; export again"):
            ExportedTranslator(tmp_path / "1")
    (tmp_path / "1/assets.extra/export.json").unlink()  # as older exports
    answer = ExportedTranslator(tmp_path / "1").translate(tf.constant(["six"]))
    assert answer["text"].shape == [1]


def described(infos):
    """Type and shape of each input or output, by name."""
    return {
        name: (tf.as_dtype(info.dtype), tf.TensorShape(info.tensor_shape))
        for name, info in infos.items()
    }


@pytest.fixture(scope="module")
def signatures(exported):
    """Type and shape of inputs and of outputs, by signature."""
    return {
        name: (described(signature.inputs), described(signature.outputs))
        for name, signature in read_graph(exported).signature_def.items()
        if not name.startswith("__")
    }


def test_what_a_server_warms_up_with(exported, signatures, tmp_path):
    asked = dict(read_warmup(exported))
    assert set(asked) == set(signatures)
    for name, inputs in asked.items():
        assert all(map(len, inputs.values()))
        specs, _ = signatures[name]
        assert inputs.keys() == specs.keys()
        for key, value in inputs.items():
            value, (dtype, shape) = tf.constant(value), specs[key]
            assert value.dtype == dtype
            assert shape.is_compatible_with(value.shape)
    shutil.copytree(exported, tmp_path / "1")
    file = tmp_path / "1/assets.extra/tf_serving_warmup_requests"
    for content in (file.read_bytes()[:-3], b"no records at all"):
        file.write_bytes(content)
        with pytest.raises(InputError, match=r"requests: damaged .*; export again"):
            list(read_warmup(tmp_path / "1"))
    file.unlink()
    assert not list(read_warmup(tmp_path / "1"))


def test_its_signature_is_the_one_promised(signatures):
    inputs, outputs = signatures["serving_default"]
    [(name, (dtype, shape))] = inputs.items()
    assert (name, dtype, shape.as_list()) == ("text", tf.string, [None])
    assert {name: dtype for name, (dtype, _) in outputs.items()} == {
        "text": tf.string,
        "log_probability": tf.float32,
        "size": tf.int32,
    }
    assert all(shape.rank == 1 for _, shape in outputs.values())


def test_versions_count_from_1(tmp_path, monkeypatch):
    monkeypatch.setitem(export.__globals__, "_write", lambda *_: None)
    monkeypatch.setitem(export.__globals__, "_check", lambda *_: None)
    directory = tmp_path / "new" / "export"
    assert export(tiny.translator(), directory) == directory / "1"
    (directory / "1").rename(directory / "7")
    (directory / "notes").touch()
    assert export(tiny.translator(), directory) == directory / "8"
    assert export(tiny.translator(), directory, version=2) == directory / "2"
    assert listing(directory) == ["2", "7", "8", "notes"]


def test_an_existing_version_stays_as_it_is(tmp_path):
    (tmp_path / "3").mkdir()
    with pytest.raises(InputError, match="3: this version is there already"):
        export(tiny.translator(), tmp_path, version=3)
    assert listing(tmp_path) == ["3"] and listing(tmp_path / "3") == []


def test_a_wrong_export_is_not_published(
    exported, tmp_path, monkeypatch, capfd, caplog
):
    seen = []

    def write(translator, path, limits):
        seen.append(path.name)
        shutil.copytree(exported, path, dirs_exist_ok=True)  # the one of another model

    monkeypatch.setitem(export.__globals__, "_write", write)
    kernel = tiny.model().layers[-1].kernel  # O
    kernel.assign(-kernel)
    try:
        with pytest.raises(RuntimeError, match="the export answers"):
            export(tiny.translator(), tmp_path)
    finally:
        kernel.assign(-kernel)
    assert listing(tmp_path) == []
    assert seen[0].startswith(".")  # servers pass over what is no number
    assert capfd.readouterr().out == "" and caplog.messages == []


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can't write it.*choose another"):
        export(tiny.translator(), tmp_path / "file" / "export")


def test_what_is_no_export(exported, tmp_path):
    with pytest.raises(InputError, match="no saved_model.pb in it"):
        ExportedTranslator(tmp_path)
    (tmp_path / "saved_model.pb").write_bytes(b"damaged")
    with pytest.raises(InputError, match="not an export"):
        ExportedTranslator(tmp_path)
    shutil.copytree(exported, tmp_path / "1")
    (data,) = tmp_path.glob("1/variables/variables.data-*")
    os.truncate(data, 100)
    with pytest.raises(InputError, match="not an export"):
        ExportedTranslator(tmp_path / "1")
