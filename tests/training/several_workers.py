"""Trains on two workers; run by test_several_workers.py, prints JSON.

python tests/training/several_workers.py FOLDER SCENARIO
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import forked
import numpy as np

TASK = [
    "--task=badd",
    "--model=neural_gpu",
    "--maps=4",
    "--width=1",
    "--layers=1",
    "--task_batch_size=8",
    "--most_bits=3",
    "--validation_bits=2",
    "--validation_cases=4",
    "--clip_norm=0.05",  # less than most gradients' norms here
    "--learning_rate=0.01",
    "--average_decay=0.5",
    "--log_every=1",
    "--train_steps=20",
    "--validate_every=10",
    "--checkpoint_every=4",
]
TRANSLATION = [
    "--model=attention_seq2seq",
    "--units=8",
    "--embedding_size=8",
    "--layers=1",
    "--train_examples=300",
    "--validation_examples=8",
    "--max_number=2000",
    "--max_batch_size=8",
    "--batch_cells=4000",
    "--extra_columns=2",
    "--clip_norm=0.5",
    "--log_every=1",
    "--train_steps=20",
    "--validate_every=10",
    "--validation_sentences=2",
    "--max_source_length=12",
]
PATIENCE = 120.0
LEAVING = 60.0


def weights(run: Path) -> list[np.ndarray]:
    """The best weights and the last ones."""
    import h5py

    found: list[np.ndarray] = []

    def keep(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset):
            found.append(item[()])

    for which in ("best", "last"):
        with h5py.File(run / f"{which}.weights.h5") as file:
            file.visititems(keep)
    return found


def trained(run: Path, flags: list[str], count: int) -> list[int]:
    """Exit statuses of one process, or of several workers, that train."""
    flags, log = [*flags, f"--run_dir={run}"], run.with_suffix(".log")
    if count == 1:
        return forked.statuses([forked.train(log, flags)], PATIENCE)
    return forked.statuses(forked.workers(log, flags, count), PATIENCE)


def same(folder: Path, flags: list[str]) -> dict:
    """How far two workers end from one that has all their batches."""
    one, two = folder / "one", folder / "two"
    status = trained(one, flags, 1) + trained(two, flags, 2)
    assert status == [0, 0, 0], two.with_suffix(".log").read_text()
    pairs = list(zip(weights(two), weights(one), strict=True))
    return {
        "apart": float(max(np.abs(a - b).max() for a, b in pairs)),
        "weights": len(pairs),
        "log": two.with_suffix(".log").read_text(),
    }


def until(path: Path) -> None:
    """Waits for a file."""
    last = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < last, f"{path} does not come"
        time.sleep(0.01)


def stopped(folder: Path, who: int, number: int) -> dict:
    """What comes of a signal to one of two workers, and of a new start of both."""
    whole, run = folder / "whole", folder / "stopped"
    flags = [*TASK, "--dropout=0.1", "--gradient_noise=0.1", "--train_steps=400"]
    assert trained(whole, flags, 2) == [0, 0]
    log = run.with_suffix(".log")
    children = forked.workers(log, [*flags, f"--run_dir={run}"], 2)
    until(run / "checkpoints" / "ckpt-8.index")
    begin = time.monotonic()
    os.kill(children[who], number)
    status = forked.statuses(children, LEAVING)
    seconds, told = time.monotonic() - begin, log.read_text()
    again = trained(run, flags, 2)
    equal = map(np.array_equal, weights(run), weights(whole))
    return {
        "status": status,
        "seconds": seconds,
        "log": told,
        "again": again,
        "resumed": "resuming from step" in log.read_text().removeprefix(told),
        "equal": all(equal),
    }


def selecting(folder: Path) -> dict:
    """What comes of a signal to one of two workers while the chief selects weights."""
    run, log = folder / "run", folder / "run.log"
    flags = [*TASK, "--validation_bits=80", "--selection_cases=800", "--keep_best=2"]
    flags += ["--train_steps=4", "--validate_every=2"]
    children = forked.workers(log, [*flags, f"--run_dir={run}"], 2)
    until(run / "summary.json")
    os.kill(children[1], signal.SIGTERM)
    status = forked.statuses(children, LEAVING)
    told, again = log.read_text(), trained(run, flags, 2)
    return {
        "status": status,
        "log": told,
        "again": again,
        "selected": json.loads((run / "summary.json").read_text())["selected_step"],
    }


def missing(folder: Path) -> dict:
    """What a worker says and does that waits for another."""
    log = folder / "missing.log"
    ports = forked.free_ports(2)
    cluster = {"worker": [f"127.0.0.1:{port}" for port in ports]}
    flags = [*TASK, f"--run_dir={folder / 'run'}", "--worker_deadline=1"]
    begin = time.monotonic()
    status = forked.statuses([forked.worker(log, flags, cluster, 0)], PATIENCE)
    seconds = time.monotonic() - begin
    return {"status": status, "seconds": seconds, "log": log.read_text()}


def differing(folder: Path) -> dict:
    """What two workers say that have different flags."""
    log, run = folder / "differing.log", folder / "run"
    cluster = {"worker": [f"127.0.0.1:{port}" for port in forked.free_ports(2)]}
    flags = [*TASK, f"--run_dir={run}"]
    children = [
        forked.worker(log, [*flags, f"--autoclip={2 * index}"], cluster, index)
        for index in range(2)
    ]
    status = forked.statuses(children, PATIENCE)
    return {"status": status, "log": log.read_text(), "begun": run.exists()}


SCENARIOS = {
    "task": lambda folder: same(
        folder, [*TASK, "--train_steps=8", "--validate_every=8"]
    ),
    "translation": lambda folder: same(folder, TRANSLATION),
    "attempts": lambda folder: same(
        folder, [*TASK, "--attempts=2", "--give_up_at=10", "--give_up_error=0.01"]
    ),
    "buckets": lambda folder: same(folder, [*TASK, "--buckets=3", "--nocurriculum"]),
    "chief_killed": lambda folder: stopped(folder, 0, signal.SIGKILL),
    "worker_killed": lambda folder: stopped(folder, 1, signal.SIGKILL),
    "worker_terminated": lambda folder: stopped(folder, 1, signal.SIGTERM),
    "selecting": selecting,
    "missing": missing,
    "differing": differing,
}


def main() -> None:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import neural_gpu_tf.workflows  # noqa: F401  imports all that a start needs

    folder = Path(sys.argv[1])
    for name in sys.argv[2:]:
        (folder / name).mkdir()
        print(json.dumps({name: SCENARIOS[name](folder / name)}), flush=True)


if __name__ == "__main__":
    main()
