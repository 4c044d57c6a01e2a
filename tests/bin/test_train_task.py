"""neural-gpu-train --task and neural-gpu-evaluate --bits, end to end."""

import importlib
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from neural_gpu_tf.curriculum import Course
from neural_gpu_tf.evaluation import LengthScore
from neural_gpu_tf.inference import Solver, solve_text
from neural_gpu_tf.runs import load_task_run

# The package has a function of this name.
TRAIN_TASK = importlib.import_module("neural_gpu_tf.workflows.train_task")

FLAGS = [
    "--task=badd",
    "--model=neural_gpu",
    "--maps=6",
    "--width=2",
    "--layers=1",
    "--task_batch_size=4",
    "--most_bits=4",
    "--validation_bits=2,5",
    "--validation_cases=4",
    "--validate_every=10",
    "--checkpoint_every=4",
    "--log_every=5",
    "--dropout=0.1",
]


def train(run_dir, steps, *more):
    subprocess.run(
        [
            *(sys.executable, "-m", "neural_gpu_tf.bin.train"),
            *(f"--run_dir={run_dir}", f"--train_steps={steps}", *FLAGS, *more),
        ],
        check=True,
        capture_output=True,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "run"
    train(path, 9)
    return path


def test_what_training_tells(run):
    summary = json.loads((run / "summary.json").read_text())
    names = {f"{kind}_{bits}" for kind in ("exact", "hard") for bits in (2, 5)}
    assert names | {"error", "bits", "right_at_bits", "train_seconds"} == set(summary)
    assert 0 < summary["error"] <= 1


@pytest.mark.slow
def test_a_resumed_run_is_the_whole_one(run, tmp_path):
    for steps in (5, 9):
        train(tmp_path / "run", steps)
    found, expected = (
        load_task_run(path, "last").model.get_weights()
        for path in (tmp_path / "run", run)
    )
    assert all(map(np.array_equal, found, expected))


def test_a_run_begun_before_its_options_were_refused(run, run_binary, tmp_path):
    old = shutil.copytree(run, tmp_path / "run")
    config = json.loads((old / "config.json").read_text())
    config["task"] |= {"threshold": 1.0, "curriculum_dropout": 0.3}
    (old / "config.json").write_text(json.dumps(config))
    assert run_binary("train", f"--run_dir={old}").status == 0
    config = load_task_run(old).config
    assert Course(config.task, config.model.dropout).dropout == 0.3


@pytest.mark.slow
def test_bfloat16_trains_and_resumes(run_binary, tmp_path):
    """It computes otherwise, and its weights are float32."""

    def weights(name, steps, *flags):
        arguments = [*FLAGS, "--dropout=0", f"--train_steps={steps}", *flags]
        answer = run_binary("train", f"--run_dir={tmp_path / name}", *arguments)
        assert answer.status == 0, answer.err
        return load_task_run(tmp_path / name, "last").model.get_weights()

    half = "--precision=bfloat16"
    weights("run", 1, half)
    resumed = weights("run", 2, half)
    assert all(weight.dtype != "bfloat16" for weight in resumed)
    assert all(map(np.array_equal, resumed, weights("whole", 2, half)))
    assert not all(map(np.array_equal, resumed, weights("exact", 2)))


@pytest.mark.slow
def test_a_new_attempt_where_one_is_given_up(tmp_path):
    run, plain = tmp_path / "run", tmp_path / "plain"
    own = ["--attempts=3", "--give_up_at=10", "--give_up_error=0", "--validate_every=5"]
    before = run / "attempt-0"
    before.mkdir(parents=True)
    (before / "summary.json").write_text('{"train_seconds": 1e6}')
    for steps in (13, 17):  # the third attempt is not given up, and is gone on with
        train(run, steps, *own)
    train(plain, 17, "--training_seed=2000", "--curriculum_seed=2000")
    found, expected = (
        load_task_run(path, "last").model.get_weights() for path in (run, plain)
    )
    assert all(map(np.array_equal, found, expected))
    first, second = sorted(run.glob("attempt-*"))
    assert [path.name for path in (first, second)] == ["attempt-0", "attempt-1"]
    spent, total = (
        json.loads((path / "summary.json").read_text())["train_seconds"]
        for path in (second, run)
    )
    assert 1e6 < spent < total < 2e6
    assert {part.name for part in second.iterdir()} == {
        *("best", "best.weights.h5", "checkpoints", "events"),
        *("last.weights.h5", "summary.json"),
    }


@pytest.mark.slow
def test_an_attempt_that_is_good_enough_goes_on(run, tmp_path):
    own = ["--attempts=2", "--give_up_at=6", "--give_up_error=1", "--validate_every=6"]
    train(tmp_path / "run", 9, *own)
    assert not list((tmp_path / "run").glob("attempt-*"))
    found, expected = (
        load_task_run(path, "last").model.get_weights()
        for path in (tmp_path / "run", run)
    )
    assert all(map(np.array_equal, found, expected))


def test_scores_by_length(run, run_binary):
    for hard in ([], ["--hard"]):
        answer = run_binary(
            "evaluate",
            f"--run_dir={run}",
            "--bits=2,7",
            "--examples=6",
            "--json",
            *hard,
        )
        assert answer.status == 0
        result = json.loads(answer.out.splitlines()[-1])
        assert (result["task"], result["hard"]) == ("badd", bool(hard))
        assert [score["bits"] for score in result["lengths"]] == [2, 7]
        assert all(0 <= score["symbols"] <= 1 for score in result["lengths"])


@pytest.mark.slow
def test_a_model_that_decodes_step_by_step_learns_a_task_too(run_binary, tmp_path):
    own = ["--model=attention_seq2seq", "--units=5", "--embedding_size=4"]
    run = f"--run_dir={tmp_path}/run"
    of_canvas = ("--model=neural_gpu", "--maps=6", "--width=2")
    flags = [flag for flag in FLAGS if flag not in of_canvas]
    options = [run, "--train_steps=2", *flags, *own]
    assert run_binary("train", *options).status == 0
    answer = run_binary("evaluate", run, "--bits=2,7", "--examples=6", "--json")
    lengths = json.loads(answer.out.splitlines()[-1])["lengths"]
    assert [score["columns"] for score in lengths] == [5, 15]
    assert run_binary("solve", run, "1+1").status in (0, 1)
    answer = run_binary("solve", run, "1+1", f"--trace={tmp_path}/memory.png")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "AttentionSeq2Seq can't be drawn" in answer.err


def test_blank_columns_stay_in_every_use_of_the_run(run_binary, tmp_path, monkeypatch):
    validated = []

    def recorded(solver, algorithm, *arguments, **options):
        validated.append(algorithm.blank_columns)
        return by_length(solver, algorithm, *arguments, **options)

    by_length = TRAIN_TASK.by_length
    monkeypatch.setattr(TRAIN_TASK, "by_length", recorded)
    run = f"--run_dir={tmp_path}/run"
    own = ["--train_steps=1", "--blank_columns=2", "--evaluation_blank_columns=0.5"]
    assert run_binary("train", run, *FLAGS, *own).status == 0
    assert set(validated) == {0.5}
    answer = run_binary("evaluate", run, "--bits=2,7", "--examples=6", "--json")
    lengths = json.loads(answer.out.splitlines()[-1])["lengths"]
    assert [score["columns"] for score in lengths] == [5 + 3, 15 + 8]
    answer = run_binary("solve", run, "11+10", f"--trace={tmp_path}/memory.png")
    assert answer.status in (0, 1)
    assert load_task_run(tmp_path / "run").task.blank_columns == 0.5


def test_hard_examples_count_as_much_as_training_has_of_them(
    run_binary, tmp_path, monkeypatch
):
    def known(solver, algorithm, lengths, *arguments, hard, **options):
        exact, symbols = ((0.2, 0.5), (0.4, 0.9))[hard]
        return [
            LengthScore(bits, 1, 4, exact + more, symbols, [])
            for bits, more in zip(lengths, (0, 0.1), strict=True)
        ]

    monkeypatch.setattr(TRAIN_TASK, "by_length", known)
    own = [f"--run_dir={tmp_path}/run", "--train_steps=1", "--hard_share=0.25"]
    assert run_binary("train", *FLAGS, *own).status == 0
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    # Right are 35% and 40% of the random ones, 65% and 70% of the hard ones.
    expected = 0.75 * (1 - 0.375) + 0.25 * (1 - 0.675)
    assert summary["error"] == pytest.approx(expected)


@pytest.mark.slow
def test_sets_of_weights_in_turn(run_binary, tmp_path):
    run = f"--run_dir={tmp_path}/run"
    own = ["--relaxations=3", "--relaxation_pull=0.9"]
    answer = run_binary("train", run, "--train_steps=2", *FLAGS, *own)
    assert answer.status == 0
    model = load_task_run(tmp_path / "run").model
    assert [len(same) for same in model.encoder.relaxed_weights] == 4 * [3]
    assert run_binary("evaluate", run, "--bits=2,7", "--examples=6").status == 0
    # It goes on as it was only.
    other = "--relaxation_pull=0.5"
    answer = run_binary("train", run, "--train_steps=3", *FLAGS, other)
    assert answer.status == 2 and "--relaxation_pull=0.9" in answer.err
    answer = run_binary("train", run, "--train_steps=3", *FLAGS, *own)
    assert answer.status == 0


def test_a_task_is_no_translation_and_the_other_way(run, run_dir, run_binary):
    for arguments, message in (
        (["evaluate", f"--run_dir={run}"], "a run of the task badd"),
        (["translate", f"--run_dir={run}"], "a run of the task badd"),
        (["evaluate", f"--run_dir={run_dir}", "--bits=2"], "a translation run"),
        (["evaluate", f"--run_dir={run}", "--bits=x"], "--bits=x: "),
        (["evaluate", f"--run_dir={run}", "--bits=2", "--examples=0"], "--examples=0"),
    ):
        answer = run_binary(*arguments)
        assert answer.status == 2
        assert message in answer.err and answer.err.count("\n") == 1


def test_solve_prints_the_models_answers_and_tells_wrong_ones(run, run_binary):
    task_run = load_task_run(run)
    questions = ["1+1", "110101 + 1011"]
    expected = [
        solve_text(Solver(task_run.model), task_run.task, question)
        for question in questions
    ]
    assert [answer.exact for answer in expected] == ["10", "1000000"]
    answers = [
        run_binary("solve", f"--run_dir={run}", *questions),
        run_binary("solve", f"--run_dir={run}", stdin="\n".join(questions).encode()),
    ]
    wrong = [
        f"wrong: {question} is {solution.exact}"
        for question, solution in zip(questions, expected, strict=True)
        if solution.answer != solution.exact
    ]
    for answer in answers:
        assert answer.out.splitlines() == [solution.answer for solution in expected]
        assert answer.err.splitlines() == wrong
        assert answer.status == (1 if wrong else 0)


def test_what_is_no_question_is_refused(run, run_binary):
    answer = run_binary("solve", f"--run_dir={run}", "1+2")
    assert answer.status == 2 and answer.out == ""
    assert answer.err.count("\n") == 1 and "1+2" in answer.err


def test_a_run_starts_with_the_weights_of_another(run, tmp_path, run_binary):
    """At a learning rate of 0 nothing changes them."""
    new = tmp_path / "new"
    flags = [*FLAGS, f"--init_from={run}", "--learning_rate=0", "--dropout=0.3"]
    answer = run_binary("train", f"--run_dir={new}", "--train_steps=1", *flags)
    assert answer.status == 0, answer.err
    found, expected = (load_task_run(path).model.get_weights() for path in (new, run))
    assert all(map(np.array_equal, found, expected))


@pytest.mark.parametrize(
    "other, message",
    [
        (["--maps=7"], "that run has --maps=6, not 7"),
        (["--init_from=nowhere"], "nowhere: not a run directory"),
    ],
)
def test_another_model_does_not_fit(run, tmp_path, run_binary, other, message):
    flags = [f"--run_dir={tmp_path}/new", "--train_steps=1", f"--init_from={run}"]
    answer = run_binary("train", *FLAGS, *flags, *other)
    assert (answer.status, answer.err.count("\n")) == (2, 1) and message in answer.err
    assert not (tmp_path / "new").exists()  # the flag can be mended
