import os

import pytest
import toy

from neural_gpu_tf.cores import usable_cores
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.optimizers import build_optimizer
from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.training.distribution import distribution
from neural_gpu_tf.training.strategy import batch_parts
from neural_gpu_tf.training.train_step import TrainStep


def use_six_cores(monkeypatch):
    monkeypatch.setattr(
        os, "sched_getaffinity", lambda process: set(range(6)), raising=False
    )


@pytest.mark.parametrize(
    "limit, cores",
    [("max 100000", 6), ("250000 100000", 3), ("10000 100000", 1), ("", 6)],
)
def test_a_container_has_the_cores_of_its_limit(monkeypatch, tmp_path, limit, cores):
    use_six_cores(monkeypatch)
    monkeypatch.setattr("neural_gpu_tf.cores.CGROUP", tmp_path)
    assert usable_cores() == 6
    (tmp_path / "cpu.max").write_text(f"{limit}\n")
    assert usable_cores() == cores


@pytest.mark.parametrize(
    "given, replicas, parts", [(0, 1, 6), (0, 2, 3), (0, 9, 1), (4, 1, 4), (1, 2, 1)]
)
def test_a_part_for_each_core_of_a_replica(monkeypatch, given, replicas, parts):
    use_six_cores(monkeypatch)
    monkeypatch.setattr(
        "tensorflow.config.list_physical_devices", lambda kind: [], raising=True
    )
    assert batch_parts(given, replicas) == parts


@pytest.mark.parametrize(
    "value, message",
    [
        ('{"cluster": {"worker": ["a:1", "b:1"]}}', "TF_CONFIG names 2 workers"),
        ('{"cluster": {"chief": ["a:1"], "worker": ["b:1"]}}', "names 2 workers"),
        ("{", "TF_CONFIG: not JSON"),
        ("[]", "TF_CONFIG: .* an object must stand"),
        ('{"cluster": {"worker": ["a:1"]}}', None),
        ("", None),
    ],
)
@pytest.mark.parametrize("kind", ["mirrored", "one_device"])
def test_several_workers_do_not_train_apart_in_silence(
    monkeypatch, kind, value, message
):
    monkeypatch.setenv("TF_CONFIG", value)
    training = TrainingConfig(distribution=kind)
    if message is None:
        with distribution(training) as (strategy, workers):
            assert strategy.num_replicas_in_sync == 1 and workers.chief
        return
    with pytest.raises(InputError, match=message) as error, distribution(training):
        pass
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"distribution": "multi_worker"}, "TF_CONFIG names no cluster"),
        ({"distribution": "one_device", "replicas": 2}, "replicas=2: .*one_device has"),
    ],
)
def test_what_can_not_be_distributed_is_told(monkeypatch, options, message):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    with pytest.raises(InputError, match=message) as error:
        with distribution(TrainingConfig(**options)):
            pass
    assert "\n" not in str(error.value)


def test_replicas_are_not_for_several_workers(monkeypatch):
    cluster = '{"worker": ["a:1", "b:1"]}'
    task = '{"type": "worker", "index": 0}'
    monkeypatch.setenv("TF_CONFIG", f'{{"cluster": {cluster}, "task": {task}}}')
    training = TrainingConfig(distribution="multi_worker", replicas=2)
    with pytest.raises(InputError, match="replicas=2: with distribution=multi_worker"):
        with distribution(training):
            pass


def test_one_device_computes_what_mirrored_does():
    def trained(kind):
        config = TrainingConfig(distribution=kind, clip_norm=0.1, average_decay=0.5)
        with distribution(config) as (strategy, _):
            with strategy.scope():
                model = toy.model(dropout=0.3)
                optimizer = build_optimizer(config)
                optimizer.build(model.trainable_variables)
            step = TrainStep(model, optimizer, config, strategy)
            results = [[float(x) for x in step(toy.batch(n))] for n in range(3)]
        return results, toy.weights(model)

    one, mirrored = trained("one_device"), trained("mirrored")
    assert one[0] == mirrored[0]
    assert toy.equal(one[1], mirrored[1])
