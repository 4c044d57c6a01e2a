import pytest


@pytest.fixture
def runner():
    """In this process; every part of the work is done three times, as a runner may."""
    from neural_gpu_tf.pipelines import Runner

    return Runner(options=["--direct_runner_bundle_repeat=2"])
