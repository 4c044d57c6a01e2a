"""Whatever a file or a line holds: an answer, or an error of one line."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neural_gpu_tf.bin.flagfiles import with_flagfiles
from neural_gpu_tf.data import TextFiles
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing.read_trees import read_trees
from neural_gpu_tf.parsing.spelling import read_symbols, read_words
from neural_gpu_tf.runs import RunDirectory
from neural_gpu_tf.tasks import TASKS
from neural_gpu_tf.text import Vocabulary
from neural_gpu_tf.text.vocabulary import RESERVED

often = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
LIKELY = "()01 +*-\n\x1b\u202e\u0301\ufeff\x00"
texts = st.text(max_size=60) | st.text(LIKELY, max_size=60)
contents = st.binary(max_size=200) | texts.map(lambda x: x.encode("utf-8", "replace"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda x: st.lists(x, max_size=3) | st.dictionaries(texts, x, max_size=3),
    max_leaves=6,
)


def answers(call, *arguments):
    """An answer or an `InputError` of one line; any other exception is a fault."""
    try:
        call(*arguments)
    except InputError as error:
        message = str(error)
        assert message and len(message.splitlines()) == 1, message


@often
@given(contents)
def test_vocabularies(tmp_path, content):
    path = tmp_path / "vocab.txt"
    head = "\n".join(RESERVED).encode()
    for whole in (content, head + b"\n" + content):
        path.write_bytes(whole)
        answers(Vocabulary.load, path)


@often
@given(contents)
def test_corpora_and_flagfiles(tmp_path, content):
    for name in ("text", "text.gz", "a.flags"):
        (tmp_path / name).write_bytes(content)
    for name in ("text", "text.gz"):
        answers(lambda name=name: TextFiles({"x": (str(tmp_path / name),) * 2}))
    answers(with_flagfiles, ["x", f"--config={tmp_path / 'a.flags'}"])


@often
@given(st.one_of(contents, values.map(lambda x: json.dumps(x).encode())))
def test_configurations(tmp_path, content):
    run = RunDirectory(tmp_path)
    run.config.write_bytes(content)
    answers(run.read_config)


SECTIONS = ["data", "model", "training", "decoding", "task"]


@often
@given(st.dictionaries(st.sampled_from(SECTIONS) | texts, values, max_size=3))
def test_configurations_with_some_of_their_sections(tmp_path, content):
    run = RunDirectory(tmp_path)
    run.config.write_text(json.dumps(content))
    answers(run.read_config)


@often
@given(st.lists(texts, max_size=3))
def test_trees_and_sentences(lines):
    answers(lambda: list(read_trees(lines, "trees")))
    for line in lines:
        answers(read_words, line, "words:1")
        answers(read_symbols, line, "symbols:1")


@pytest.mark.parametrize("name", sorted(TASKS))
@settings(often, max_examples=40)
@given(text=texts)
def test_questions(name, text):
    answers(TASKS[name].parse, text)
