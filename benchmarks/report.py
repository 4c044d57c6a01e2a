"""Measures what benchmarks/RESULTS.md tells, and writes it: `make bench`."""

import datetime
import importlib.util
import os
import platform
from importlib.metadata import version
from pathlib import Path

from benchmarks.train_step import OPTIONS, measure

SETTINGS = [
    ("extended_neural_gpu", 64, 20),
    ("extended_neural_gpu", 64, 40),
    ("extended_neural_gpu", 24, 20),
    ("extended_neural_gpu", 24, 40),
    ("neural_gpu", 64, 20),
    ("neural_gpu", 24, 20),
]
HEAD = """# Speed and memory of a training step

Written by `make bench` on {day}: {cores} cores ({machine}), Python {python},
TensorFlow {tensorflow}, Keras {keras}, float32; B = 32, w = 4, l = 2, vocabulary 16.
A step is forward, loss, backward, clipping and Adam. Medians, each contender in a
process of its own, in turns; *first* is the first step with all that comes before it.
*Ratio* is the contender's median over the package's. The share is of the speed of
matrix products, measured in the same run, by the FLOPs of the convolutions that are
needed (`benchmarks/formulas.py`).

| model | m, n | code | step | quartiles | first | memory | ratio | share |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def rows(model: str, maps: int, length: int, peers: list[str]) -> list[str]:
    """The lines of one setting."""
    options = OPTIONS | {"model": model, "maps": maps, "length": length}
    result = measure(options, peers)
    lines = []
    for name in ("package", *peers):
        one = result[name]
        low, high = one["quartiles"]
        share = f"{result['share_of_ceiling']:.0%}" if name == "package" else ""
        lines.append(
            f"| {model} | {maps}, {length} | {name} | {one['median']:.3f} s "
            f"| {low:.3f}-{high:.3f} | {one['first']:.1f} s "
            f"| {one['memory'] / 1e9:.2f} GB | {one.get('ratio', 1):.2f} | {share} |"
        )
    return lines


def main() -> None:
    peers = ["naive"] + ["torch"] * bool(importlib.util.find_spec("torch"))
    text = HEAD.format(
        day=datetime.date.today(),
        cores=len(os.sched_getaffinity(0)),
        machine=platform.machine(),
        python=platform.python_version(),
        tensorflow=version("tensorflow"),
        keras=version("keras"),
    )
    for setting in SETTINGS:
        for line in rows(*setting, peers):
            print(line, flush=True)
            text += line + "\n"
    Path(__file__).with_name("RESULTS.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
