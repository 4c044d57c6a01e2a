"""HTML that computes with trained weights in a browser, without a server."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import keras
import numpy as np
from markupsafe import Markup

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.report_page import page_templates
from neural_gpu_tf.models import DiagonalNeuralGPU
from neural_gpu_tf.tasks import (
    BcdMultiplication,
    ListTask,
    NumberTask,
    StringTask,
    Task,
)

TITLES = {
    "badd": "add binary numbers",
    "qadd": "add numbers in base 4",
    "add": "add decimal numbers",
    "bmul": "multiply binary numbers",
    "qmul": "multiply numbers in base 4",
    "mul": "multiply decimal numbers",
    "rev": "reverse a list",
    "dup": "say a list twice",
    "sort": "sort a list",
    "bsort": "sort bits",
    "even-pairs": "count ab and ba, even or odd",
    "parity-check": "count b, even or odd",
    "cycle-navigation": "walk on a circle of 5",
    "stack-manipulation": "push and pop",
    "reverse-string": "reverse a string",
    "modular-arithmetic": "compute modulo 5",
    "modular-brackets": "compute modulo 5, in brackets",
    "solve-equation": "solve an equation modulo 5",
    "duplicate-string": "say a string twice",
    "missing-duplicate": "find what is hidden in two copies",
    "odds-first": "every second character first",
    "binary-addition": "add binary numbers of any widths",
    "binary-multiplication": "multiply binary numbers of any widths",
    "compute-sqrt": "square root of a binary number",
    "bucket-sort": "sort five kinds of symbols",
}
EXAMPLES = {
    2: ("110101", "1011"),
    4: ("302131", "1203"),
    10: ("271828", "3141"),
}
"""Operands of the question that the page shows, by base."""


def play_page(runs: Mapping[str, tuple[keras.Model, Task]]) -> str:
    """The page: one file that needs no other.

    It has the weights as float32, and does what `DiagonalNeuralGPU` does, step by step.

    Args:
        runs: model and task by the name that the page's address may give:
            play.html#badd:1011+110 shows that sum.

    Raises:
        InputError: a model or a task that the page can't compute.
    """
    models = json.dumps([_described(name, *run) for name, run in runs.items()])
    # The one thing that would end the script that holds it.
    models = models.replace("<", "\\u003c")
    return page_templates().get_template("play.html").render(models=Markup(models))


def _fault(model: Any, task: Task) -> str:
    """What keeps the page from computing it; "" if nothing does."""
    if not isinstance(model, DiagonalNeuralGPU) or not _asked(task):
        return (
            f"{type(model).__name__} on {task.name}; the page computes sums and "
            "products of two numbers, lists and strings, by a DiagonalNeuralGPU"
        )
    if any(layer.quantization_mode for layer in model._flatten_layers()):
        return "the page computes with float weights, and these are quantized"
    options = model.get_config()
    if options["width"] != 1 or options["relaxations"] != 1:
        return "the page computes on a width of 1, by one set"
    return ""


def _described(name: str, model: Any, task: Any) -> dict[str, Any]:
    """What the page needs of a run, as JSON has it."""
    if fault := _fault(model, task):
        raise InputError(f"{name}: {fault}")
    options, units = model.get_config(), model.encoder.units
    weights = {
        "embeddings": model.source_embedding.embeddings,
        "readout": model.get_layer("readout").kernel,
    }
    for i, unit in enumerate(units):
        weights[f"{i}_gates"] = unit.update_and_reset_kernel
        weights[f"{i}_candidate"] = unit.candidate_kernel
        weights[f"{i}_gates_bias"] = unit.update_and_reset_bias
        weights[f"{i}_candidate_bias"] = unit.candidate_bias
    return {
        "name": name,
        "task": task.name,
        "title": TITLES.get(task.name, task.name),
        **(_asked(task) or {}),
        "about": f"{name}: {model.count_params():,} weights, {options['maps']} maps.",
        "symbols": list(task.symbols),
        "blank": task.blank_columns,
        "maps": options["maps"],
        "layers": len(units),
        "pad_learned": options["padding"] == "learned",
        "weights": {key: _base64(value) for key, value in weights.items()},
    }


def _asked(task: Task) -> dict[str, Any] | None:
    """What the page needs to read a task's questions, if it can."""
    if isinstance(task, StringTask):
        own = {"kind": "string", **_strings(task)}
    elif isinstance(task, ListTask):
        if type(task).read is not ListTask.read:
            return None
        most = max(task.word, task.group)
        own = {"kind": "list", "group": task.group, "most": most}
    elif isinstance(task, NumberTask) and not isinstance(task, BcdMultiplication):
        if (task.layout, task.operands) != ("padded", 2):
            return None
        own = {"kind": "number", **_numbers(task)}
    else:
        return None
    room = _room(task)
    return room and {"example": _example(task, 9), **own, **room}


def _numbers(task: NumberTask) -> dict[str, Any]:
    return {
        "base": task.base,
        "operator": task.operator,
        "signs": task.signs,
        "separator": task.separator,
        "example": f" {task.operator} ".join(EXAMPLES[task.base]),
    }


def _strings(task: StringTask) -> dict[str, Any]:
    return {
        "alphabet": task.alphabet,
        "shortest": task.shortest,
        "patterns": list(task.patterns or (".*",)),
        "inner": list(task.inner),
    }


def _room(task: Task) -> dict[str, Any] | None:
    """Where a question of n symbols has cells · n + more columns, these two."""
    sources = [task.parse(_example(task, bits)) for bits in (3, 5, 9, 17, 33)]
    sizes = {int(np.count_nonzero(x)): int(task.extent(x)) for x in sources}
    if len(found := list(sizes.items())[:3]) < 3:
        return None
    (n, columns), (next_n, next_columns), _ = found
    cells = (next_columns - columns) // (next_n - n)
    more = columns - cells * n
    linear = all(cells * n + more == columns for n, columns in found)
    return {"cells": cells, "more": more} if linear else None


def _example(task: Task, bits: int) -> str:
    """A random question."""
    source, _ = task.generate(np.random.default_rng(bits), task.canvas(bits), 1)
    return task.format(source[0])


def _base64(values: Any) -> str:
    numbers = np.asarray(keras.ops.convert_to_numpy(values), "<f4")
    return base64.b64encode(numbers.tobytes()).decode()
