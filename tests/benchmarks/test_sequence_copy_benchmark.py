"""The benchmark of the Sequence Copy task, at its smallest."""

import csv

import pytest
from PIL import Image

from benchmarks.sequence_copy import (
    Contender,
    accuracy,
    contenders,
    decoding_times,
    draw,
    read,
    write,
)


@pytest.mark.slow
def test_one_training_and_all_times(tmp_path, monkeypatch):
    field = contenders([2], [3])
    assert [x.name for x in field] == ["none", "attention", "K=2", "K=3 positions"]
    field = field[1:3]
    times = decoding_times(field, [2, 3], batch=2, rounds=1)
    assert [(row["L"], row["memory"]) for row in times] == [
        (length, contender.name) for length in (2, 3) for contender in field
    ]
    assert all(row["seconds"] > 0 for row in times)
    assert [row["attention_over_it"] for row in times[::2]] == [1, 1]

    # Few examples: the flagfile's are many.
    monkeypatch.setattr(Contender, "options", {"model": "rnn_seq2seq", **FEW})
    row = accuracy(field[0], longest=3, steps=1, seed=4, out=tmp_path)
    assert (row["L"], row["memory"], row["seed"], row["steps"]) == (
        3,
        "attention",
        4,
        1,
    )
    assert 0 <= row["sequences_right"] <= row["symbols_right"] <= 1
    again = accuracy(field[0], longest=3, steps=9, seed=4, out=tmp_path)
    assert again == row  # it is there, and not trained again
    write(tmp_path / "accuracy.csv", [row], ["L"])
    with (tmp_path / "accuracy.csv").open() as file:
        assert next(csv.DictReader(file))["memory"] == "attention"
    draw([row], times, tmp_path)
    for name in ("accuracy.png", "seconds.png"):
        assert len(set(Image.open(tmp_path / name).convert("L").getdata())) > 2


def test_rows_of_another_call_stay(tmp_path):
    path, key = tmp_path / "accuracy.csv", ("L", "memory")
    rows = [{"L": n, "memory": "K=4", "symbols_right": n / 100} for n in (10, 50)]
    assert write(path, rows[:1], key) == rows[:1]
    assert write(path, rows[1:], key) == rows
    other = rows[0] | {"symbols_right": 1.0}
    assert write(path, [other], key) == [rows[1], other] == read(path)
    assert write(path, [], key) == read(path)


FEW = {
    "train_examples": 64,
    "validation_examples": 8,
    "max_batch_size": 4,
    "units": 4,
    "embedding_size": 4,
}
