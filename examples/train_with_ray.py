"""Trains on a Ray cluster: Ray sets TF_CONFIG, neural-gpu-train does the rest.

python examples/train_with_ray.py --workers=2 -- --config=demo --run_dir=/shared/demo

Needs `pip install "ray[train]"`, this package on every machine, and a --run_dir that
all of them see. What stands after `--` is given to neural-gpu-train on each worker. If
one is lost, all end, and Ray starts them again, with new addresses: training goes on
from the last checkpoint.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any


def train(config: dict[str, Any]) -> None:
    """One worker's part; a process of its own, as it wants signals and no threads.

    Args:
        config: "flags" of neural-gpu-train.

    Raises:
        subprocess.CalledProcessError: it has failed, or has lost another worker.
    """
    surroundings = dict(os.environ)
    surroundings.pop("TF_USE_LEGACY_KERAS", None)  # Ray sets it; Keras 3 is needed
    command = [sys.executable, "-m", "neural_gpu_tf.bin.train"]
    flags = ["--distribution=multi_worker", *config["flags"]]
    subprocess.run([*command, *flags], env=surroundings, check=True)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cores", type=int, default=1, help="of each worker")
    parser.add_argument("--gpus", type=int, default=0, help="of each worker")
    parser.add_argument("--failures", type=int, default=10, help="-1: any number")
    parser.add_argument("flags", nargs="*", help="of neural-gpu-train, after --")
    values = parser.parse_args(arguments)

    from ray.train import FailureConfig, RunConfig, ScalingConfig
    from ray.train.tensorflow import TensorflowTrainer

    TensorflowTrainer(
        train,
        train_loop_config={"flags": values.flags},
        scaling_config=ScalingConfig(
            num_workers=values.workers,
            use_gpu=values.gpus > 0,
            resources_per_worker={"CPU": values.cores, "GPU": values.gpus},
        ),
        run_config=RunConfig(failure_config=FailureConfig(values.failures)),
    ).fit()


if __name__ == "__main__":
    main(sys.argv[1:])
