"""The benchmark of the Sequence Copy task, at its smallest."""

import pytest
from PIL import Image

from benchmarks.csv_rows import append, read
from benchmarks.sequence_copy import (
    AccuracyRow,
    Contender,
    accuracy,
    contenders,
    decoding_times,
    draw,
)


@pytest.mark.slow
def test_one_training_and_all_times(tmp_path, monkeypatch):
    field = contenders([2], [3])
    assert [x.name for x in field] == ["none", "attention", "K=2", "K=3 positions"]
    field = field[1:3]
    times = decoding_times(field, [2, 3], batch=2, rounds=1)
    assert [(row.L, row.memory) for row in times] == [
        (length, contender.name) for length in (2, 3) for contender in field
    ]
    assert all(row.seconds > 0 for row in times)
    assert [row.attention_over_it for row in times[::2]] == [1, 1]

    # Few examples: the flagfile's are many.
    monkeypatch.setattr(Contender, "options", {"model": "rnn_seq2seq", **FEW})
    row = accuracy(field[0], longest=3, steps=1, seed=4, out=tmp_path)
    assert (row.L, row.memory, row.seed, row.steps) == (
        3,
        "attention",
        4,
        1,
    )
    assert 0 <= row.sequences_right <= row.symbols_right <= 1
    again = accuracy(field[0], longest=3, steps=9, seed=4, out=tmp_path)
    assert again == row  # it is there, and not trained again
    append(tmp_path / "accuracy.csv", [row])
    assert read(tmp_path / "accuracy.csv", AccuracyRow) == [row]
    draw([row], times, tmp_path)
    for name in ("accuracy.png", "seconds.png"):
        assert len(set(Image.open(tmp_path / name).convert("L").getdata())) > 2


FEW = {
    "train_examples": 64,
    "validation_examples": 8,
    "max_batch_size": 4,
    "units": 4,
    "embedding_size": 4,
}
