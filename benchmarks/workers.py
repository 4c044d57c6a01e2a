"""How much faster several workers train than one, each on a core of its own.

python -m benchmarks.workers --workers=2 --batch=64

These take turns, a step being one of --batch examples:

    one      one process alone
    share    the same, with a worker's share of the batch
    apart    as many processes as workers at once, each with its share, none waiting for
             another: what workers could reach on this machine if they said nothing
    all      the workers (`--distribution=multi_worker`), all on this machine

Prints one line of JSON: for each the median and quartiles of a step's seconds and the
median of the processor's seconds in a process ("cpu"); "speed_up", the median of one
over that of all; its values in the single turns ("of_turns"); "speed_up_of_shares", the
workers times the median of share over that of all, as if a worker brought its batch
with it; and both with the processor's seconds ("cpu_speed_up…"): what they would be if
each process had its core for itself and waited for no message.
"""

import json
import os
import socket
import statistics
from collections.abc import Sequence
from typing import Any

from absl import flags

from benchmarks.json_process import JsonProcess
from benchmarks.train_step import OPTIONS
from benchmarks.turns import spread


class Group:
    """Processes that train at the same time.

    Args:
        options: of `benchmarks.train_step`.
        count: how many, on the first cores.
        together: whether they train one model.
    """

    def __init__(self, options: dict[str, Any], count: int, together: bool):
        free = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
        addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in free]
        for one in free:
            one.close()
        self.processes = []
        for index in range(count):
            os.environ.pop("TF_CONFIG", None)
            if together:
                task = {"type": "worker", "index": index}
                values = {"cluster": {"worker": addresses}, "task": task}
                os.environ["TF_CONFIG"] = json.dumps(values)
            given = json.dumps(options | {"core": index})
            name = f"worker {index} of {count}"
            self.processes.append(JsonProcess(name, "distributed_worker", given))
        for process in self.processes:
            process.answer()
        self.seconds: list[list[float]] = []
        self.cpu: list[float] = []

    def turn(self, steps: int) -> None:
        """Times some steps of all, and of the processor's time the mean of all."""
        for process in self.processes:
            print(steps, file=process.input, flush=True)
        answers = [process.answer() for process in self.processes]
        self.seconds.append(sum((answer["seconds"] for answer in answers), []))
        self.cpu += map(statistics.mean, zip(*(a["cpu"] for a in answers), strict=True))

    def end(self) -> None:
        """Ends them."""
        for process in self.processes:
            process.input.close()
        for process in self.processes:
            process.process.wait()


def measure(
    options: dict[str, Any], workers: int, rounds: int, steps: int
) -> dict[str, Any]:
    """Times one process and several in turns; see the module."""
    part = options | {"batch": options["batch"] // workers}
    groups = {
        "one": Group(options, 1, together=False),
        "share": Group(part, 1, together=False),
        "apart": Group(part, workers, together=False),
        "all": Group(options, workers, together=True),
    }
    for _ in range(rounds):
        for group in groups.values():
            group.turn(steps)
    result = dict(options) | {"workers": workers}
    for name, group in groups.items():
        group.end()
        cpu = statistics.median(group.cpu)
        result[name] = spread(sum(group.seconds, [])) | {"cpu": cpu}
    one, share, together = (result[name] for name in ("one", "share", "all"))
    for kind, which in (("", "median"), ("cpu_", "cpu")):
        result[f"{kind}speed_up"] = one[which] / together[which]
        times = workers * share[which] / together[which]
        result[f"{kind}speed_up_of_shares"] = times
    turns = zip(groups["one"].seconds, groups["all"].seconds, strict=True)
    medians = (map(statistics.median, turn) for turn in turns)
    return result | {"of_turns": [alone / several for alone, several in medians]}


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    names = ("model", "maps", "length", "batch")
    options = OPTIONS | {name: getattr(values, name) for name in names}
    result = measure(options, values.workers, values.rounds, values.steps)
    print(json.dumps(result))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app
    from neural_gpu_tf.options.model import NAMES

    flags.DEFINE_enum("model", "extended_neural_gpu", list(NAMES), "the model")
    for name, default, told in (
        ("maps", 24, "m"),
        ("length", 20, "n"),
        ("batch", 64, "examples, over all workers"),
        ("workers", 2, "how many, a core each"),
        ("rounds", 6, "how often each has its turn"),
        ("steps", 5, "in each turn"),
    ):
        flags.DEFINE_integer(name, default, told, lower_bound=1)
    app.run(main)
