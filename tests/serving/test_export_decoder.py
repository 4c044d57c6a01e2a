"""Exports of decoders on symbols, in other formats than SavedModel."""

import dataclasses
import functools
import importlib.util
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.decoding import SizePredictor, n_best_search
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import Translator, solve_text
from neural_gpu_tf.models import MODELS, SizeReadout
from neural_gpu_tf.options import ModelConfig
from neural_gpu_tf.pretrained_models import pretrained_run
from neural_gpu_tf.runs import load_task_run
from neural_gpu_tf.serving import (
    ExportedDecoder,
    ExportedSolver,
    export_decoder,
    export_task_decoder,
    load_exported,
)
from neural_gpu_tf.serving.formats import FORMATS

TEXTS = ["two thousand, five", "", "six", "Ü漢!", " ", "two six five " * 5, "nine"]
EACH = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            not all(map(importlib.util.find_spec, FORMATS[name].packages)),
            reason="needs pip install 'neural-gpu-tf[formats]'",
        ),
    )
    for name in FORMATS
    if FORMATS[name].exact
]
EXPORTS_LITERT = importlib.util.find_spec("ai_edge_litert")
ONE = [EACH[0], pytest.param(*EACH[1].values, marks=[*EACH[1].marks, pytest.mark.slow])]


def translator(model="neural_gpu", size=4, **decoding):
    options = dict(maps=size, width=1, layers=1, units=size, embedding_size=size)
    options["bidirectional"] = "attention" in model
    config = ModelConfig(model=model, **options)
    network = tiny.new_model(len(tiny.vocabulary()), config)
    options = dataclasses.replace(tiny.DECODING, **decoding)
    return Translator(network, tiny.tokenizer(), options)


@pytest.fixture(scope="module")
def small():
    return translator()


@pytest.fixture(scope="module")
def write(tmp_path_factory):
    """Makes a translator and its export to a format, once."""

    @functools.cache
    def write(format, model, size):
        exact, path = translator(model, size), tmp_path_factory.mktemp("format")
        return exact, export_decoder(exact, path, format)

    return write


@pytest.fixture(scope="module", params=EACH)
def exported(request, write):
    """The format, a translator, and its export.

    The one to ONNX reads backwards, too: what a loop's steps give is put there in the
    order of the steps.
    """
    options = dict(onnx=("attention_seq2seq", 4), litert=("neural_gpu", 32))
    return request.param, *write(request.param, *options[request.param])


@pytest.fixture
def search(small, monkeypatch):
    """Exports have a table instead of the search, changed by the function it is given.

    It has what the search finds for the texts that an export is checked with, so it is
    right but for the change, and written much sooner.
    """
    known = export_decoder.__globals__
    sources = tiny.tokenizer().tokenize(tf.constant(known["_SAMPLES"]))[:, :9]
    lengths = sources.row_lengths().numpy().tolist()
    found = n_best_search(small.model, sources.to_tensor(), lengths, small.config)
    found = type(found)(*(x.numpy() for x in found))
    row = np.array([lengths.index(n) if n in lengths else 0 for n in range(10)])

    def use(change):
        def table(model, source, length, *arguments, **options):
            where = tf.gather(row, length + tf.minimum(source[:, 0], 0))
            return change(type(found)(*(tf.gather(x, where) for x in found)))

        monkeypatch.setitem(known, "n_best_search", table)

    return use


def check(exported, expected):
    texts = tf.constant(TEXTS)
    answer, expected = exported.translate(texts), expected.translate(texts)
    assert answer.keys() == expected.keys()
    assert len(set(expected["text"].numpy())) > 3
    for name in ("text", "size"):
        assert answer[name].dtype == expected[name].dtype
        assert answer[name].numpy().tolist() == expected[name].numpy().tolist()
    np.testing.assert_allclose(
        answer["log_probability"], expected["log_probability"], rtol=1e-5, atol=1e-5
    )


def test_translates_as_the_translator_does(exported):
    format, exact, path = exported
    there = sorted(file.name for file in path.iterdir())
    assert there == sorted(["export.json", "vocab.txt", FORMATS[format].file])
    loaded = load_exported(path)
    assert isinstance(loaded, ExportedDecoder)
    check(loaded, exact)
    assert loaded.too_long(tf.constant(TEXTS)).numpy().tolist() == [
        len(tiny.tokenizer().tokenize(text)) > 9 for text in TEXTS
    ]
    assert loaded.translate(tf.constant([], tf.string))["text"].shape == [0]
    about = json.loads((path / "export.json").read_text("utf-8"))
    assert about["format"] == format
    assert about["decoding"] == dataclasses.asdict(exact.config)


def test_the_file_alone_decodes_symbols(exported):
    """As another program runs it, with arrays of any width."""
    format, exact, path = exported
    decode = FORMATS[format].load(path / FORMATS[format].file)
    sources = tiny.tokenizer().tokenize(TEXTS[:4])[:, :9]
    length = sources.row_lengths().numpy().astype(np.int32)
    rows = np.pad(sources.to_tensor().numpy(), [[0, 0], [0, 3]])
    together = [slice(0, 4)] if FORMATS[format].batch is None else []
    expected = exact.translate(tf.constant(TEXTS[:4]))
    for some in (slice(0, 1), slice(1, 2), slice(3, 4), *together):
        answer = decode(source=rows[some], length=length[some])
        assert {x.dtype for x in answer.values()} == {np.dtype("i4"), np.dtype("f4")}
        np.testing.assert_array_equal(answer["size"], expected["size"][some])
        texts = tiny.tokenizer().detokenize(answer["symbols"])
        np.testing.assert_array_equal(texts, expected["text"][some])


def test_threads_may_share_it(exported):
    _, exact, path = exported
    loaded = load_exported(path)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: answer_of(loaded, text), TEXTS * 4))
    texts = exact.translate(tf.constant(TEXTS))["text"].numpy()
    assert found == [[text] for text in texts] * 4


def answer_of(one, text):
    return one.translate(tf.constant([text]))["text"].numpy().tolist()


@pytest.mark.slow
@pytest.mark.parametrize("format", EACH)
@pytest.mark.parametrize("name", MODELS)
def test_every_model_and_beam(name, format, tmp_path):
    attends = "attention" in name
    for i, options in enumerate(
        [{}, dict(beam=3, length_penalty=0.7, coverage_penalty=0.2 * attends)]
    ):
        expected = translator(name, **options)
        path = export_decoder(expected, tmp_path / str(i), format)
        check(ExportedDecoder(path), expected)


ROUNDED = [
    pytest.param(name, marks=[] if name == "neural_gpu" else pytest.mark.slow)
    for name in MODELS
]


@pytest.mark.skipif(not EXPORTS_LITERT, reason="needs 'neural-gpu-tf[formats]'")
@pytest.mark.parametrize("name", ROUNDED)
def test_weights_of_8_bits(name, write, tmp_path):
    """Smaller files, and answers that are nearly those of the model."""
    (original, path), text = write("litert", name, 32), tf.constant(TEXTS)
    int8 = export_decoder(original, tmp_path, "litert_int8")
    paths = {"litert": path, "litert_int8": int8}
    exact, small = (FORMATS[x].load(path / "model.tflite") for x, path in paths.items())
    rows = tiny.tokenizer().tokenize(TEXTS[:1])[:, :9]
    length = rows.row_lengths().numpy().astype(np.int32)
    given = {"source": rows.to_tensor().numpy(), "length": length}
    found, rounded = (f(**given)["log_probability"] for f in (exact, small))
    assert found != rounded
    np.testing.assert_allclose(found, rounded, rtol=0.1)
    sizes = [(path / "model.tflite").stat().st_size for path in paths.values()]
    assert sizes[1] < 0.6 * sizes[0]
    loaded, expected = load_exported(paths["litert_int8"]), original.translate(text)
    answer = loaded.translate(text)
    assert np.mean(answer["text"].numpy() == expected["text"].numpy()) > 0.5
    about = json.loads((paths["litert_int8"] / "export.json").read_text("utf-8"))
    assert about["format"] == "litert_int8"


@pytest.mark.skipif(not EXPORTS_LITERT, reason="needs 'neural-gpu-tf[formats]'")
def test_weights_of_8_bits_that_answer_otherwise(small, search, tmp_path, monkeypatch):
    search(lambda found: found._replace(log_probability=2 * found.log_probability))
    with pytest.raises(InputError, match="^format=litert_int8: .*translates otherwise"):
        export_decoder(small, tmp_path, "litert_int8")
    monkeypatch.setitem(
        *(export_task_decoder.__globals__, "all_symbols"),
        lambda model, source, size: source,
    )
    run = load_task_run(pretrained_run("badd"))
    with pytest.raises(InputError, match="^format=litert_int8: .*answers otherwise"):
        export_task_decoder(run, tmp_path, "litert_int8")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("format", EACH)
def test_predicted_sizes(format, small, tmp_path):
    readout = SizeReadout(2 * 4, 10, 9)
    random = np.random.default_rng(0)
    readout.set_weights([random.normal(size=w.shape) for w in readout.get_weights()])
    config = dataclasses.replace(tiny.DECODING, sizes="predicted", tried_sizes=2)
    predictor = SizePredictor(small.model, readout)
    predicting = Translator(
        small.model, tiny.tokenizer(), config, size_predictor=predictor
    )
    check(ExportedDecoder(export_decoder(predicting, tmp_path, format)), predicting)


@pytest.mark.parametrize("format", EACH)
def test_a_solver_answers_as_it_did(format, tmp_path):
    run = load_task_run(pretrained_run("badd"))
    task = dataclasses.replace(run.task, blank_columns=0.5)
    path = export_task_decoder(run._replace(task=task), tmp_path, format)
    solver = ExportedSolver(path)
    assert solver.task == task
    for question in ("1011 + 110", "1 + 1", f"{'1' * 30} + 1"):
        solution = solve_text(solver, solver.task, question)
        assert solution.answer == solution.exact
    nothing = solver(np.zeros([0, 5], np.int32), np.zeros([0], np.int32))
    assert nothing.shape == (0, 5) and nothing.dtype == "int32"
    with pytest.raises(InputError, match="contains a model of a task, not a"):
        load_exported(path)


@pytest.mark.parametrize("format", ONE)
def test_what_has_no_counterpart_is_named_in_one_line(format, small, search, tmp_path):
    def change(found):
        x = tf.math.betainc(1.0, 1.0, tf.exp(found.log_probability))
        return found._replace(log_probability=x)

    search(change)
    with pytest.raises(InputError, match=f"^format={format}: .*Betainc.*; export a Sa"):
        export_decoder(small, tmp_path, format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found._replace(symbols=found.symbols[:, :, ::-1]),
        lambda found: found._replace(log_probability=found.log_probability - 0.1),
    ],
)
@pytest.mark.parametrize("format", ONE)
def test_a_wrong_export_is_not_published(format, change, small, search, tmp_path):
    search(change)
    with pytest.raises(RuntimeError, match="the export answers"):
        export_decoder(small, tmp_path, format)
    assert list(tmp_path.iterdir()) == []
    search(lambda found: found)  # it is the change alone that is wrong
    assert export_decoder(small, tmp_path, format).is_dir()


def test_what_is_refused(small, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="n_best=2: format=onnx gives only the best"):
        export_decoder(translator(beam=2, n_best=2), tmp_path, "onnx")
    with pytest.raises(InputError, match="format=tarball: choose one of onnx, litert"):
        export_decoder(small, tmp_path, "tarball")
    with pytest.raises(InputError, match="contains no ONNX or LiteRT file"):
        ExportedDecoder(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"tf2onnx, onnx.*pip install '.*\[formats\]'"):
        export_decoder(small, tmp_path, "onnx")


def test_a_damaged_file(exported, tmp_path):
    format, _, path = exported
    for file in path.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / FORMATS[format].file).write_bytes(b"damaged")
    with pytest.raises(InputError, match="not an export of neural-gpu-export"):
        load_exported(tmp_path)
