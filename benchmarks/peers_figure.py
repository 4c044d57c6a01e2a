"""The results of `benchmarks.peers`: a table, a CSV file and a picture.

python -m benchmarks.peers_figure FIGURES    # the picture anew, from the CSV file
"""

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import csv_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "serving_frontier"
COLOURS = ("#0068aa", "#cc5000", "#008762", "#aa4682", "#966e00", "#5a6270")
SHAPES = "osDv^P"


class Row(NamedTuple):
    """What is told of one contender."""

    model: str
    runtime: str
    beam: int
    threads: int
    p50: float  # ms of a sentence, the clock's
    p95: float
    p99: float
    cpu50: float  # ms of a sentence, the processor's, of all threads
    cpu95: float
    cpu99: float
    speed: float  # sentences a second in batches, the clock's
    cpu_speed: float  # the same, of a second of the processor
    memory: float  # GB at most
    load: float  # the processor's seconds from the process's start to the first answer
    bleu: float
    megabytes: float  # on disk


HEADER = (
    "| model | runtime | beam | threads | processor: p50, p95, p99 | clock: p50, p95, "
    "p99 | in batches: processor, clock | memory | first answer | BLEU | on disk |"
)


def table(rows: Sequence[Row]) -> str:
    """Rows of Markdown."""
    lines = [HEADER, "| --- | --- " + 9 * "| ---: " + "|"]
    for row in rows:
        cells = [row.model, row.runtime, str(row.beam), str(row.threads)]
        for times in ((row.cpu50, row.cpu95, row.cpu99), (row.p50, row.p95, row.p99)):
            cells.append(", ".join(f"{x:.1f}" for x in times) + " ms")
        cells += [
            f"{row.cpu_speed:.0f}, {row.speed:.0f}/s",
            f"{row.memory:.2f} GB",
            f"{row.load:.1f} s",
        ]
        cells += [f"{row.bleu:.1f}", f"{row.megabytes:.0f} MB"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def lines(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows with the fewest threads, by model and runtime, of rising beams."""
    least, found = min(row.threads for row in rows), defaultdict(list)
    for row in sorted(rows, key=lambda row: row.beam):
        if row.threads == least:
            found[f"{row.model}, {row.runtime}"].append(row)
    return dict(found)


def draw(rows: Sequence[Row]) -> "Figure":
    """BLEU against the milliseconds of a sentence, a line a model in a runtime.

    The milliseconds are the processor's, which other work on the machine changes less.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    figure = Figure(figsize=(6.4, 4), layout="constrained")
    axes = figure.subplots()
    for i, (name, some) in enumerate(lines(rows).items()):
        xs, ys = [row.cpu50 for row in some], [row.bleu for row in some]
        colour = COLOURS[i % len(COLOURS)]
        shape = SHAPES[i % len(SHAPES)]
        axes.plot(xs, ys, lw=1.2, color=colour, marker=shape, label=name)
        for row in some:
            axes.annotate(
                f"beam {row.beam}" if row.beam > 1 else "greedy",
                (row.cpu50, row.bleu),
                xytext=(5, -9),
                textcoords="offset points",
                fontsize=7,
                color=colour,
            )
    axes.set_xscale("log")
    axes.margins(0.1)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    threads = min(row.threads for row in rows)
    of = "1 thread" if threads == 1 else f"{threads} threads"
    axes.set(xlabel=f"ms of the processor, one sentence, median, {of}", ylabel="BLEU")
    axes.grid(color="#e2e4e8")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=8)
    return figure


def write(rows: Sequence[Row], folder: Path) -> None:
    """The CSV file, in place of what was there, and the picture."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NAME}.csv").unlink(missing_ok=True)
    csv_rows.append(folder / f"{NAME}.csv", rows)
    draw(rows).savefig(folder / f"{NAME}.png", dpi=150)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.peers_figure DIR")
    where = Path(sys.argv[1])
    if not (found := csv_rows.read(where / f"{NAME}.csv", Row)):
        sys.exit(f"peers_figure: no rows in {where / NAME}.csv")
    picture = draw(found)
    picture.savefig(where / f"{NAME}.png", dpi=150)
