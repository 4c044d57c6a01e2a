"""Which names of modules are not there, of [module, name, …] in JSON; prints them.

A process of its own, as the binaries define flags when they are imported.
"""

import importlib
import json
import sys


def gives(module, name):
    """Whether a module has a name, or could where what it imports is installed."""
    try:
        if hasattr(importlib.import_module(module), name):
            return True
        importlib.import_module(f"{module}.{name}")
    except ModuleNotFoundError as error:
        return not error.name.startswith("neural_gpu_tf")
    return True


if __name__ == "__main__":
    names = json.load(sys.stdin)
    print(json.dumps([name for name in names if not gives(*name[:2])]))
