import os

import pytest

from neural_gpu_tf.training.strategy import batch_parts


@pytest.mark.parametrize(
    "given, replicas, parts", [(0, 1, 6), (0, 2, 3), (0, 9, 1), (4, 1, 4), (1, 2, 1)]
)
def test_a_part_for_each_core_of_a_replica(monkeypatch, given, replicas, parts):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(6)))
    monkeypatch.setattr(
        "tensorflow.config.list_physical_devices", lambda kind: [], raising=True
    )
    assert batch_parts(given, replicas) == parts
