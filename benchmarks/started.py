"""A binary with the time of each part of its start; for `benchmarks.starting`.

python -m benchmarks.started STAMPS.json BEGAN neural_gpu_tf.bin.solve "1 + 1"

STAMPS.json gets "before" (Python, flags), "tensorflow" (its import) and "model" (our
imports, the model and its weights), seconds of the clock since BEGAN (of
`time.monotonic`) and since each other; "graphs", how many were traced, each branch and
body of a loop counted; and "memory", bytes at most.
"""

import atexit
import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.peak_memory import peak_memory


class Stamps:
    """Wraps what ends the parts of a start.

    Args:
        began: the clock when the process was started.
    """

    def __init__(self, began: float):
        self.last = began
        self.told: dict[str, float] = {"graphs": 0}

    def stamp(self, part: str) -> None:
        """Ends a part, unless it has ended before."""
        if part not in self.told:
            now = time.monotonic()
            self.told[part], self.last = now - self.last, now

    def importing(self, import_tensorflow: Callable[[], None]) -> Callable[[], None]:
        """The import, with a stamp before and after; then the rest is wrapped too."""

        def stamped() -> None:
            self.stamp("before")
            import_tensorflow()
            self.stamp("tensorflow")
            from tensorflow.python.framework import func_graph

            from neural_gpu_tf import weights

            name = "func_graph_from_py_func"
            setattr(func_graph, name, self.counted(getattr(func_graph, name)))
            weights.load_weights = self.ending_model(weights.load_weights)

        return stamped

    def counted(self, trace: Callable[..., Any]) -> Callable[..., Any]:
        """Counts the graphs."""

        def counting(*args: Any, **kwargs: Any) -> Any:
            self.told["graphs"] += 1
            return trace(*args, **kwargs)

        return counting

    def ending_model(self, load: Callable[..., None]) -> Callable[..., None]:
        """Ends the part "model" after the first weights are loaded."""

        def stamped(*args: Any) -> None:
            load(*args)
            self.stamp("model")

        return stamped

    def write(self, path: str) -> None:
        """Writes what is told."""
        Path(path).write_text(json.dumps(self.told | {"memory": peak_memory()}))


def main() -> None:
    path, began, name, *_ = sys.argv[1:]
    stamps = Stamps(float(began))
    atexit.register(stamps.write, path)
    from neural_gpu_tf.bin import app

    app.import_tensorflow = stamps.importing(app.import_tensorflow)
    sys.argv = sys.argv[3:]
    importlib.import_module(name).cli()


if __name__ == "__main__":
    main()
