import pytest
from twice import printed_twice

from benchmarks.csv_rows import read
from benchmarks.longer_numbers import NumbersRow, markdown, most_examples, options_of
from neural_gpu_tf.options import CurriculumConfig


def test_the_table_has_the_mean_the_least_and_the_best_of_seeds():
    rows = [
        NumbersRow(
            "baddr", "stack_rnn", seed, 1234, 64, 2.5 + seed, inputs, bits, 10, exact, 1
        )
        for seed, exacts in enumerate([(1.0, 0.5), (0.5, 0.0)])
        for inputs in ("random", "hard")
        for bits, exact in zip((20, 2000), exacts, strict=True)
    ]
    head, _, line, hard = markdown(rows).splitlines()
    assert "| 20 bits | 2,000 bits |" in head
    assert line == (
        "| baddr | stack_rnn | 1,234 | 64 | 2.5, 3.5 | random | 75% (50% to 100%) "
        "| 25% (0% to 50%) | 100%, 100%, 88%, 0%, 0% |"
    )
    unpublished = line.removesuffix("100%, 100%, 88%, 0%, 0% |") + " |"
    assert hard == unpublished.replace("random", "hard")


def test_the_diagonal_model_is_trained_by_the_flagfile_of_its_task():
    options = options_of("bmul", "diagonal_neural_gpu", 3)
    assert options["flagfile"].name == "bmul.flags"
    assert options["training_seed"] == options["curriculum_seed"] == 3
    options = options_of("bmul", "stack_rnn", 3, {"units": "7", "training_seed": "9"})
    assert options["flagfile"].name == "badd_recurrent.flags"
    assert (options["units"], options["training_seed"]) == ("7", 3)
    with pytest.raises(KeyError):
        options_of("bmul", "stack", 3)


def test_the_most_examples_are_those_of_the_largest_batches():
    sizes = {"task_batch_size": 32, "buckets": 3, "give_up_at": 10, "attempts": 3}
    task = CurriculumConfig(task="badd", curriculum=False, **sizes)
    assert most_examples(task, 100, 2) == 120 * 32 * 3
    task = CurriculumConfig(task="badd", task_batch_size=32, most_batch_size=512)
    assert most_examples(task, 100, 0) == 100 * 512


@pytest.mark.slow
def test_runs_are_made_once(tmp_path):
    asked = f"--out={tmp_path} --task=baddr --models=stack_rnn --examples=3 --bits=5,9"
    asked += " --hard"
    asked += " -- --validation_bits=3 --most_bits=3 --units=8 --train_steps=2"
    asked += " --decay_from=0 --attempts=2 --validate_every=1 --give_up_at=1"
    asked += " --give_up_error=0"
    printed = printed_twice("longer_numbers", *asked.split())
    rows = read(tmp_path / "longer_numbers.csv", NumbersRow)
    asked_of = [(row.inputs, row.bits, row.trained) for row in rows]
    of_random = [("random", 5, 96), ("random", 9, 96)]  # 1 step and 2 of 32 each
    assert asked_of == [*of_random, ("hard", 5, 96), ("hard", 9, 96)]
    assert printed == markdown(rows) + "\n"
