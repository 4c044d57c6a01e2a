"""The figure of `benchmarks.dependence`: perplexity in training, and the floors.

python -m benchmarks.dependence --minutes=25 --seeds=0,1 --json > FILE
python -m benchmarks.dependence_figure FILE FIGURE.png
"""

import json
import math
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.dependence import MODELS, floor

COLOURS = ("#0068aa", "#cc5000", "#008762", "#aa4682")
HIGHEST = 2.6  # perplexity


def curves(lines: Sequence[str]) -> dict[str, dict[int, list[tuple[float, float]]]]:
    """(minutes, perplexity) by model and seed, from the benchmark's JSON lines."""
    found: dict = defaultdict(lambda: defaultdict(list))
    for row in map(json.loads, lines):
        if "loss" in row:
            point = row["minutes"], math.exp(row["loss"])
            found[row["model"]][row["seed"]].append(point)
    return found


def draw(lines: Sequence[str]) -> Figure:
    """A line a seed, a colour a model; the floors are dashed."""
    figure = Figure(figsize=(6.4, 4), layout="constrained")
    axes = figure.subplots()
    found = curves(lines)
    for name, colour in zip(MODELS, COLOURS, strict=True):
        for i, points in enumerate(found.get(name, {}).values()):
            label = name if i == 0 else None
            axes.plot(*zip(*points, strict=True), color=colour, label=label, lw=1.2)
    for value in sorted({floor(name) for name in MODELS}):
        axes.axhline(value, color="#555", ls="--", lw=0.8)
        axes.annotate(
            f"floor {value:.3f}",
            (1, value),
            xycoords=("axes fraction", "data"),
            xytext=(-4, -10),
            textcoords="offset points",
            ha="right",
            fontsize=8,
        )
    axes.set(
        xlabel="minutes of one core",
        ylabel="perplexity of a symbol, in training",
        ylim=(0.9, HIGHEST),
        xlim=(0, None),
    )
    axes.legend(frameon=False, fontsize=8)
    return figure


def main(arguments: Sequence[str]) -> None:
    if len(arguments) != 2:
        sys.exit("usage: python -m benchmarks.dependence_figure FILE FIGURE.png")
    if not Path(arguments[0]).is_file():
        sys.exit(f"dependence_figure: {arguments[0]}: no such file")
    lines = Path(arguments[0]).read_text("utf-8").splitlines()
    draw(lines).savefig(arguments[1], dpi=150)


if __name__ == "__main__":
    main(sys.argv[1:])
