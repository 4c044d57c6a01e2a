"""Greedy decoding, and the loop of all decoding that keeps one hypothesis."""

from collections.abc import Callable
from typing import Any, NamedTuple

from keras import ops

from neural_gpu_tf.constants import EOS, GO, PAD
from neural_gpu_tf.decoding.contract import DecodableModel
from neural_gpu_tf.types import Tensor

Choose = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


class Hypotheses(NamedTuple):
    """Outputs of equally many steps or fewer, one a row."""

    symbols: Tensor  # int32 [h, n]; PAD behind EOS
    log_probability: Tensor  # float32 [h]; natural logarithm, EOS included
    finished: Tensor  # bool [h]: whether EOS came within the canvas


def greedy(model: DecodableModel, source: Tensor, size: Tensor) -> Hypotheses:
    """Decodes each canvas, taking the most likely symbol at every step.

        o_t = argmax_v log p(v | o_0 … o_{t-1}, source),  v neither PAD nor GO

    Of equally likely symbols the lowest wins.

    Args:
        model, source, size: see `free_running`.

    Example:
        >>> model = NeuralGPU(vocabulary_size=17, maps=24)
        >>> source = keras.ops.array([[3, 5, 4, EOS], [3, EOS, PAD, PAD]])
        >>> greedy(model, source, keras.ops.array([4, 2])).symbols.shape
        (2, 4)
    """

    def likeliest(output: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        return ops.argmax(output, axis=-1), ops.max(output, axis=-1)

    return free_running(model, source, size, likeliest)


def free_running(
    model: DecodableModel, source: Tensor, size: Tensor, choose: Choose
) -> Hypotheses:
    """Decodes each canvas, one hypothesis each.

    It is free-running: o_{t-1} is the model's own symbol, GO at t = 0. A hypothesis
    ends with EOS or with its canvas, after n_b symbols; the loop ends with the last
    hypothesis.

    The log-probability is the sum of the model's own log p(o_t): PAD and GO, which
    are no output, are never chosen, but their share of the softmax is not given to
    others. A model that has learned anything gives them next to none.

    Args:
        model: see `DecodableModel`.
        source: symbols [h, n], PAD behind the source; n ≥ n_b.
        size: n_b, int [h], at least 1.
        choose: `choose(output [h, v - 2], t) -> (index [h], output at index [h])`:
            which symbol to say at step t, by the logits of EOS and all that follow.
    """
    size = ops.cast(size, "int32")
    columns = ops.arange(ops.shape(source)[1], dtype="int32")[None, :]
    nothing = Hypotheses(
        symbols=ops.zeros_like(source, dtype="int32"),
        log_probability=ops.zeros_like(size, dtype="float32"),
        finished=ops.zeros_like(size, dtype="bool"),
    )

    def running(t: Tensor, hypotheses: Hypotheses) -> Tensor:
        return ops.logical_and(t < size, ops.logical_not(hypotheses.finished))

    def any_running(t: Tensor, _: Any, __: Tensor, hypotheses: Hypotheses) -> Tensor:
        return ops.any(running(t, hypotheses))

    def step(t: Tensor, state: Any, previous: Tensor, hypotheses: Hypotheses) -> tuple:
        state, logits = model.step(state, previous, t)
        logits = ops.cast(logits, "float32")
        index, logit = choose(logits[:, EOS:], t)  # neither PAD nor GO
        symbol = ops.cast(index, "int32") + EOS
        log_p = logit - ops.logsumexp(logits, axis=-1)
        alive = running(t, hypotheses)
        symbol = ops.where(alive, symbol, PAD)
        hypotheses = Hypotheses(
            ops.where(columns == t, symbol[:, None], hypotheses.symbols),
            hypotheses.log_probability + ops.where(alive, log_p, 0.0),
            ops.logical_or(hypotheses.finished, symbol == EOS),
        )
        return t + 1, state, symbol, hypotheses

    t = ops.convert_to_tensor(0, dtype="int32")
    go = ops.full_like(size, GO)
    start = (t, model.start(source, size), go, nothing)
    return ops.while_loop(any_running, step, start)[-1]
