import os

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.training.strategy import batch_parts, mirrored_strategy


@pytest.mark.parametrize(
    "given, replicas, parts", [(0, 1, 6), (0, 2, 3), (0, 9, 1), (4, 1, 4), (1, 2, 1)]
)
def test_a_part_for_each_core_of_a_replica(monkeypatch, given, replicas, parts):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(6)))
    monkeypatch.setattr(
        "tensorflow.config.list_physical_devices", lambda kind: [], raising=True
    )
    assert batch_parts(given, replicas) == parts


@pytest.mark.parametrize(
    "value, message",
    [
        ('{"cluster": {"worker": ["a:1", "b:1"]}}', "TF_CONFIG tells of 2 workers"),
        ('{"cluster": {"chief": ["a:1"], "worker": ["b:1"]}}', "of 2 workers"),
        ("{", "TF_CONFIG: not what TensorFlow reads"),
        ("[]", "TF_CONFIG: not what TensorFlow reads"),
        ('{"cluster": {"worker": ["a:1"]}}', None),
        ("", None),
    ],
)
def test_several_workers_do_not_train_apart_in_silence(monkeypatch, value, message):
    monkeypatch.setenv("TF_CONFIG", value)
    if message is None:
        mirrored_strategy(1)
        return
    with pytest.raises(InputError, match=message) as error:
        mirrored_strategy(1)
    assert "\n" not in str(error.value)
