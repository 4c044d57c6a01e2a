"""Greedy decoding of algorithmic tasks, whose answers fill a canvas of known size."""

from typing import Any

from keras import ops

from neural_gpu_tf.constants import GO, PAD
from neural_gpu_tf.decoding.constraint import Constrained
from neural_gpu_tf.decoding.contract import DecodableModel, as_canvases
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.types import Tensor


def all_symbols(model: DecodableModel, source: Tensor, size: Tensor) -> Tensor:
    """The answer to an algorithmic task, free-running.

        o_t = argmax_v log p(v | o_0 … o_{t-1}, source),  t < n_b

    The canvas size of a task follows from the source, and blank is a symbol like any
    other, so decoding never ends early and no symbol is excluded. Ties go to the lowest
    symbol. A model that predicts all symbols at once (`solve`) is called once.

    Args:
        model: see `DecodableModel`.
        source: symbols [h, n], PAD behind the source; n ≥ n_b.
        size: n_b, int [h].

    Returns:
        int32 [h, n]; PAD for t ≥ n_b.

    Raises:
        InputError: the model is under a constraint, which bars symbols; or source and
            size have other shapes.
    """
    if isinstance(model, Constrained):
        raise InputError(
            "all_symbols: no symbol is barred, so a constraint means nothing; use "
            "greedy or beam_search"
        )
    source, size = as_canvases(model, source, size)
    columns = ops.arange(ops.shape(source)[1], dtype="int32")[None, :]
    inside = columns < size[:, None]
    if model.answers_at_once:
        return ops.where(inside, _likeliest(model.solve(source, size)), PAD)

    model_step = model.stepper()

    def goes_on(t: Tensor, *_: Any) -> Tensor:
        return ops.any(t < size)

    def step(t: Tensor, state: Any, previous: Tensor, symbols: Tensor) -> tuple:
        state, logits = model_step(state, previous, t)
        symbol = _likeliest(logits)
        symbols = ops.where(columns == t, symbol[:, None], symbols)
        return t + 1, state, symbol, symbols

    t = ops.convert_to_tensor(0, dtype="int32")
    nothing = ops.zeros_like(source, dtype="int32")
    start = (t, model.start(source, size), ops.full_like(size, GO), nothing)
    symbols = ops.while_loop(goes_on, step, start)[-1]
    return ops.where(inside, symbols, PAD)


def _likeliest(logits: Tensor) -> Tensor:
    """The symbol of the largest logit, of equals the lowest: [..., v] → int32 [...]."""
    _, index = ops.top_k(logits, 1)
    return ops.cast(index[..., 0], "int32")
