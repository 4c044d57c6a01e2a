"""Times a training step: forward, loss, backward, clipping, Adam.

python -m benchmarks.train_step --maps=64 --length=20 --peer=naive,torch --json
python -m benchmarks.train_step --model=diagonal_neural_gpu --maps=96 --width=1 \\
    --layers=1 --dropout=0.1 --lengths=8,12,16,20,25,28,31,36,41 --peer=
python -m benchmarks.train_step --model=attention_seq2seq --maps=256 --layers=1 \\
    --bidirectional=1 --vocab=8000 --length=16 --batch=64 --cores=1 --peer=torch

Each contender is a process of its own; they take turns. Also told: the first step with
all that comes before it, the peak memory, the FLOPs by formula, and, measured in the
same run, its share of the speed of matrix products and of that of the convolutions
alone. With --lengths a step takes a batch of each of them, and there are no peers.

Of the recurrent models, which have m units and embeddings of as many numbers, the
processor's seconds are told, which other work on the machine changes less.
"""

import importlib.util
import json
import sys
from collections.abc import Sequence
from typing import Any

from absl import flags

from benchmarks.formulas import CANVASES, convolution_flops
from benchmarks.json_process import JsonProcess
from benchmarks.list_flags import define_names
from benchmarks.turns import spread
from benchmarks.worker import RECURRENT
from neural_gpu_tf.errors import InputError

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
    "gradient_checkpointing": 0,
    "replicas": 1,
    "bidirectional": 0,
    "cores": 0,
}
CEILING_FLOPS = 8 * 2 * 1024**3


class Contender(JsonProcess):
    """A worker process, and the seconds of its steps, the clock's and the processor's.

    Args:
        name: of `worker.CONTENDERS`.
        options: see `OPTIONS`.
        python: which runs it; this one if not given.
    """

    def __init__(self, name: str, options: dict[str, Any], python: str = ""):
        given = json.dumps(options | {"contender": name})
        super().__init__(name, "worker", given, python=python)
        self.seconds: list[float] = []
        self.processor: list[float] = []

    def run(self, steps: int) -> None:
        """Times some steps."""
        answer = self.ask(steps)
        self.seconds += answer["seconds"]
        self.processor += answer["processor"]


def step_lengths(options: dict[str, Any]) -> list[int]:
    """The lengths of which a step takes a batch each: "lengths", else "length"."""
    return [int(n) for n in (options["lengths"] or str(options["length"])).split(",")]


def measure(
    options: dict[str, Any],
    peers: Sequence[str],
    rounds: int = 4,
    steps: int = 3,
    torch_python: str = "",
) -> dict[str, Any]:
    """Times the package's step and its peers' in turns.

    Args:
        options: see `OPTIONS`.
        peers: of "naive" and "torch"; none with "lengths".
        rounds: how often each has its turn.
        steps: in each turn.
        torch_python: the Python that has PyTorch; this one if not given.

    Returns:
        For each contender: median, quartiles (seconds), first (seconds), memory
        (bytes) and the same of the processor's seconds, "processor"; for a peer also
        ratio: its median over the package's. Of the models of `formulas.CANVASES`
        also what `shares` tells.
    """
    contenders, result = [], dict(options)
    canvas = options["model"] in CANVASES
    names = ["ceiling"] * canvas
    names += ["convolutions"] * (canvas and not options["lengths"])
    for name in (*names, "package", *peers):
        python = torch_python if name == "torch" else ""
        contender = Contender(name, options, python)
        result[name] = {"first": contender.answer()["first"]}
        contenders.append(contender)
    for _ in range(rounds):
        for contender in contenders:
            contender.run(steps)
    for contender in contenders:
        result[contender.name] |= {
            **spread(contender.seconds),
            "processor": spread(contender.processor),
            **contender.end(),
        }
    own = result["package"]
    for name in peers:
        peer = result[name]
        peer["ratio"] = peer["median"] / own["median"]
        clock = peer["processor"]
        clock["ratio"] = clock["median"] / own["processor"]["median"]
    return result | (shares(options, result) if canvas else {})


def shares(options: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """How near the package's step is to the speed of what it consists of.

    Args:
        options: see `OPTIONS`.
        result: each contender's.

    Returns:
        "gflop" as written and as needed; of the latter "share_of_ceiling", of the
        speed of matrix products, and "share_of_convolutions", of that of the
        convolutions alone, whose own is "convolutions_of_ceiling".
    """
    sizes = {k: options[k] for k in ("model", "maps", "width", "layers", "batch")}
    lengths = step_lengths(options)
    counts = [convolution_flops(**sizes, length=length) for length in lengths]
    written, needed = map(sum, zip(*counts, strict=True))
    told = {"gflop": {"written": written / 1e9, "needed": needed / 1e9}}
    ceiling = CEILING_FLOPS / result["ceiling"]["median"]
    speed = needed / result["package"]["median"]
    result["ceiling"]["gflop_per_second"] = ceiling / 1e9
    told["share_of_ceiling"] = speed / ceiling
    if not options["lengths"]:
        sizes |= {"model": "neural_gpu", "layers": 1}
        one_unit, _ = convolution_flops(**sizes, length=lengths[0])
        convolutions = one_unit / result["convolutions"]["median"]
        result["convolutions"]["gflop_per_second"] = convolutions / 1e9
        told["share_of_convolutions"] = speed / convolutions
        told["convolutions_of_ceiling"] = convolutions / ceiling
    return told


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    peers = [peer for peer in values.peer if peer]
    found = values.torch_python or importlib.util.find_spec("torch")
    if "torch" in peers and not found:
        print("torch is not installed: left out", file=sys.stderr)
        peers.remove("torch")
    options = {name: getattr(values, name) for name in OPTIONS}
    if options["lengths"] and peers:
        raise InputError(f"--lengths with --peer={','.join(peers)}: give --peer=")
    result = measure(options, peers, values.rounds, values.steps, values.torch_python)
    if values.json:
        print(json.dumps(result))
        return
    for name in ("package", *peers):
        row, clock = result[name], "a step"
        times = row
        if options["model"] in RECURRENT:
            times, clock = row["processor"], "a step of the processor"
        low, high = (1e3 * x for x in times["quartiles"])
        print(
            f"{name:<8} {1e3 * times['median']:8.1f} ms {clock} ({low:.1f}-{high:.1f})"
            f"   first step {row['first']:5.1f} s   memory {row['memory'] / 1e9:.2f} "
            f"GB   {times.get('ratio', 1.0):.2f} times the package's time"
        )
    if "share_of_ceiling" not in result:
        return
    told = f"{result['share_of_ceiling']:.0%} of the speed of matrix products"
    if "convolutions" in result:
        told += (
            f", {result['share_of_convolutions']:.0%} of that of the convolutions "
            f"alone, which is {result['convolutions_of_ceiling']:.0%} of the former"
        )
    print(told)


if __name__ == "__main__":
    from neural_gpu_tf.bin import app
    from neural_gpu_tf.options.model import NAMES

    def whole(name: str, default: int, text: str) -> None:
        flags.DEFINE_integer(name, default, text, lower_bound=min(default, 1))

    defines = {
        str: flags.DEFINE_string,
        int: whole,
        float: flags.DEFINE_float,
    }
    flags.DEFINE_enum("model", OPTIONS["model"], list(NAMES), "the model")
    for option, default in OPTIONS.items():
        if option != "model":
            defines[type(default)](option, default, option)
    define_names("peer", ["naive"], ["naive", "torch", ""], "of naive and torch")
    flags.DEFINE_integer(
        "rounds", 4, "how often each contender has its turn", lower_bound=1
    )
    flags.DEFINE_integer("steps", 3, "steps in a turn", lower_bound=1)
    flags.DEFINE_string("torch_python", "", "Python that has PyTorch; else this one")
    flags.DEFINE_bool("json", False, "print one JSON object")
    app.run(main)
