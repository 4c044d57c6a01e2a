"""Whatever texts a signature is given: an answer to each, alone as among others."""

import numpy as np
import pytest
import tensorflow as tf
import tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from neural_gpu_tf.inference import TextSolver, Translator
from neural_gpu_tf.models import cell_bytes
from neural_gpu_tf.options import DecodingConfig, ModelConfig, ServingConfig
from neural_gpu_tf.pretrained_models import pretrained_run
from neural_gpu_tf.runs import load_task_run
from neural_gpu_tf.serving.solver_signatures import SolverSignatures
from neural_gpu_tf.serving.translator_signatures import TranslatorSignatures

LIMITS = ServingConfig(max_text_bytes=60, max_texts=4)
LIKELY = "two six,01+ \n\x1b\u202e\u0301\ufeff\x00\u200d😀אé漢"
often = settings(max_examples=25, deadline=None, derandomize=True)
texts = st.binary(max_size=70) | (
    st.text(max_size=30) | st.text(LIKELY, max_size=70)
).map(str.encode)
batches = st.lists(texts, max_size=LIMITS.max_texts)
numbers = st.integers(-1, 280) | st.integers(-(2**31), 2**31 - 1)


def traced(signatures):
    """The functions by name, each traced once for batches of any size."""
    return {
        name: tf.function(function, input_signature=list(inputs))
        for name, (function, inputs) in signatures.endpoints().items()
        if name != "serving_default"
    }


@pytest.fixture(scope="module")
def translate():
    small = ModelConfig(maps=4, width=1, layers=1, kernel_gain=1.4, embedding_range=1.0)
    model = tiny.new_model(len(tiny.vocabulary()), small)
    config = DecodingConfig(max_source_length=4, decode_cells=64, beam=2, n_best=2)
    translator = Translator(model, tiny.tokenizer(), config)
    return traced(TranslatorSignatures(translator, LIMITS))


@pytest.fixture(scope="module")
def solve():
    run = load_task_run(pretrained_run("badd"))
    solver = TextSolver(run.model, run.task, 12, cell_bytes(run.config.model))
    return traced(SolverSignatures(solver, LIMITS))["solve"]


def check(function, *inputs):
    """An answer to each, of the right form, the same for the first one alone."""
    answer = function(*(tf.constant(one, tf.string) for one in inputs))
    for name, values in answer.items():
        assert len(values) == len(inputs[0]), name
        if values.dtype == tf.string:
            for text in values.numpy().ravel():
                text.decode()
        elif name == "log_probability":
            assert np.all(values.numpy() <= 0)
    if inputs[0]:
        alone = function(*(tf.constant(one[:1], tf.string) for one in inputs))
        for name, values in alone.items():
            one, among = (np.asarray(x.numpy()[0]) for x in (values, answer[name]))
            among = among[tuple(slice(size) for size in one.shape)]  # of a wider batch
            if values.dtype.is_floating:
                np.testing.assert_allclose(among, one, rtol=1e-4, atol=1e-5)
            else:
                np.testing.assert_array_equal(among, one)
    return answer


# `translate` is the first of the n best.
@pytest.mark.parametrize(
    "name",
    [
        *("translate_nbest", "tokenize", "too_long"),
        pytest.param("explain", marks=pytest.mark.slow),
    ],
)
@often
@given(batch=batches)
def test_signatures_of_texts(translate, name, batch):
    answer = check(translate[name], batch)
    if name in ("translate_nbest", "tokenize"):
        cut = [len(text) > LIMITS.max_text_bytes for text in batch]
        assert np.all(answer["too_long"].numpy() >= cut)


@often
@given(pairs=st.lists(st.tuples(texts, texts), max_size=LIMITS.max_texts))
def test_scores(translate, pairs):
    answer = check(translate["score"], *([pair[i] for pair in pairs] for i in (0, 1)))
    assert np.all(np.isfinite(answer["log_probability"]))


@often
@given(batch=batches)
def test_symbols_and_back(translate, batch):
    symbols = translate["tokenize"](tf.constant(batch, tf.string))["symbols"]
    back = translate["detokenize"](symbols)["text"]
    again = translate["tokenize"](back)["symbols"].numpy()
    read = translate["tokenize"](tf.constant(batch, tf.string))
    short = ~read["too_long"].numpy()  # more than 60 bytes may have come of bad ones
    width = min(again.shape[1], symbols.shape[1])
    np.testing.assert_array_equal(again[short, :width], symbols.numpy()[short, :width])


@often
@given(
    st.integers(0, 5).flatmap(
        lambda width: st.lists(
            st.lists(numbers, min_size=width, max_size=width), min_size=1, max_size=4
        )
    )
)
def test_numbers_that_are_symbols_or_none(translate, rows):
    symbols = np.array(rows, np.int32)
    legal = np.all((symbols >= 0) & (symbols < len(tiny.vocabulary())))
    try:
        answer = translate["detokenize"](tf.constant(symbols))["text"]
    except tf.errors.InvalidArgumentError as error:
        assert not legal and "symbols are 0 to" in str(error)
    else:
        assert legal and len([text.decode() for text in answer.numpy()]) == len(rows)


@pytest.mark.parametrize("name", ["translate_nbest", "tokenize", "too_long", "score"])
@given(batch=st.lists(texts, min_size=5, max_size=6))
@settings(often, max_examples=5)
def test_too_many(translate, name, batch):
    inputs = [tf.constant(batch)] * (1 + (name == "score"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="texts: at most 4"):
        translate[name](*inputs)


questions = texts | st.text("01+ ", max_size=20).map(str.encode)


@often
@given(batch=st.lists(questions, max_size=LIMITS.max_texts))
def test_questions(solve, batch):
    answer = check(solve, batch)
    for text, said, valid in zip(
        batch, answer["text"].numpy(), answer["valid"].numpy(), strict=True
    ):
        parts = text.replace(b" ", b"").split(b"+")
        if valid:
            assert int(said, 2) == sum(int(part, 2) for part in parts)
        else:
            assert said == b""
