"""How much faster several workers train than one, each on a core of its own.

python -m benchmarks.workers --workers=2 --batch=64

One process alone and the workers (`--distribution=multi_worker`, all on this machine)
train on the same global batches, in turns. Prints one line of JSON: medians and
quartiles of a step's seconds, for one ("one") and for all ("all"), their ratio
("speed_up"), its values in the single turns ("of_turns"), and the medians of the
processor's seconds in a process ("cpu").

Other work on the cores slows the workers more than the one, as each waits for the
slowest; so "cpu_speed_up" is the ratio of the processor's seconds: what the ratio would
be if each process had its core for itself and waited for no message.
"""

import json
import os
import socket
import statistics
from collections.abc import Sequence
from typing import Any

from absl import app, flags

from benchmarks.json_process import JsonProcess
from benchmarks.train_step import OPTIONS
from benchmarks.turns import spread


class Group:
    """Processes that train together.

    Args:
        options: of `benchmarks.train_step`.
        count: how many, on the first cores.
    """

    def __init__(self, options: dict[str, Any], count: int):
        free = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
        addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in free]
        for one in free:
            one.close()
        self.processes = []
        for index in range(count):
            os.environ.pop("TF_CONFIG", None)
            if count > 1:
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
            print(steps, file=process.process.stdin, flush=True)
        answers = [process.answer() for process in self.processes]
        self.seconds.append(answers[0]["seconds"])
        self.cpu += map(statistics.mean, zip(*(a["cpu"] for a in answers), strict=True))

    def end(self) -> None:
        """Ends them."""
        for process in self.processes:
            process.process.stdin.close()
        for process in self.processes:
            process.process.wait()


def measure(
    options: dict[str, Any], workers: int, rounds: int, steps: int
) -> dict[str, Any]:
    """Times one process and several in turns; see the module."""
    one, several = Group(options, 1), Group(options, workers)
    for _ in range(rounds):
        one.turn(steps)
        several.turn(steps)
    one.end()
    several.end()
    result = dict(options) | {"workers": workers}
    for name, group in (("one", one), ("all", several)):
        cpu = statistics.median(group.cpu)
        result[name] = spread(sum(group.seconds, [])) | {"cpu": cpu}
    turns = [
        statistics.median(alone) / statistics.median(together)
        for alone, together in zip(one.seconds, several.seconds, strict=True)
    ]
    return result | {
        "speed_up": result["one"]["median"] / result["all"]["median"],
        "of_turns": turns,
        "cpu_speed_up": result["one"]["cpu"] / result["all"]["cpu"],
    }


def main(argv: Sequence[str]) -> None:
    del argv
    values = flags.FLAGS
    names = ("model", "maps", "length", "batch")
    options = OPTIONS | {name: getattr(values, name) for name in names}
    result = measure(options, values.workers, values.rounds, values.steps)
    print(json.dumps(result))


if __name__ == "__main__":
    flags.DEFINE_string("model", "extended_neural_gpu", "the model")
    flags.DEFINE_integer("maps", 24, "m")
    flags.DEFINE_integer("length", 20, "n")
    flags.DEFINE_integer("batch", 64, "examples, over all workers")
    flags.DEFINE_integer("workers", 2, "how many, a core each")
    flags.DEFINE_integer("rounds", 6, "how often each has its turn")
    flags.DEFINE_integer("steps", 5, "in each turn")
    app.run(main)
