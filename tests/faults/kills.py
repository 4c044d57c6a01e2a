"""Kills a training run again and again, and compares what comes of it at last.

python tests/faults/kills.py --kills=100 --writing=20 --replicas=1

A run is killed by SIGKILL at random moments, many of them while a checkpoint is being
written, and started again each time. At the end its final and best weights must be
those of a run that was never stopped, bit for bit. Each process is forked from one that
has imported TensorFlow, which takes most of a start's time.

Prints one line of JSON: kills, of them while a checkpoint was written (writing),
checkpoints that a start found damaged and passed over (damaged), starts, seconds, and
whether the weights are the same (equal).
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FLAGS = [
    "--task=badd",
    "--model=neural_gpu",
    "--maps=4",
    "--width=1",
    "--layers=1",
    "--dropout=0.1",
    "--average_decay=0.9",
    "--task_batch_size=4",
    "--most_bits=3",
    "--validation_bits=2",
    "--validation_cases=4",
    "--validate_every=40",
    "--checkpoint_every=8",
    "--log_every=1000",
]
PATIENCE = 120.0  # seconds until a start must show progress


def start(run: Path, steps: int, replicas: int) -> int:
    """Forks a process that trains; its number."""
    child = os.fork()
    if child:
        return child
    try:
        log = os.open(run.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        own = [f"--run_dir={run}", f"--train_steps={steps}", f"--replicas={replicas}"]
        sys.argv = ["neural-gpu-train", *own, *FLAGS]
        import tensorflow as tf

        from neural_gpu_tf.bin import train

        tf.config.set_logical_device_configuration(
            tf.config.list_physical_devices("CPU")[0],
            replicas * [tf.config.LogicalDeviceConfiguration()],
        )
        train.cli()
    except SystemExit as end:
        os._exit(int(end.code or 0))
    except BaseException:
        os._exit(70)
    os._exit(0)


def newest(run: Path) -> int:
    """The step of the newest checkpoint; 0 if there is none."""
    names = (path.stem for path in (run / "checkpoints").glob("ckpt-*.index"))
    return max((int(name.removeprefix("ckpt-")) for name in names), default=0)


def is_written(run: Path) -> bool:
    """Whether a checkpoint is half written now."""
    return any((run / "checkpoints").glob("ckpt-*_temp*"))


def kill(child: int, run: Path, rng: random.Random, while_writing: bool) -> str:
    """Kills a process at a moment to come; "" if it ended before, else which moment."""
    first, until = newest(run), time.monotonic() + PATIENCE
    if rng.random() < 0.8:  # most of them after it has begun to train
        while newest(run) == first and time.monotonic() < until:
            if os.waitpid(child, os.WNOHANG)[0]:
                return ""
            time.sleep(0.002)
    moment = time.monotonic() + rng.uniform(0.0, 0.6)
    kind = "any"
    while time.monotonic() < moment or while_writing:
        if while_writing and is_written(run):
            kind = "writing"
            break
        if os.waitpid(child, os.WNOHANG)[0]:
            return ""
        if not while_writing:
            time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return kind


def weights(run: Path) -> list[np.ndarray]:
    """The best weights and the last ones."""
    import h5py

    found: list[np.ndarray] = []
    for which in ("best", "last"):
        with h5py.File(run / f"{which}.weights.h5") as file:
            file.visititems(
                lambda name, item: (
                    found.append(item[()]) if isinstance(item, h5py.Dataset) else None
                )
            )
    return found


def compare(folder: Path, steps: int, kills: int, writing: int, replicas: int) -> dict:
    """Trains without and with kills, in two directories of `folder`."""
    begin, rng = time.monotonic(), random.Random(0)
    whole, run = folder / "whole", folder / "killed"
    status = os.waitpid(start(whole, steps, replicas), 0)[1]
    assert status == 0, whole.with_suffix(".log").read_text()
    done, starts = {"any": 0, "writing": 0}, 0
    while sum(done.values()) < kills:
        starts += 1
        child = start(run, steps, replicas)
        kind = kill(child, run, rng, while_writing=done["writing"] < writing)
        if not kind:
            break
        done[kind] += 1
    log = run.with_suffix(".log")
    status = os.waitpid(start(run, steps, replicas), 0)[1]
    assert status == 0, log.read_text()[-2_000:]
    ours, theirs = weights(run), weights(whole)
    equal = len(ours) == len(theirs) and all(map(np.array_equal, ours, theirs))
    return {
        "kills": sum(done.values()),
        "writing": done["writing"],
        "damaged": log.read_text().count("damaged"),
        "starts": starts + 1,
        "seconds": round(time.monotonic() - begin, 1),
        "equal": bool(equal and ours),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--writing", type=int, default=20)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--steps", type=int, default=6_000)
    values = parser.parse_args()
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
    import neural_gpu_tf.workflows  # noqa: F401  imports all that a start needs

    with tempfile.TemporaryDirectory() as folder:
        result = compare(
            Path(folder), values.steps, values.kills, values.writing, values.replicas
        )
    print(json.dumps(result))
    sys.exit(not result["equal"])


if __name__ == "__main__":
    main()
