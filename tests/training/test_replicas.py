import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from neural_gpu_tf.models import MODELS

HERE = Path(__file__).parent
HOW = ["clipped", "unclipped, with a layer's loss"]


def two_replicas(*models):
    """What two_replicas.py prints."""
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, HERE / "two_replicas.py", *models],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def found():
    return two_replicas()


@pytest.mark.parametrize("how", HOW)
def test_two_replicas_train_like_one(found, how):
    answer = found[how]
    assert answer["weights"] < 1e-5
    assert answer["results"] < 1e-4
    assert answer["apart"] == 0
    assert answer["moved"] > 1e-3
    assert answer["norm"] > 0.05  # so the clipping clips
    assert answer["reduced"] == 6  # beside the gradients, each of which is, once


@pytest.mark.slow
def test_every_model_trains_on_two_replicas_as_on_one():
    apart = two_replicas(*MODELS)
    assert list(apart) == list(MODELS)
    assert max(apart.values()) < 1e-6, apart


def test_replicas_stay_equal_under_dropout(found):
    answer = found["dropout"]
    assert answer["apart"] == 0
    assert len(set(answer["losses"])) == 3


def test_replicas_drop_different_cells(found):
    assert found["dropout"]["noise"] > 0.1


@pytest.mark.parametrize("how", HOW)
def test_all_batches_share_one_trace(found, how):
    assert found[how]["traces"] == 1


def test_the_replicas_parts_make_the_batch(found):
    answer = found["epochs"]
    assert answer["equal"] and answer["rows"] == [3]
    assert answer["batches"] > 10
