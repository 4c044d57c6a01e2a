"""Greedy decoding, and the loop that it shares with sampling."""

from collections.abc import Callable
from typing import Any, NamedTuple

from keras import ops

from neural_gpu_tf.constants import EOS, GO, PAD
from neural_gpu_tf.decoding.contract import DecodableModel, as_canvases
from neural_gpu_tf.decoding.decoded import Decoded
from neural_gpu_tf.types import Tensor

Choose = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


class _Carry(NamedTuple):
    """What the loop carries from step to step, of h hypotheses."""

    t: Tensor  # int32 []
    state: Any  # the model's
    previous: Tensor  # int32 [h]: o_{t-1}
    symbols: Tensor  # int32 [h, n]
    log_probability: Tensor  # float32 [h]
    finished: Tensor  # bool [h]

    def running(self, size: Tensor) -> Tensor:
        """Which have not ended, with EOS or with their canvas: bool [h]."""
        return ops.logical_and(self.t < size, ops.logical_not(self.finished))


def greedy(model: DecodableModel, source: Tensor, size: Tensor) -> Decoded:
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
        # Of equals the first; faster than Keras's argmax, which looks for -0.0.
        logit, index = ops.top_k(output, 1)
        return index[:, 0], logit[:, 0]

    return free_running(model, source, size, likeliest)


def free_running(
    model: DecodableModel, source: Tensor, size: Tensor, choose: Choose
) -> Decoded:
    """Decodes each canvas, one hypothesis each.

    It is free-running: o_{t-1} is the model's own symbol, GO at t = 0. A hypothesis
    ends with EOS or with its canvas, after n_b symbols; the loop with the last of them.

    The log-probability is the sum of the model's own log p(o_t): PAD and GO are never
    chosen, but their share of the softmax is not given to others.

    Args:
        model: see `DecodableModel`.
        source: symbols [h, n], PAD behind the source; n ≥ n_b.
        size: n_b, int [h], at least 1.
        choose: `choose(output [h, v - 2], t) -> (index [h], output at index [h])`:
            which symbol to say at step t, by the logits of EOS and all that follow.

    Returns:
        [h]; the score is the log-probability. Where nothing is allowed, no output.

    Raises:
        InputError: source and size have other shapes.
    """
    source, size = as_canvases(model, source, size)
    columns = ops.arange(ops.shape(source)[1], dtype="int32")[None, :]
    model_step = model.stepper()

    def step(*values: Any) -> _Carry:
        carry = _Carry(*values)
        t, state, previous, symbols, log_probability, finished = carry
        state, logits = model_step(state, previous, t)
        logits = ops.cast(logits, "float32")
        index, logit = choose(logits[:, EOS:], t)  # neither PAD nor GO
        symbol = ops.cast(index, "int32") + EOS
        log_p = logit - ops.logsumexp(logits, axis=-1)
        running = carry.running(size)
        symbol = ops.where(running, symbol, PAD)
        return _Carry(
            t + 1,
            state,
            symbol,
            ops.where(columns == t, symbol[:, None], symbols),
            log_probability + ops.where(running, log_p, 0.0),
            ops.logical_or(finished, symbol == EOS),
        )

    start = _Carry(
        t=ops.convert_to_tensor(0, dtype="int32"),
        state=model.start(source, size),
        previous=ops.full_like(size, GO),
        symbols=ops.zeros_like(source, dtype="int32"),
        log_probability=ops.zeros_like(size, dtype="float32"),
        finished=ops.zeros_like(size, dtype="bool"),
    )
    *_, symbols, log_p, finished = ops.while_loop(
        lambda *carry: ops.any(_Carry(*carry).running(size)), step, start
    )
    decoded = Decoded(symbols, log_p, finished, score=log_p, size=size)
    return decoded.only_where(log_p > float("-inf"))
