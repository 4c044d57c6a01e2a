"""A user's own modules, which add models and tasks before names are looked up."""

import importlib
import importlib.util
import sys
from pathlib import Path

from neural_gpu_tf.errors import InputError


def import_own(names: str) -> None:
    """Imports modules; each once.

    Args:
        names: modules ("mine.models") or files ("mine.py"), with commas between. They
            add to `neural_gpu_tf.MODELS` and `neural_gpu_tf.TASKS`.

    Raises:
        InputError: there is no such module or file, or it can't be imported.
    """
    for name in filter(None, map(str.strip, names.split(","))):
        if name.endswith(".py"):
            _import_file(Path(name).resolve())
            continue
        try:
            importlib.import_module(name)
        except Exception as error:
            raise InputError(
                f"imports={name}: can't be imported: {type(error).__name__}: {error}; "
                "name a module that Python finds, see PYTHONPATH, or a file"
            ) from error


def absolute(names: str) -> str:
    """The same modules, files by their absolute paths."""
    return ",".join(
        str(Path(name).resolve()) if name.endswith(".py") else name
        for name in map(str.strip, names.split(","))
    )


def _import_file(path: Path) -> None:
    name = f"neural_gpu_tf.own:{path}"
    if name in sys.modules:
        return
    if not path.is_file():
        raise InputError(f"imports={path}: no such file; put it back, or name another")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InputError(
            f"imports={path}: can't be imported: {type(error).__name__}: {error}"
        ) from error
