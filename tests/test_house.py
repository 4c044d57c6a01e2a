"""The order of the house: which room of the package may import what."""

import ast
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import neural_gpu_tf

PACKAGE = Path(neural_gpu_tf.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
ROOMS = [  # no room imports from a later one
    "tasks",
    "options",
    "curriculum",
    "layers",
    "models",
    "text",
    "data",
    "decoding",
    "parsing",
    "inference",
    "optimizers",
    "training",
    "evaluation",
    "runs",
    "serving",
    "pipelines",
    "workflows",
    "bin",
]
OF_OTHER_ROOMS = {  # all that these may import; the others, whatever stands before
    "layers": set(),
    "models": {"layers", "options"},
    "tasks": set(),
    "options": {"tasks"},
    "curriculum": {"tasks", "options"},
    "text": {"options"},
    "data": {"text", "tasks", "options"},
    "decoding": {"options"},
    "optimizers": {"options"},
    "parsing": {"decoding"},
    "training": {
        *("layers", "models", "tasks", "text", "data", "decoding", "inference"),
        *("options", "optimizers", "curriculum"),
    },
    "evaluation": {
        *("layers", "models", "tasks", "text", "data", "decoding", "parsing"),
        "options",
        "inference",
    },
}
OF_OTHER_PACKAGES = {  # besides the standard library
    "layers": {"keras"},
    "models": {"keras"},
    "decoding": {"keras"},
    "optimizers": {"keras"},
    "parsing": {"keras", "numpy"},
    "tasks": {"numpy"},
    "curriculum": {"numpy"},
    "options": set(),
}
BACKENDS = {
    "layers/dropout_masks.py": {"tensorflow", "jax", "torch"},
    "layers/loops.py": {"tensorflow", "jax", "torch"},
    "layers/operations.py": {"tensorflow", "jax", "torch"},
    "optimizers/clipped_adamax.py": {"tensorflow"},
    "optimizers/fused_adam.py": {"tensorflow"},
}


BINARIES = [
    f"neural_gpu_tf.bin.{path.stem}"
    for path in FILES
    if path.parent.name == "bin" and path.stem != "__init__"
]


def imported(path):
    """The absolute names of all that a file imports, anywhere in it."""
    package = ("neural_gpu_tf", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join((*base, *filter(None, [node.module])))
            if module == "neural_gpu_tf":
                yield from (f"{module}.{alias.name}" for alias in node.names)
            else:
                yield module


def faults(path):
    where = path.relative_to(PACKAGE)
    if where.as_posix() == "__init__.py":
        return  # the front door, whose imports wait until a name is used
    room = where.parts[0] if len(where.parts) > 1 else None
    for name in imported(path):
        top, *inside = name.split(".")
        if top == "neural_gpu_tf":
            other = inside[0] if inside and inside[0] in ROOMS else None
            if other is None or other == room:
                continue
            if room is None:
                yield f"{where} stands outside the rooms and imports {name}"
            elif ROOMS.index(other) > ROOMS.index(room):
                yield f"{where} imports {name}, of a later room"
            elif other not in OF_OTHER_ROOMS.get(room, ROOMS):
                yield f"{where} imports {name}"
        elif room in OF_OTHER_PACKAGES and top not in sys.stdlib_module_names:
            legal = OF_OTHER_PACKAGES[room] | BACKENDS.get(where.as_posix(), set())
            if top not in legal:
                yield f"{where} imports {name}; legal are {', '.join(sorted(legal))}"


def test_imports_point_one_way():
    assert [fault for path in FILES for fault in faults(path)] == []


def test_every_folder_is_a_room():
    folders = {
        path.relative_to(PACKAGE).parts[0] for path in FILES if path.parent != PACKAGE
    }
    assert folders <= set(ROOMS)


OUTSIDE = [
    path
    for folder in ("benchmarks", "examples", "export", "tests")
    for path in sorted((PACKAGE.parent / folder).rglob("*.py"))
]


def test_what_others_import_is_there():
    """Within their functions too, which only a run of an hour may come to."""
    names = {
        (node.module, alias.name, path.relative_to(PACKAGE.parent).as_posix())
        for path in OUTSIDE
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and not node.level
        for alias in node.names
        if node.module.split(".")[0] == "neural_gpu_tf"
    }
    assert len(names) > 500
    program = Path(__file__).with_name("missing_names.py")
    done = subprocess.run(
        [sys.executable, program],
        input=json.dumps(sorted(names)),
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def too_long(path):
    text = path.read_text("utf-8")
    if (lines := text.count("\n")) > 300:
        yield f"{path.name} has {lines} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if (lines := node.end_lineno - node.lineno + 1) > 60:
                yield f"{path.name}: {node.name} has {lines} lines"


def test_files_and_functions_are_short():
    assert [fault for path in FILES + OUTSIDE for fault in too_long(path)] == []


@pytest.mark.parametrize(
    "module, absent",
    [
        ("neural_gpu_tf", {"tensorflow", "keras", "jax", "numpy"}),
        ("neural_gpu_tf.configuration", {"tensorflow", "keras", "jax", "numpy"}),
        ("neural_gpu_tf.tasks", {"tensorflow", "keras", "jax"}),
        ("neural_gpu_tf.options", {"tensorflow", "keras", "jax"}),
        *((binary, {"tensorflow", "keras", "jax"}) for binary in BINARIES),
    ],
)
def test_importing_is_light(module, absent):
    program = f"import sys, {module}; print(*sorted({absent} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_the_lock_has_all_that_development_needs():
    lock = PACKAGE.parent / "requirements" / "lock-py311.txt"
    locked = re.findall(r"^([\w.-]+)==", lock.read_text("utf-8"), re.MULTILINE)
    known = {normalized(name) for name in locked}
    for needed in importlib.metadata.requires("neural-gpu-tf") or ():
        extra = re.search('extra == "(.*)"', needed)
        if not extra or extra[1] in ("dev", "docs"):
            assert normalized(re.split(r"[<>=; ]", needed)[0]) in known


def normalized(name):
    return re.sub(r"[-_.]+", "-", name).lower()
