import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from served_ops import ALLOWED, served_ops

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import Solver, TextSolver, solve_text
from neural_gpu_tf.models import DiagonalNeuralGPU, cell_bytes
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.pretrained_models import pretrained_run
from neural_gpu_tf.runs import load_task_run
from neural_gpu_tf.serving import ExportedTranslator, export_solver
from neural_gpu_tf.serving.metadata import read_metadata
from neural_gpu_tf.serving.saved_model import answer_in_session
from neural_gpu_tf.serving.warmup import read_warmup
from neural_gpu_tf.tasks import TASKS

QUESTIONS = {
    "badd": ["1011 + 110", "1+1", "1 + ", "", f"{'1' * 30} + 1", "2 + 2", "0 + 0"],
    "sort": ["3 1 2", "ba9", "3 12", "9" * 30, "0 0"],
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in ("sort", "dup")))
        for name in QUESTIONS
    ],
)
def test_tensorflow_alone_serves_it_as_python_answers(name, tmp_path):
    run = load_task_run(pretrained_run(name))
    exported = export_solver(run, tmp_path, max_columns=40)
    batches, solver = [QUESTIONS[name], QUESTIONS[name][:1], []], Solver(run.model)
    served = subprocess.run(
        [
            sys.executable,
            Path(__file__).with_name("serve_in_session.py"),
            exported,
        ],
        input=json.dumps({"solve": batches, "serving_default": batches}),
        capture_output=True,
        text=True,
        check=True,
    )
    served = json.loads(served.stdout)
    assert served["not_core"] == [] and served["others"] == []
    assert served_ops(exported) <= ALLOWED
    assert served["answers"]["solve"] == served["answers"]["serving_default"]
    for batch, answer in zip(batches, served["answers"]["solve"], strict=True):
        answers = [expected(run, solver, question) for question in batch]
        assert answer == {
            "text": [text for text, _ in answers],
            "steps": [columns for _, columns in answers],
            "valid": [columns > 0 for _, columns in answers],
        }


def expected(run, solver, question):
    try:
        columns = len(run.task.parse(question))
    except InputError:
        return "", 0
    if columns > 40:
        return "", 0
    return solve_text(solver, run.task, question).answer, columns


@pytest.fixture(scope="module")
def badd():
    return load_task_run(pretrained_run("badd"))


@pytest.fixture(scope="module")
def limited(badd, tmp_path_factory):
    """An export with narrow limits; a question of n columns takes n² steps of them."""
    folder = tmp_path_factory.mktemp("limited")
    limits = ServingConfig(
        max_text_bytes=9, max_texts=9, max_request_columns=26, max_request_steps=90
    )
    return export_solver(badd, folder, max_columns=9, limits=limits)


@pytest.fixture(scope="module")
def solve(limited):
    return tf.saved_model.load(str(limited)).signatures["solve"]


def test_what_is_beyond_the_limits(limited, solve):
    answer = solve(text=tf.constant(["1011 + 11", "1011 +  11", " " * 10**6]))
    assert {name: values.numpy().tolist() for name, values in answer.items()} == {
        "text": [b"1110", b"", b""],
        "steps": [9, 0, 0],
        "valid": [True, False, False],
    }
    with pytest.raises(tf.errors.InvalidArgumentError, match="10 texts: at most 9"):
        solve(text=tf.fill([10], "1+1"))
    first, inputs = next(read_warmup(limited))
    assert first == "serving_default" and inputs["text"].tolist() == [b"\0"]
    content = read_metadata(limited)
    assert (content["task"], content["max_columns"]) == ("badd", 9)
    assert set(content["signatures"]) == {"serving_default", "solve"}
    with pytest.raises(InputError, match="contains a model of a task, not a"):
        ExportedTranslator(limited)


def test_work_beyond_the_limit(badd, solve, tmp_path):
    limits = ServingConfig(max_request_columns=40)
    with pytest.raises(InputError, match="=40: one question may take max_columns=41; "):
        export_solver(badd, tmp_path, max_columns=41, limits=limits)
    assert solve(text=tf.fill([8], "1 + 1"))["valid"].numpy().all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="of canvases: at most 26"):
        solve(text=tf.fill([9], "1 + 1"))


def test_steps_beyond_the_limit(badd, solve, tmp_path):
    limits = ServingConfig(max_request_steps=45)
    with pytest.raises(InputError, match="=45: .* max_columns=7 may take 49; "):
        export_solver(badd, tmp_path, max_columns=7, limits=limits)
    fit = ["1111 + 11", "?", "1 + 1"]  # 81 and 9 steps
    assert solve(text=tf.constant(fit))["valid"].numpy().sum() == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="98 steps of .* most 90"):
        solve(text=tf.constant(["111 + 1", "111 + 1"]))


def test_an_export_that_answers_otherwise_is_not_published(badd, tmp_path, monkeypatch):
    def other(path, texts):
        answer = answer_in_session(path, texts)
        return {**answer, "text": np.roll(answer["text"], 1)}

    monkeypatch.setitem(export_solver.__globals__, "answer_in_session", other)
    with pytest.raises(RuntimeError, match="the export answers"):
        export_solver(badd, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_question_mark_may_be_a_question(badd, tmp_path):
    class Marks(type(TASKS["reverse-string"])):
        alphabet = "?!"

        def draw_text(self, rng, length):
            return self._any(rng, self.alphabet, length)

    task = Marks("marks")
    model = DiagonalNeuralGPU(task.vocabulary_size, maps=3, width=1)
    run = badd._replace(task=task, model=model)
    exported = export_solver(run, tmp_path, max_columns=9)
    answer = answer_in_session(exported, ["?", "?!", "\0", "1"])
    assert answer["valid"].tolist() == [True, True, False, False]


def test_canvases_beyond_the_memory_limit_are_refused(badd):
    with pytest.raises(InputError, match="max_columns=1000000: .* at most"):
        TextSolver(badd.model, badd.task, 10**6, cell_bytes(badd.config.model))


def test_a_long_question_does_not_slow_short_ones(badd, monkeypatch):
    """Questions less than half as wide, and what is none, are not padded to it."""
    model = badd.model
    solver = TextSolver(model, badd.task, 100, cell_bytes(badd.config.model))
    long, half = (f"{'1' * bits} + 1" for bits in (20, 10))
    texts = tf.constant(["1 + 1", long, "?", half, "10 + 11", long, "1 + 0"])
    shapes, solve = [], model.solve
    monkeypatch.setattr(
        model, "solve", lambda s, n: shapes.append(tuple(s.shape)) or solve(s, n)
    )
    tf.config.run_functions_eagerly(True)
    try:
        answer = solver.solve(texts)["text"].numpy().tolist()
    finally:
        tf.config.run_functions_eagerly(False)
    assert shapes == [(3, 41), (3, 5)]
    longest = b"1" + b"0" * 20
    assert answer == [b"10", longest, b"", b"1" + b"0" * 10, b"101", longest, b"1"]


def test_a_question_has_no_bearing_on_another(badd):
    solver = TextSolver(badd.model, badd.task, 40)
    together = solver.solve(tf.constant(QUESTIONS["badd"]))["text"].numpy()
    alone = [solver.solve(tf.constant([q]))["text"][0] for q in QUESTIONS["badd"]]
    assert list(together) == [text.numpy() for text in alone]
