"""Scripts in a process of their own, under another backend than TensorFlow."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import neural_gpu_tf

TESTS = Path(__file__).parent
NO_TORCH = pytest.mark.skipif(
    not (importlib.util.find_spec("torch") or os.environ.get("CI")),
    reason="PyTorch is not installed: pip install torch",
)
BACKENDS = ["jax", pytest.param("torch", marks=NO_TORCH)]


def output_under(backend, script, *arguments, cwd=None):
    """What a script prints under KERAS_BACKEND=backend; it must not fail."""
    done = subprocess.run(
        [sys.executable, script, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=os.environ
        | {
            "KERAS_BACKEND": backend,
            "JAX_PLATFORMS": "cpu",
            "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",  # compiles in half the time
            "PYTHONPATH": os.pathsep.join(
                [str(Path(neural_gpu_tf.__file__).parents[1]), str(TESTS)]
            ),
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
