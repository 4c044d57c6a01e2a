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
from neural_gpu_tf.tasks import BcdMultiplication, ListTask, NumberTask, Task

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


def _described(name: str, model: Any, task: Any) -> dict[str, Any]:
    """What the page needs of a run, as JSON has it."""
    number = isinstance(task, NumberTask) and not isinstance(task, BcdMultiplication)
    plain = number and (task.layout, task.operands) == ("padded", 2)
    if not isinstance(model, DiagonalNeuralGPU) or not (
        plain or isinstance(task, ListTask)
    ):
        raise InputError(
            f"{name}: {type(model).__name__} on {task.name}; the page computes sums "
            "and products of two numbers, and lists, by a DiagonalNeuralGPU"
        )
    options, units = model.get_config(), model.encoder.units
    if options["width"] != 1 or options["relaxations"] != 1:
        raise InputError(f"{name}: the page computes on a width of 1, by one set")
    weights = {
        "embeddings": model.source_embedding.embeddings,
        "readout": model.get_layer("readout").kernel,
    }
    for i, unit in enumerate(units):
        weights[f"{i}_gates"] = unit.update_and_reset_kernel
        weights[f"{i}_candidate"] = unit.candidate_kernel
        weights[f"{i}_gates_bias"] = unit.update_and_reset_bias
        weights[f"{i}_candidate_bias"] = unit.candidate_bias
    shortest = task.columns(2) - task.columns(1)
    return {
        "name": name,
        "task": task.name,
        "title": TITLES.get(task.name, task.name),
        "kind": "number" if plain else "list",
        **(_numbers(task) if plain else {"example": "3 1 4 1 5 9 2 6"}),
        "about": f"{name}: {model.count_params():,} weights, {options['maps']} maps.",
        "symbols": list(task.symbols),
        "cells": 1 if plain else shortest,
        "blank": task.blank_columns,
        "maps": options["maps"],
        "layers": len(units),
        "pad_learned": options["padding"] == "learned",
        "weights": {key: _base64(value) for key, value in weights.items()},
    }


def _numbers(task: NumberTask) -> dict[str, Any]:
    """What the page needs of a task on numbers."""
    return {
        "base": task.base,
        "operator": task.operator,
        "separator": task.separator,
        "example": f" {task.operator} ".join(EXAMPLES[task.base]),
    }


def _base64(values: Any) -> str:
    numbers = np.asarray(keras.ops.convert_to_numpy(values), "<f4")
    return base64.b64encode(numbers.tobytes()).decode()
