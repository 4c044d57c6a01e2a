"""Flags of neural-gpu-train that do not count."""

import dataclasses

import pytest

from neural_gpu_tf.options import CurriculumConfig
from neural_gpu_tf.runs import RunDirectory

COUNTED = "--replicas=99: there are"  # all flags are read before the devices


def refusal(run_binary, tmp_path, *flags):
    answer = run_binary(
        "train", f"--run_dir={tmp_path / 'run'}", *flags, "--replicas=99"
    )
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert not (tmp_path / "run").exists()
    return answer.err


@pytest.mark.parametrize(
    "flags, message",
    [
        (["--task=badd", "--max_length=9"], "--max_length: for translation, but this"),
        (["--task=badd", "--train_source", "x"], "--train_source: for translation"),
        (["--task=badd", "--validation_sentences=5"], "--validation_sentences: for"),
        (["--task=badd", "--beam=2"], "--beam: for translation, but this is a run of"),
        (["--task=badd", "--vocab=x"], "this is a run of --task=badd; leave it out"),
        (["--config=badd", "--min_count=2"], "--min_count: for translation"),
        (["--config=demo", "--most_bits=9"], "--most_bits: for algorithmic tasks"),
        (["-nocurriculum"], "--curriculum: for algorithmic tasks, but this run"),
        (["--vocab=x", "--vocab_size=300"], "--vocab_size: the vocabulary is that"),
        (["--data_dir=x"], "--data_dir: --data=numbers_and_dates has no use for it"),
        (["--longest_sequence=5"], "--longest_sequence: --data=numbers_and_dates has"),
        (["--train_source=x", "--train_examples=5"], "--train_examples: --data=files"),
        (["--config=small", "--max_number=5"], "--max_number: --data=files has no use"),
        (["--tfds_name=x", "--max_number=5"], "--max_number: --data=tfds has no use"),
        (["--tfds_name=x", "--train_source=y"], "--tfds_name=x: of --data=tfds, not"),
        (["--data=files", "--tfds_name=x"], "--tfds_name=x: of --data=tfds, not --da"),
        (["--config=demo", "--train_source=x"], "--train_source=x: of --data=files, n"),
        (["--flagfile=nested"], "--config: in a flagfile write --flagfile=PATH"),
        (["--task=badd", "--threshold=1"], "--threshold=1: the running share never"),
        (
            ["--config=badd", "--dropout_threshold=1"],
            "--dropout_threshold=1: the running",
        ),
        (
            ["--config=badd", "--dropout=0"],
            "--curriculum_dropout=0.025: must be at most",
        ),
        (["--init_from=enfr", "--min_count=2"], "the vocabulary is that of enfr"),
        (["--adam_beta_2=0.98", "--optimizer=sgd"], "--adam_beta_2: does nothing wit"),
        (["--decay_from=9"], "--decay_from: does nothing without --schedule; give tha"),
        (
            [
                "--model=fixed_memory_seq2seq",
                "--attention_score=dot",
                "--decoder_scoring=sigmoid",
            ],
            "--decoder_scoring: does nothing without --attention_score=state; give",
        ),
        (["--worker_deadline=9"], "nothing without --distribution=multi_worker; give"),
        (["--relaxation_pull=1"], "nothing without --relaxations; give that too, or"),
        (["--tried_sizes=2"], "--tried_sizes: does nothing without --sizes=predicted"),
        (["--task=badd", "--doubling_from=9"], "nothing without --doublings; give"),
        (["--task=badd", "--give_up_error=0.1"], "nothing without --give_up_at; give"),
        (
            ["--task=badd", "--dropout_threshold=0.8"],
            "--dropout_threshold: does nothing without --curriculum_dropout; give",
        ),
        (
            ["--task=badd", "--nocurriculum", "--current_share=0.1"],
            "--current_share: does nothing without --curriculum; give that too",
        ),
    ],
)
def test_what_another_kind_of_run_has_is_refused(
    run_binary, tmp_path, monkeypatch, flags, message
):
    (tmp_path / "nested").write_text("--config=badd\n")
    monkeypatch.chdir(tmp_path)
    assert message in refusal(run_binary, tmp_path, *flags)


@pytest.mark.parametrize(
    "flags",
    [
        ["--config=demo", "--task=badd"],  # a flagfile may have more
        ["--config", "data", "--task=badd"],  # a value is no name
        ["--init_from=enfr", "--max_length=9"],
        ["--config=demo", "--task="],
        ["--config=demo", "--data=files"],
        ["--config=small", "--data_dir=x"],
        ["--tfds_name=x", "--data_dir=x", "--train_split=train[:2]"],
        ["--data=sequence_copy", "--train_examples=5", "--longest_sequence=5"],
        ["--flagfile=nested"],
        ["--config=badd", "--dropout_threshold=0.95", "--give_up_error=0.2"],
        ["--schedule=cosine", "--decay_from=9", "--adam_beta_2=0.98"],
    ],
)
def test_what_a_run_has_is_taken(run_binary, tmp_path, monkeypatch, flags):
    (tmp_path / "data").write_text("--most_bits=9\n--beam=3\n")
    (tmp_path / "nested").write_text("--flagfile=data\n")
    monkeypatch.chdir(tmp_path)
    assert COUNTED in refusal(run_binary, tmp_path, *flags)


def test_the_run_that_is_there_tells_its_kind(run_binary, run_dir, tmp_path):
    def answer(path, *flags):
        return run_binary("train", f"--run_dir={path}", *flags, "--replicas=99").err

    assert "--most_bits: for algorithmic tasks" in answer(run_dir, "--most_bits=9")
    # As in the command that began it, which is to be given again.
    assert COUNTED in answer(run_dir, "--vocab_size=300")
    config = RunDirectory(run_dir).read_config()
    config = dataclasses.replace(config, task=CurriculumConfig(task="badd"))
    RunDirectory(tmp_path).write_config(config)
    assert "--max_length: for translation" in answer(tmp_path, "--max_length=9")
    assert COUNTED in answer(tmp_path, "--most_bits=20")
    assert "this run has --task='badd', not ''; leave" in answer(tmp_path, "--task=")
    assert "this run has --task='', not 'badd'" in answer(run_dir, "--task=badd")


def test_attempts_that_none_follows_are_told(run_binary, tmp_path, caplog):
    for steps in (2_000, 2_001):
        caplog.clear()
        refusal(run_binary, tmp_path, "--config=badd", f"--train_steps={steps}")
        told = "--give_up_at=2000 is not before --train_steps=" in caplog.text
        assert told == (steps == 2_000)
