import math
import types

import pytest
from twice import printed_twice

from benchmarks import copy_curves
from benchmarks.copy_curves import CopyRow, CurveRow, markdown
from benchmarks.csv_rows import read


def test_the_table_has_one_number_a_seed():
    rows = [
        CopyRow("id", "ntm_lstm", seed, 1234, 2.5 + seed, length, random, 0.5)
        for seed, shares in enumerate([(1.0, 0.25), (0.75, 0.0)])
        for length, random in zip((20, 120), shares, strict=True)
    ]
    head, _, line = markdown(rows).splitlines()
    assert "| 20 symbols | 120 symbols |" in head
    assert line == (
        "| ntm_lstm | 1,234 | 2.5, 3.5 | 100% (50%), 75% (50%) | 25% (50%), 0% (50%) |"
    )


def test_a_curve_stands_once_whenever_it_was_cut_off(tmp_path, monkeypatch):
    """The end is measured after the curve was kept."""

    def ends(run_dir, known, lengths):
        if not (tmp_path / "interrupted").exists():
            (tmp_path / "interrupted").touch()
            raise KeyboardInterrupt
        return [CopyRow(*known, 9, 1.0, length, 1.0, 1.0) for length in lengths]

    points = [CurveRow("id", "lstm", 0, seen, 0.5) for seen in (32, 64)]
    monkeypatch.setattr(copy_curves, "numbers", lambda name: [0])
    monkeypatch.setattr(copy_curves, "given_flags", lambda extra: {})
    monkeypatch.setattr(copy_curves, "train", lambda *_: None)
    monkeypatch.setattr(copy_curves, "curve", lambda *_: points)
    monkeypatch.setattr(copy_curves, "ends", ends)
    values = types.SimpleNamespace(
        out=tmp_path, task="id", models=["lstm"], steps=4, lengths=["0"]
    )
    with pytest.raises(KeyboardInterrupt):
        copy_curves.make(values, tmp_path / "id.csv", [])
    copy_curves.make(values, tmp_path / "id.csv", [])
    assert read(tmp_path / "id_curves.csv", CurveRow) == points
    assert len(read(tmp_path / "id.csv", CopyRow)) == 1


@pytest.mark.slow
def test_runs_are_made_once(tmp_path):
    asked = f"--out={tmp_path} --models=lstm,ntm_feedforward --lengths=3,5 --steps=4"
    asked += " -- --log_every=2 --most_bits=3 --checkpoint_every=2 --units=8"
    asked += " --task_batch_size=16"
    printed = printed_twice("copy_curves", *asked.split())
    rows = read(tmp_path / "id.csv", CopyRow)
    assert printed == markdown(rows) + "\n"
    assert [(row.model, row.length) for row in rows] == [
        *(("lstm", 3), ("lstm", 5), ("ntm_feedforward", 3), ("ntm_feedforward", 5))
    ]
    points = read(tmp_path / "id_curves.csv", CurveRow)
    assert [row.sequences for row in points] == [32, 64, 32, 64]
    bits = math.log2(16)  # a symbol, where nothing is known yet
    assert all(0.9 * bits < row.bits < 1.1 * bits for row in points)
    assert (tmp_path / "id.png").stat().st_size > 1000
