"""Constrained decoding: only symbols that a grammar allows."""

from functools import partial
from typing import Any, NamedTuple, Protocol

from keras import ops

from neural_gpu_tf.constants import EOS, PAD
from neural_gpu_tf.decoding.contract import DecodableModel, Step
from neural_gpu_tf.types import Tensor


class Constraint(Protocol):
    """A grammar: which symbols may come next, step by step.

    A state is a NamedTuple (or another structure) of tensors that all lead with the
    hypotheses, so that a beam can gather it, and whose shapes and types no step
    changes. EOS is a symbol like others: where it is not allowed, no output ends.
    PAD and GO are never allowed, and needn't be forbidden.
    """

    def start(self, source: Tensor, size: Tensor) -> Any:
        """The state before the first step: source [h, n], size n_b [h]."""

    def allowed(self, state: Any, t: Tensor | int) -> Tensor:
        """Which symbols may stand in column t: bool [h, v]."""

    def advance(self, state: Any, symbol: Tensor) -> Any:
        """The state behind one more symbol, [h]; GO and PAD leave it as it is."""


class ConstrainedState(NamedTuple):
    """Decoding state of a constrained model."""

    model: Any
    constraint: Any

    @property
    def attention(self) -> Tensor:
        """The model's, [h, n]; an AttributeError if it has none."""
        return self.model.attention


class Constrained:
    """A model whose outputs are restricted to what a constraint allows.

    It has the `start` and `step` of a model (see `greedy`), so every search but
    `all_symbols`, which bars no symbol, works with it unchanged:

        a_t  = allowed(c_t),  c_0 = start(source, size),  c_{t+1} = advance(c_t, o_t)
        l'_v = l_v                          if v ∈ a_t
               log Σ_{u ∉ a_t} exp l_u      if v = PAD
               -∞                           else

    The logits of forbidden symbols become -∞, and their probability goes to PAD, which
    no search ever outputs. So the logits' normalizer is unchanged, and with it log p(v)
    of every allowed symbol. If the allowed symbols were renormalized instead, a
    hypothesis to which the constraint leaves no choice, as on a canvas that is almost
    too small, would seem likely.

    Args:
        model: see `DecodableModel`.
        constraint: over the same v symbols.
    """

    def __init__(self, model: DecodableModel, constraint: Constraint):
        self.model = model
        self.constraint = constraint
        self.sized = model.sized
        self.attends = model.attends

    answers_at_once = aligns = False

    def solve(self, source: Tensor, size: Tensor) -> Tensor:
        """Not there: what may come next depends on what was said."""
        raise NotImplementedError

    def start(self, source: Tensor, size: Tensor) -> ConstrainedState:
        """Both states before the first step."""
        return ConstrainedState(
            self.model.start(source, size), self.constraint.start(source, size)
        )

    def step(
        self, state: ConstrainedState, previous: Tensor, t: Tensor | int
    ) -> tuple[ConstrainedState, Tensor]:
        """One symbol: previous [h] (o_{t-1}; GO at t = 0) → logits, float32 [h, v]."""
        return self._step(self.model.step, state, previous, t)

    def stepper(self) -> Step:
        return partial(self._step, self.model.stepper())

    def _step(
        self, step: Step, state: ConstrainedState, previous: Tensor, t: Tensor | int
    ) -> tuple[ConstrainedState, Tensor]:
        """`step` by that of the model."""
        constraint = self.constraint.advance(state.constraint, previous)
        model, logits = step(state.model, previous, t)
        logits = ops.cast(logits, "float32")
        symbols = ops.arange(ops.shape(logits)[-1], dtype="int32")
        allowed = ops.logical_and(
            self.constraint.allowed(constraint, t), symbols >= EOS
        )
        nothing = float("-inf")
        forbidden = ops.logsumexp(
            ops.where(allowed, nothing, logits), axis=-1, keepdims=True
        )
        others = ops.where(symbols == PAD, forbidden, nothing)
        return ConstrainedState(model, constraint), ops.where(allowed, logits, others)
