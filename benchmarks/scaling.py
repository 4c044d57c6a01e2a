"""Time and memory of a training step against n, batch, maps and replicas.

python -m benchmarks.scaling --out=DIR                           # all of them
python -m benchmarks.scaling --out=DIR --sweeps=length --most_gigabytes=16 --json

Each point is a process of its own, `benchmarks.worker`'s training step of the package,
which gets no more memory than --most_gigabytes. Where it needs more, or a step takes
longer than --most_seconds, a line ends. Writes scaling.csv and for each sweep two
figures, seconds and memory, to DIR; what is in scaling.csv is not measured again.
"""

import csv
import dataclasses
import json
import math
import os
import resource
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from absl import flags

from benchmarks.json_process import ProcessEnded
from benchmarks.train_step import OPTIONS, Contender
from neural_gpu_tf.bin import app
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.line_chart import Line, line_chart
from neural_gpu_tf.options.model import NAMES

TIMED_SECONDS = 10.0  # about so long each point is timed


@dataclasses.dataclass(frozen=True)
class Sweep:
    """One option that grows, and for each line what else it has."""

    option: str
    label: str
    values: tuple[int, ...]
    lines: dict[str, dict[str, int]]


SWEEPS = {
    sweep.option: sweep
    for sweep in (
        Sweep(
            "length",
            "n, columns (2 examples)",
            (10, 20, 40, 80, 160, 320, 640),
            {  # two examples: one for each of two cores
                "all steps kept": {"batch": 2},
                "gradient checkpointing": {"batch": 2, "gradient_checkpointing": 1},
            },
        ),
        Sweep("batch", "examples (n = 20)", (2, 4, 8, 16, 32, 64, 128), {"": {}}),
        Sweep("maps", "m, maps (n = 20, 32 examples)", (8, 16, 32, 64, 128), {"": {}}),
        Sweep(
            "replicas",
            "replicas (logical devices; n = 20, 32 examples)",
            (1, 2),
            {"a part a core": {}, "one part a replica": {"parts": 1}},
        ),
    )
}
TEXTS = {"sweep", "line", *(k for k, x in OPTIONS.items() if isinstance(x, str))}
FIELDS = ("sweep", "line", *OPTIONS, "seconds", "low", "high", "first", "memory")


def measure(options: dict[str, Any], most_bytes: int) -> dict[str, float] | None:
    """Times a training step in a process of its own.

    Args:
        options: see `train_step.OPTIONS`.
        most_bytes: what the process may write to.

    Returns:
        Median "seconds" of a step, its quartiles "low" and "high", "first" (seconds)
        and peak "memory" (bytes); None if it needed more memory, or failed otherwise,
        which can't be told apart.
    """
    contender = Contender("package", options)
    limit = resource.RLIMIT_DATA
    resource.prlimit(contender.process.pid, limit, (most_bytes, most_bytes))
    try:
        first = contender.answer()["first"]
        contender.run(1)
        once = contender.seconds[0]
        contender.run(min(max(2, round(TIMED_SECONDS / once)), 20))
        memory = contender.end()["memory"]
    except (ProcessEnded, BrokenPipeError):
        return None
    finally:
        contender.process.kill()  # if it has not ended
        contender.process.wait()
    low, median, high = statistics.quantiles(contender.seconds, n=4)
    return {
        "seconds": median,
        "low": low,
        "high": high,
        "first": first,
        "memory": memory,
    }


def points(
    sweep: Sweep,
    options: dict[str, Any],
    known: Sequence[dict[str, Any]],
    most_bytes: int,
    most_seconds: float,
) -> Iterator[dict[str, Any]]:
    """The rows of a sweep, in order; see `FIELDS`.

    Args:
        sweep: what grows.
        options: of `train_step.OPTIONS`, all else.
        known: rows that are not measured again.
        most_bytes: see `measure`.
        most_seconds: the longest step after which a line goes on.
    """
    for line, own in sweep.lines.items():
        for value in sweep.values:
            point = {**options, **own, sweep.option: value}
            row: dict[str, Any] = {"sweep": sweep.option, "line": line, **point}
            found = [old for old in known if all(old[k] == row[k] for k in row)]
            if found:
                row = found[0]
            else:
                result = measure(point, most_bytes)
                if result is None and value == sweep.values[0]:
                    raise InputError(
                        f"{sweep.option}={value} of {point['model']} needs more than "
                        f"{most_bytes / 1e9:.1f} GB, or fails: give --most_gigabytes, "
                        "or see benchmarks.train_step with these options"
                    )
                if result is None:
                    break
                row |= result
            yield row
            if row["seconds"] > most_seconds:
                break


def exponent(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """e of y = a + b x^e through the last three points, if x grows by a factor.

        (y_3 - y_2) / (y_2 - y_1) = (x_3 / x_2)^e

    Whatever stands at first, the a, does not matter. None where there is no such e.
    """
    if len(xs) < 3:
        return None
    (x1, x2, x3), (y1, y2, y3) = xs[-3:], ys[-3:]
    if not math.isclose(x2 / x1, x3 / x2) or not (y3 > y2 > y1 or y3 < y2 < y1):
        return None
    return math.log((y3 - y2) / (y2 - y1)) / math.log(x3 / x2)


def exponents(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, float | None]]:
    """How seconds and memory grow, by sweep and line."""
    result = {}
    for sweep, line in dict.fromkeys((row["sweep"], row["line"]) for row in rows):
        own = [row for row in rows if (row["sweep"], row["line"]) == (sweep, line)]
        xs = [row[sweep] for row in own]
        result[f"{sweep} {line}".strip()] = {
            what: exponent(xs, [row[what] for row in own])
            for what in ("seconds", "memory")
        }
    return result


def draw(sweep: Sweep, rows: Sequence[dict[str, Any]], out: Path) -> None:
    """Seconds and gigabytes, on logarithmic axes, a line for each line of the sweep."""
    ticks = {math.log2(value): str(value) for value in sweep.values}
    for what, label, unit in (
        ("seconds", "a training step, seconds", 1.0),
        ("memory", "peak memory, gigabytes", 1e-9),
    ):
        lines = [
            Line(
                line or "a training step",
                [
                    (math.log2(row[sweep.option]), unit * row[what])
                    for row in rows
                    if row["sweep"] == sweep.option and row["line"] == line
                ],
            )
            for line in sweep.lines
        ]
        picture = line_chart(lines, sweep.label, label, x_ticks=ticks, log=True)
        picture.save(out / f"{sweep.option}_{what}.png")


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a scaling.csv; none if it is not there."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [
            {k: x if k in TEXTS else _number(x) for k, x in row}
            for row in map(dict.items, csv.DictReader(file))
        ]


def write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """A CSV file, all of it or nothing."""
    beside = path.with_suffix(".tmp")
    with open(beside, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    beside.replace(path)


def _number(text: str) -> float:
    return float(text) if "." in text or "e" in text else int(text)


def _half_of_the_memory() -> float:
    """In gigabytes."""
    pages, size = os.sysconf("SC_AVPHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return pages * size / 2e9


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    out = Path(values.out)
    out.mkdir(parents=True, exist_ok=True)
    options = OPTIONS | {name: getattr(values, name) for name in ("model", "maps")}
    most_bytes = round(1e9 * (values.most_gigabytes or _half_of_the_memory()))
    known, rows = read(out / "scaling.csv"), []
    for name in values.sweeps or SWEEPS:
        sweep = SWEEPS[name]
        for row in points(sweep, options, known, most_bytes, values.most_seconds):
            rows.append(row)
            others = [old for old in known if old not in rows]
            write(out / "scaling.csv", [*others, *rows])
            if not values.json:
                print(
                    f"{name:<9}{row[name]:>4}  {row['line']:<18}{row['seconds']:9.3f} s"
                    f"  {row['memory'] / 1e9:6.2f} GB",
                    flush=True,
                )
        draw(sweep, rows, out)
    if values.json:
        print(json.dumps({"rows": rows, "exponents": exponents(rows)}))
        return
    for line, row in exponents(rows).items():
        told = (f"{what} ~ x^{e:.2f}" for what, e in row.items() if e is not None)
        print(f"{line}: {', '.join(told) or 'too few points'}")


if __name__ == "__main__":
    flags.DEFINE_string("out", None, "folder to write to")
    flags.DEFINE_multi_enum("sweeps", [], list(SWEEPS), "what grows; empty: all")
    flags.DEFINE_enum("model", "extended_neural_gpu", list(NAMES), "the model")
    flags.DEFINE_integer("maps", 24, "m, but where it grows", lower_bound=1)
    flags.DEFINE_float("most_gigabytes", 0, "of a process; 0: half of what is free")
    flags.DEFINE_float("most_seconds", 60, "of a step, after which a line ends")
    flags.DEFINE_bool("json", False, "print one JSON object")
    flags.mark_flag_as_required("out")
    app.run(main)
