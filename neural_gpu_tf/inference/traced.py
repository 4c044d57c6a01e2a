"""Graphs of a model's object that follow the model's weights."""

from collections.abc import Callable
from typing import Any, TypeVar

import keras
import tensorflow as tf

from neural_gpu_tf.errors import InputError

_Method = TypeVar("_Method", bound=Callable)


class _Graphs(dict):
    """Graphs by method. A deep copy of their owner has other weights, so none yet."""

    def __deepcopy__(self, memo: dict) -> "_Graphs":
        return _Graphs()


class traced:
    """Decorator: a method as a `tf.function`, traced anew for other weights.

    Keras's `quantize` and `enable_lora` replace a model's variables; a graph that was
    traced before keeps those that it has seen. The object has the model as `model`.

    Args:
        signature: the `tf.TensorSpec` of each argument.

    Raises:
        InputError: when called: Keras runs on another backend than TensorFlow.
    """

    def __init__(self, *signature: tf.TensorSpec):
        self.signature = signature

    def __call__(self, method: _Method) -> _Method:
        self.method = method
        return self  # type: ignore[return-value]  # is called as the method is

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self.method
        if (backend := keras.backend.backend()) != "tensorflow":
            raise InputError(
                f"KERAS_BACKEND={backend}: this is a TensorFlow graph; set it to "
                "tensorflow, or decode with neural_gpu_tf.greedy or beam_search"
            )
        graphs = owner.__dict__.setdefault("_graphs", _Graphs())
        weights = getattr(owner.model, "weights", [])
        before, graph = graphs.get(self.method, (None, None))
        if before is None or list(map(id, before)) != list(map(id, weights)):
            bound = self.method.__get__(owner)
            graph = tf.function(bound, input_signature=self.signature, autograph=False)
            graphs[self.method] = weights, graph  # the ids are theirs while they live
        return graph
