"""Times a training step: forward, loss, backward, clipping, Adam.

python -m benchmarks.train_step --maps=64 --length=20 --peer=naive,torch --json
python -m benchmarks.train_step --model=diagonal_neural_gpu --maps=96 --width=1 \\
    --layers=1 --dropout=0.1 --lengths=8,12,16,20,25,28,31,36,41

Each contender is a process of its own; they take turns. Also told: the first step with
all that comes before it, the peak memory, the FLOPs by formula, and, measured in the
same run, its share of the speed of matrix products and of that of the convolutions
alone. With --lengths a step takes a batch of each of them, and there are no peers.
"""

import importlib.util
import json
import statistics
import sys
from collections.abc import Sequence
from typing import Any

from absl import app, flags

from benchmarks.formulas import convolution_flops
from benchmarks.json_process import JsonProcess

OPTIONS = {
    "model": "extended_neural_gpu",
    "maps": 64,
    "width": 4,
    "layers": 2,
    "length": 20,
    "lengths": "",
    "dropout": 0.0,
    "batch": 32,
    "vocab": 16,
    "parts": 0,
    "checkpointing": 0,
    "replicas": 1,
}
CEILING_FLOPS = 8 * 2 * 1024**3


class Contender(JsonProcess):
    """A worker process, and the seconds of its steps."""

    def __init__(self, name: str, options: dict[str, Any]):
        super().__init__(name, "worker", json.dumps(options | {"contender": name}))
        self.seconds: list[float] = []

    def run(self, steps: int) -> None:
        """Times some steps."""
        self.seconds += self.ask(steps)["seconds"]


def step_lengths(options: dict[str, Any]) -> list[int]:
    """The lengths of which a step takes a batch each: "lengths", else "length"."""
    return [int(n) for n in (options["lengths"] or str(options["length"])).split(",")]


def measure(
    options: dict[str, Any], peers: Sequence[str], rounds: int = 4, steps: int = 3
) -> dict[str, Any]:
    """Times the package's step and its peers' in turns.

    Args:
        options: see `OPTIONS`.
        peers: of "naive" and "torch"; none with "lengths".
        rounds: how often each has its turn.
        steps: in each turn.

    Returns:
        For each contender: median, quartiles (seconds), first (seconds), memory
        (bytes); for a peer also ratio: its median over the package's. "gflop" as
        written and as needed; of the latter "share_of_ceiling", of the speed of matrix
        products, and "share_of_convolutions", of that of the convolutions alone, whose
        own is "convolutions_of_ceiling".
    """
    contenders, result = [], dict(options)
    lengths = step_lengths(options)
    names = ["ceiling", *["convolutions"] * (not options["lengths"]), "package"]
    for name in (*names, *peers):
        contender = Contender(name, options)
        result[name] = {"first": contender.answer()["first"]}
        contenders.append(contender)
    for _ in range(rounds):
        for contender in contenders:
            contender.run(steps)
    for contender in contenders:
        low, median, high = statistics.quantiles(contender.seconds, n=4)
        result[contender.name] |= {
            "median": median,
            "quartiles": [low, high],
            **contender.end(),
        }
    for name in peers:
        result[name]["ratio"] = result[name]["median"] / result["package"]["median"]
    sizes = [options[k] for k in ("model", "maps", "width", "layers")]
    batch = options["batch"]
    counts = [convolution_flops(*sizes, length, batch) for length in lengths]
    written, needed = map(sum, zip(*counts, strict=True))
    result["gflop"] = {"written": written / 1e9, "needed": needed / 1e9}
    ceiling = CEILING_FLOPS / result["ceiling"]["median"]
    speed = needed / result["package"]["median"]
    result["ceiling"]["gflop_per_second"] = ceiling / 1e9
    result["share_of_ceiling"] = speed / ceiling
    if not options["lengths"]:
        one_unit, _ = convolution_flops("neural_gpu", *sizes[1:3], 1, *lengths, batch)
        convolutions = one_unit / result["convolutions"]["median"]
        result["convolutions"]["gflop_per_second"] = convolutions / 1e9
        result["share_of_convolutions"] = speed / convolutions
        result["convolutions_of_ceiling"] = convolutions / ceiling
    return result


def main(argv: Sequence[str]) -> None:
    values = flags.FLAGS
    peers = [peer for peer in values.peer if peer]
    if "torch" in peers and not importlib.util.find_spec("torch"):
        print("torch is not installed: left out", file=sys.stderr)
        peers.remove("torch")
    options = {name: getattr(values, name) for name in OPTIONS}
    if options["lengths"] and peers:
        raise app.UsageError(f"--lengths with --peer={','.join(peers)}: give --peer=")
    result = measure(options, peers, values.rounds, values.steps)
    if values.json:
        print(json.dumps(result))
        return
    for name in ("package", *peers):
        row = result[name]
        print(
            f"{name:<8} {1e3 * row['median']:8.1f} ms a step   first step "
            f"{row['first']:5.1f} s   memory {row['memory'] / 1e9:.2f} GB   "
            f"{row.get('ratio', 1.0):.2f} times the package's time"
        )
    told = f"{result['share_of_ceiling']:.0%} of the speed of matrix products"
    if "convolutions" in result:
        told += (
            f", {result['share_of_convolutions']:.0%} of that of the convolutions "
            f"alone, which is {result['convolutions_of_ceiling']:.0%} of the former"
        )
    print(told)


if __name__ == "__main__":
    defines = {
        str: flags.DEFINE_string,
        int: flags.DEFINE_integer,
        float: flags.DEFINE_float,
    }
    for option, default in OPTIONS.items():
        defines[type(default)](option, default, option)
    flags.DEFINE_list("peer", ["naive"], "of naive and torch")
    flags.DEFINE_integer("rounds", 4, "how often each contender has its turn")
    flags.DEFINE_integer("steps", 3, "steps in a turn")
    flags.DEFINE_bool("json", False, "print one JSON object")
    app.run(main)
