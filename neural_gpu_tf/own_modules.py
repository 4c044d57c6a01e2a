"""A user's own modules, which add models and tasks before names are looked up."""

import importlib
import importlib.util
import sys
from pathlib import Path

from neural_gpu_tf.errors import InputError

_OWN = "neural_gpu_tf.own:"  # in front of the path, in sys.modules


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


def require_own(names: str, where: str) -> None:
    """Checks that the modules that a run needs are imported; never imports one.

    What a run's config.json names is code, and a run may be a stranger's: so the user
    names it too. A file may stand elsewhere now; its name is what counts.

    Args:
        names: as for `import_own`.
        where: what needs them, for the message.

    Raises:
        InputError: one is not imported.
    """
    files = {Path(name).name for name in sys.modules if name.startswith(_OWN)}
    for name in filter(None, map(str.strip, names.split(","))):
        known = files if name.endswith(".py") else sys.modules
        if Path(name).name not in known and name not in known:
            raise InputError(
                f"{where}: this model needs {name}, code that would run here; if you "
                f"trust it: imports={name}"
            )


def absolute(names: str) -> str:
    """The same modules, files by their absolute paths.

    Raises:
        InputError: such a path has a comma.
    """
    modules = [
        str(Path(name).resolve()) if name.endswith(".py") else name
        for name in map(str.strip, names.split(","))
    ]
    for path in modules:
        if "," in path:
            raise InputError(
                f"imports={path}: a comma, which stands between modules; move the file "
                "to another folder"
            )
    return ",".join(modules)


def _import_file(path: Path) -> None:
    name = f"{_OWN}{path}"
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
