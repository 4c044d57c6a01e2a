"""Relaxation penalty that merges weight sets."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import keras
import tensorflow as tf
from absl import logging

_FACTOR = 1.2
_STEPS = 50
_ENOUGH = 1.0


@runtime_checkable
class RelaxedLayer(Protocol):
    """A layer with several sets of weights, like `ActiveMemoryEncoder`."""

    @property
    def relaxed_weights(self) -> Sequence[Sequence[keras.Variable]]:
        """For each weight the variables of the r sets; nothing if r = 1."""


class RelaxationPull(tf.Module):
    """Pulls the sets of weights that steps cycle through together, and merges them.

    It adds to the loss

        pull · Σ_θ Σ_i |θ_i - θ̄|²,   θ̄ = 1/r Σ_i θ_i

    over each weight θ and its r sets, of gradient 2 pull (θ_i - θ̄). The pull starts
    small. Whenever the curriculum makes progress, but at most every 50 steps, it
    becomes 1.2 times as large: at a new length, and at the longest one while the
    running share of examples right is beyond the threshold. Beyond 1 the relaxation is
    over: after every step from there on θ̄ takes the place of all θ_i, and what is
    trained is one set. (Kaiser & Sutskever 2016, §3, "parameter sharing relaxation".
    There the sets become one as soon as the curriculum reaches the longest length;
    here when the pull has brought them close.)

    Where nothing makes progress, as in translation, the pull stays as it is, and the
    sets stay apart.

    Args:
        model: its layers name the sets (`ActiveMemoryEncoder.relaxed_weights`). With
            no sets nothing here does anything.
        start: the pull at first; 0 never grows.
    """

    def __init__(self, model: keras.Model, start: float):
        super().__init__()
        place = {id(weight): i for i, weight in enumerate(model.trainable_variables)}
        self.sets = [
            [place[id(weight)] for weight in weights]
            for layer in model.layers
            if isinstance(layer, RelaxedLayer)
            for weights in layer.relaxed_weights
        ]  # of each weight the places of the θ_i among the trainable variables
        aggregation = tf.VariableAggregation.ONLY_FIRST_REPLICA
        self.value = tf.Variable(start, trainable=False, aggregation=aggregation)
        self._steps = tf.Variable(0, trainable=False, aggregation=aggregation)

    def add_gradients(
        self, gradients: Sequence[tf.Tensor], variables: Sequence[Any]
    ) -> list[tf.Tensor]:
        """The gradients of all trainable variables with that of the cost added."""
        gradients = list(gradients)
        for places in self.sets:
            mean = _mean(variables, places)
            for i in places:
                gradients[i] += 2.0 * self.value * (variables[i] - mean)
        return gradients

    def observe(self, progress: bool, variables: Sequence[Any]) -> bool:
        """Takes note of a step that is done; `unify`.

        Returns:
            Whether the relaxation is over now and was not before.
        """
        if not self.sets or self.over:
            self.unify(variables)
            return False
        self._steps.assign_add(1)
        if progress and int(self._steps.read_value()) >= _STEPS:
            self.value.assign(_FACTOR * self.value.read_value())
            self._steps.assign(0)
        self.unify(variables)
        return self.over

    def unify(self, variables: Sequence[Any]) -> None:
        """If the relaxation is over, θ_i = θ̄, for all trainable variables given."""
        if not self.over:
            return
        for places in self.sets:
            mean = _mean(variables, places)
            for i in places:
                variables[i].assign(mean)

    @property
    def over(self) -> bool:
        """Whether the sets are one."""
        return float(self.value.read_value()) > _ENOUGH

    def warn_if_apart(self) -> None:
        """Logs a warning if there are sets that are not one."""
        if self.sets and not self.over:
            logging.warning(
                "the sets of weights are still apart: the pull is %.3g, and it must "
                "grow beyond 1 as the curriculum makes progress",
                *self.scalars().values(),
            )

    def scalars(self) -> dict[str, float]:
        """For the log, if there are sets."""
        return {"pull": float(self.value.read_value())} if self.sets else {}


def _mean(variables: Sequence[Any], places: Sequence[int]) -> tf.Tensor:
    """θ̄ of the variables at these places."""
    values = [tf.convert_to_tensor(variables[i]) for i in places]
    return tf.add_n(values) / len(values)
