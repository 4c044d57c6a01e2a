import numpy as np
import pytest
from PIL import Image

from benchmarks import scaling
from benchmarks.scaling import SWEEPS, Sweep, exponent, exponents, points, read, write
from benchmarks.train_step import OPTIONS

SMALL = OPTIONS | dict(maps=4, width=1, layers=1, length=3, batch=4)
SWEEP = Sweep("length", "n", (2, 4, 8, 16), {"one": {}, "two": {"batch": 2}})


@pytest.fixture
def measured(monkeypatch):
    """The points that were measured; a step takes n² seconds, n = 16 fails."""
    asked = []

    def measure(options, most_bytes):
        n = options["length"]
        asked.append((n, options["batch"]))
        if n * most_bytes >= 16:
            return None
        squared = float(n * n)
        return dict(seconds=squared, low=squared, high=squared, first=9.5, memory=5 + n)

    monkeypatch.setattr(scaling, "measure", measure)
    return asked


def test_a_line_ends_where_memory_does(measured):
    rows = list(points(SWEEP, SMALL, [], 1, 1e9))
    assert measured == [(n, batch) for batch in (4, 2) for n in (2, 4, 8, 16)]
    assert [row["length"] for row in rows] == 2 * [2, 4, 8]
    assert {tuple(row) for row in rows} == {scaling.FIELDS}
    growth = {"seconds": pytest.approx(2), "memory": pytest.approx(1)}
    assert exponents(rows) == {"length one": growth, "length two": growth}


def test_a_line_ends_when_steps_are_long(measured):
    rows = list(points(SWEEP, SMALL, [], 0, 10.0))
    assert [row["seconds"] for row in rows] == 2 * [4, 16]


def test_what_is_known_is_not_measured_again(measured, tmp_path):
    assert read(tmp_path / "scaling.csv") == []
    rows = list(points(SWEEP, SMALL, [], 1, 10.0))
    write(tmp_path / "scaling.csv", rows)
    known = read(tmp_path / "scaling.csv")
    assert known == rows
    measured.clear()
    again = list(points(SWEEP, SMALL, known, 1, 1e9))
    assert measured == [(8, 4), (16, 4), (8, 2), (16, 2)]
    assert again[:2] == rows[:2] and len(again) == 6
    measured.clear()
    list(points(SWEEP, SMALL | {"maps": 5}, known, 1, 10.0))
    assert len(measured) == 4


def test_the_exponent_does_not_look_at_what_stands_at_first():
    x = np.array([3.0, 6.0, 12.0, 24.0])
    assert exponent(x, 7 + 0.5 * x**1.5) == pytest.approx(1.5)
    assert exponent(x, 100 - x**-0.5) == pytest.approx(-0.5)
    assert exponent(x[:2], x[:2]) is None
    assert exponent([1, 2, 3], [1, 2, 3]) is None  # no common factor
    assert exponent(x, [1, 2, 2, 3]) is None


def test_figures_are_drawn(measured, tmp_path):
    rows = list(points(SWEEP, SMALL, [], 1, 1e9))
    scaling.draw(SWEEP, rows, tmp_path)
    for what in ("seconds", "memory"):
        assert Image.open(tmp_path / f"length_{what}.png").width > 400


def test_the_sweeps_are_options_of_a_training_step():
    for sweep in SWEEPS.values():
        for own in sweep.lines.values():
            assert {sweep.option, *own} <= set(OPTIONS)


@pytest.mark.slow
def test_a_point_is_a_process_with_so_much_memory(monkeypatch):
    """Here of two replicas."""
    monkeypatch.setattr(scaling, "TIMED_SECONDS", 0.0)
    result = scaling.measure(SMALL | {"replicas": 2}, 8 << 30)
    assert 0 < result["low"] <= result["seconds"] <= result["high"] < result["first"]
    assert 1e8 < result["memory"] < 8 << 30
    assert scaling.measure(SMALL, 100 << 20) is None
