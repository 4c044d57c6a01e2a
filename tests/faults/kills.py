"""Kills a training run again and again, and compares what comes of it at last.

python tests/faults/kills.py --kills=100 --writing=20 --replicas=1
python tests/faults/kills.py --kills=10 --writing=3 --workers=2 --steps=600

A run is killed by SIGKILL at random moments, many of them while a checkpoint is being
written, and started again each time. At the end its final and best weights must be
those of a run that was never stopped, bit for bit. Each process is forked from one that
has imported TensorFlow, which takes most of a start's time.

With several workers each kill is of one of them, drawn by lot. The others must end by
themselves, as those do whose peer is lost, before all are started again.

Prints one line of JSON: kills, of them while a checkpoint was written (writing),
checkpoints that a start found damaged and passed over (damaged), starts, seconds,
whether the weights are the same (equal), and of several workers the most seconds from
a kill to the end of the last of them (left).
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

sys.path.append(str(Path(__file__).parents[1]))
import forked  # noqa: E402

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
LEAVING = 60.0  # seconds in which workers must end when one is killed
# How they end; the last where TensorFlow lets nothing but the system end them.
ENDS = {0, forked.LOST, -signal.SIGALRM}


def start(run: Path, steps: int, replicas: int, workers: int) -> list[int]:
    """Forks processes that train; their numbers, the chief's first."""
    log = run.with_suffix(".log")
    flags = [f"--run_dir={run}", f"--train_steps={steps}", *FLAGS]
    if workers > 1:
        return forked.workers(log, [*flags, "--worker_deadline=20"], workers)
    return [forked.train(log, [*flags, f"--replicas={replicas}"], replicas)]


def newest(run: Path) -> int:
    """The step of the newest checkpoint; 0 if there is none."""
    names = (path.stem for path in (run / "checkpoints").glob("ckpt-*.index"))
    return max((int(name.removeprefix("ckpt-")) for name in names), default=0)


def is_written(run: Path) -> bool:
    """Whether a checkpoint is half written now."""
    return any((run / "checkpoints").glob("ckpt-*_temp*"))


def kill(
    children: list[int], run: Path, rng: random.Random, while_writing: bool
) -> tuple[str, float]:
    """Kills a process at a moment to come, and waits until all have ended.

    Returns:
        "" if they ended before, else which moment; seconds until the others had ended.
    """
    child = rng.choice(children)
    others = [one for one in children if one != child]
    first, until = newest(run), time.monotonic() + PATIENCE
    if rng.random() < 0.8:  # most of them after it has begun to train
        while newest(run) == first and time.monotonic() < until:
            if os.waitpid(child, os.WNOHANG)[0]:
                return "", left(others)
            time.sleep(0.002)
    moment = time.monotonic() + rng.uniform(0.0, 0.6)
    kind = "any"
    while time.monotonic() < moment or while_writing:
        if while_writing and is_written(run):
            kind = "writing"
            break
        if os.waitpid(child, os.WNOHANG)[0]:
            return "", left(others)
        if not while_writing:
            time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return kind, left(others)


def left(children: list[int]) -> float:
    """Seconds until these have ended by themselves, in a way that is right."""
    begin = time.monotonic()
    ends = forked.statuses(children, LEAVING)
    assert {*ends} <= ENDS, ends
    return time.monotonic() - begin


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


def compare(
    folder: Path, steps: int, kills: int, writing: int, how: tuple[int, int]
) -> dict:
    """Trains without and with kills, in two directories of `folder`."""
    begin, rng = time.monotonic(), random.Random(0)
    whole, run = folder / "whole", folder / "killed"
    for child in start(whole, steps, *how):
        assert os.waitpid(child, 0)[1] == 0, whole.with_suffix(".log").read_text()
    done, starts, longest = {"any": 0, "writing": 0}, 0, 0.0
    while sum(done.values()) < kills:
        starts += 1
        children = start(run, steps, *how)
        kind, seconds = kill(children, run, rng, done["writing"] < writing)
        longest = max(longest, seconds)
        if not kind:
            break
        done[kind] += 1
    log = run.with_suffix(".log")
    for child in start(run, steps, *how):
        assert os.waitpid(child, 0)[1] == 0, log.read_text()[-2_000:]
    ours, theirs = weights(run), weights(whole)
    equal = len(ours) == len(theirs) and all(map(np.array_equal, ours, theirs))
    return {
        "kills": sum(done.values()),
        "writing": done["writing"],
        "damaged": log.read_text().count("damaged"),
        "starts": starts + 1,
        "seconds": round(time.monotonic() - begin, 1),
        "equal": bool(equal and ours),
        **({"left": round(longest, 1)} if how[1] > 1 else {}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--writing", type=int, default=20)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--steps", type=int, default=6_000)
    values = parser.parse_args()
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
    import neural_gpu_tf.workflows  # noqa: F401  imports all that a start needs

    with tempfile.TemporaryDirectory() as folder:
        how = values.replicas, values.workers
        kills, writing = values.kills, values.writing
        result = compare(Path(folder), values.steps, kills, writing, how)
    print(json.dumps(result))
    sys.exit(not result["equal"])


if __name__ == "__main__":
    main()
