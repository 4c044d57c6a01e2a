"""Scripts in a process of their own, under KERAS_BACKEND=jax."""

import os
import subprocess
import sys
from pathlib import Path

import neural_gpu_tf

TESTS = Path(__file__).parent


def output_under_jax(script, *arguments, cwd=None):
    """What a script prints; it must not fail."""
    done = subprocess.run(
        [sys.executable, script, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=os.environ
        | {
            "KERAS_BACKEND": "jax",
            "JAX_PLATFORMS": "cpu",
            "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",  # compiles in half the time
            "PYTHONPATH": os.pathsep.join(
                [str(Path(neural_gpu_tf.__file__).parents[1]), str(TESTS)]
            ),
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
