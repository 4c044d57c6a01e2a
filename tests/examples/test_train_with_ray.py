"""The Ray Train recipe, with a stand-in for Ray."""

import json
import os
import runpy
import sys
import types
from pathlib import Path

import pytest

import neural_gpu_tf
from neural_gpu_tf.training.tf_config import read_cluster

PATH = Path(neural_gpu_tf.__file__).parents[1] / "examples" / "train_with_ray.py"
ADDRESSES = ["10.0.0.1:4567", "10.0.0.2:5678"]


class TensorflowTrainer:
    """Of Ray's trainer what the recipe uses: sets TF_CONFIG, and calls the loop."""

    def __init__(self, loop, *, train_loop_config, scaling_config, run_config):
        self.loop, self.config = loop, train_loop_config
        self.scaling_config, self.run_config = scaling_config, run_config
        TensorflowTrainer.last = self

    def fit(self):
        for index in range(self.scaling_config.num_workers):
            task = {"type": "worker", "index": index}
            values = {"cluster": {"worker": ADDRESSES}, "task": task}
            os.environ["TF_CONFIG"] = json.dumps(values)
            os.environ["TF_USE_LEGACY_KERAS"] = "1"
            self.loop(self.config)


@pytest.fixture
def recipe(monkeypatch):
    """The recipe's names; Ray is the stand-in."""
    monkeypatch.setenv("TF_CONFIG", "")  # restored afterwards
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "")
    train, tensorflow = types.ModuleType("ray.train"), types.ModuleType("tensorflow")
    train.ScalingConfig = train.RunConfig = types.SimpleNamespace
    train.FailureConfig = lambda most: most
    tensorflow.TensorflowTrainer = TensorflowTrainer
    for name, module in {
        "ray": types.ModuleType("ray"),
        "ray.train": train,
        "ray.train.tensorflow": tensorflow,
    }.items():
        monkeypatch.setitem(sys.modules, name, module)
    return runpy.run_path(str(PATH))


def test_each_worker_is_a_process_with_its_own_tf_config(recipe, monkeypatch):
    started = []

    def run(command, env, check):
        assert check
        monkeypatch.setenv("TF_CONFIG", env["TF_CONFIG"])
        started.append((command, env, read_cluster().own))

    monkeypatch.setattr(recipe["subprocess"], "run", run)
    recipe["main"](["--workers=2", "--", "--config=demo", "--run_dir=/shared/demo"])
    assert [own for _, _, own in started] == [0, 1]
    for command, env, _ in started:
        assert command[:3] == [sys.executable, "-m", "neural_gpu_tf.bin.train"]
        given = command[3:]
        assert given == [
            "--distribution=multi_worker",
            "--config=demo",
            "--run_dir=/shared/demo",
        ]
        assert "TF_USE_LEGACY_KERAS" not in env


def test_cores_gpus_and_failures_are_rays(recipe, monkeypatch):
    monkeypatch.setattr(recipe["subprocess"], "run", lambda *_, **__: None)
    recipe["main"](["--workers=1", "--cores=4", "--gpus=2", "--failures=-1"])
    trainer = TensorflowTrainer.last
    assert trainer.scaling_config.use_gpu
    assert trainer.scaling_config.resources_per_worker == {"CPU": 4, "GPU": 2}
    assert trainer.run_config.failure_config == -1
    assert trainer.config == {"flags": []}


@pytest.mark.slow
def test_a_loss_is_an_error_so_that_ray_starts_anew(recipe):
    os.environ["TF_CONFIG"] = "{"  # of which the process makes an end
    with pytest.raises(recipe["subprocess"].CalledProcessError):
        recipe["train"]({"flags": ["--task=badd", "--run_dir=/nowhere/at/all"]})
