import pytest
from twice import printed_twice

from benchmarks.csv_rows import read
from benchmarks.longer_numbers import NumbersRow, markdown


def test_the_table_has_the_mean_and_the_best_of_seeds():
    rows = [
        NumbersRow("baddr", "stack_rnn", seed, 1234, 64, 2.5 + seed, bits, 10, exact, 1)
        for seed, exacts in enumerate([(1.0, 0.5), (0.5, 0.0)])
        for bits, exact in zip((20, 2000), exacts, strict=True)
    ]
    head, _, line = markdown(rows).splitlines()
    assert "| 20 bits | 2,000 bits |" in head
    assert line == (
        "| baddr | stack_rnn | 1,234 | 64 | 2.5, 3.5 | 75% (best 100%) "
        "| 25% (best 50%) | 100%, 100%, 88%, 0%, 0% |"
    )


@pytest.mark.slow
def test_runs_are_made_once(tmp_path):
    asked = f"--out={tmp_path} --task=baddr --models=stack_rnn --examples=3 --bits=5,9"
    asked += " -- --validation_bits=3 --most_bits=3 --units=8 --train_steps=2"
    asked += " --decay_from=0"
    printed = printed_twice("longer_numbers", *asked.split())
    rows = read(tmp_path / "longer_numbers.csv", NumbersRow)
    assert [(row.bits, row.trained) for row in rows] == [(5, 64), (9, 64)]
    assert printed == markdown(rows) + "\n"
