"""Times commands from their start to their first answer and their end.

python -m benchmarks.starting --rounds=5 --json

Each is a process of its own; they take turns, with one that only imports TensorFlow
among them. Of the package's also told: the parts of the start (see `started`), how many
graphs were traced, and the peak memory.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from absl import flags

from benchmarks.turns import spread

PARTS = ("before", "tensorflow", "model", "answer", "end")
"""Python and the flags; the import; our imports and the model; until a line is written;
until the process is gone."""


class Command(NamedTuple):
    """A command, and its standard input."""

    arguments: tuple[str, ...]
    lines: str = ""


COMMANDS = {
    "import tensorflow": Command(("-c", "import tensorflow; print()")),
    "neural-gpu-train --help": Command(("neural_gpu_tf.bin.train", "--help")),
    'neural-gpu-solve "1 + 1"': Command(("neural_gpu_tf.bin.solve", "1 + 1")),
    "neural-gpu-translate, one line": Command(
        ("neural_gpu_tf.bin.translate", "--pretrained=enfr"), "A man rides a bike.\n"
    ),
}


def start(command: Command) -> dict[str, float]:
    """Runs a command once.

    Returns:
        Seconds of the clock: total, answer (from the model, where there is one, to the
        first line), end (from there); of the package's also what `started` tells.

    Raises:
        RuntimeError: it failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        stamps, first = Path(folder, "stamps.json"), command.arguments[0]
        began = time.monotonic()
        own = [] if first == "-c" else ["-m", "benchmarks.started", stamps, str(began)]
        process = subprocess.Popen(
            [sys.executable, *map(str, own), *command.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin and process.stdout
        process.stdin.write(command.lines)
        process.stdin.close()
        process.stdout.readline()
        answered = time.monotonic()
        process.stdout.read()
        if process.wait():
            raise RuntimeError(f"{' '.join(command.arguments)}: {process.returncode}")
        ended = time.monotonic()
        told = json.loads(stamps.read_text()) if own else {}
    known = sum(told.get(part, 0.0) for part in PARTS)
    answer = answered - began - known
    return told | {"answer": answer, "end": ended - answered, "total": ended - began}


def measure(commands: Mapping[str, Command], rounds: int) -> dict[str, dict[str, Any]]:
    """Runs each once untimed, so that its files are read, then all of them in turns.

    Returns:
        By name: median and quartiles of the seconds in all, and the medians of what
        `start` tells.
    """
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            told = start(command)
            if turn:
                runs[name].append(told)
    return {
        name: spread([run["total"] for run in told])
        | {key: statistics.median(run[key] for run in told) for key in told[0]}
        for name, told in runs.items()
    }


def markdown(result: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A row a command."""
    lines = []
    for name, row in result.items():
        low, high = row["quartiles"]
        cells = [f"{row[part]:.2f} s" if part in row else "" for part in PARTS]
        graphs = f"{row['graphs']:.0f}" if row.get("graphs") else ""
        memory = f"{row['memory'] / 1e9:.2f} GB" if "memory" in row else ""
        cells = [
            f"{row['median']:.2f} s",
            f"{low:.2f}-{high:.2f}",
            *cells,
            graphs,
            memory,
        ]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return lines


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    result = measure(COMMANDS, flags.FLAGS.rounds)
    print(json.dumps(result) if flags.FLAGS.json else "\n".join(markdown(result)))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_integer("rounds", 5, "how often each has its turn", lower_bound=1)
    flags.DEFINE_bool("json", False, "print one JSON object")
    app.run(main)
