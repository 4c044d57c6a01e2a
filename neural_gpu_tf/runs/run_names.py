"""Names of runs that stand beside one another."""

import collections
import os
from collections.abc import Sequence
from pathlib import Path

from neural_gpu_tf.errors import InputError


def run_names(run_dirs: Sequence[str | os.PathLike[str]]) -> list[str]:
    """A name for each run: its directory's, or its path where two have the same one.

    Raises:
        InputError: a run is given twice.
    """
    paths = [Path(path).resolve() for path in run_dirs]
    for path, count in collections.Counter(paths).items():
        if count > 1:
            raise InputError(f"{path}: given {count} times; name each run once")
    known = collections.Counter(path.name for path in paths)
    return [path.name if known[path.name] == 1 else str(path) for path in paths]
