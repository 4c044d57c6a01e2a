"""Ensemble of models that are decoded together."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.models.sequence_model import ModelContract, Step, symbol_inputs
from neural_gpu_tf.types import Tensor


class AttentiveStates(NamedTuple):
    """The states of members that all have attention."""

    members: tuple[Any, ...]
    attention: Tensor  # [batch, n]: the mean of theirs


@keras.saving.register_keras_serializable("neural_gpu_tf")
class Ensemble(ModelContract, keras.Model):
    """A model whose log-probabilities are the mean of its members'.

        log p(v) = 1/M Σ_m log p_m(v) - log Z

    the normalized geometric mean of their distributions. It returns the means without
    the term log Z, as logits: a softmax normalizes them. (An ensemble of independently
    trained models, as in Sutskever et al. 2014, §3.)

    Args:
        members: models of the same vocabulary, at least one. Their kinds may differ;
            the ensemble depends on its canvas's size if one of them does.

    Inputs and output: as those of its members; the output is [batch, n, v].

    Example:
        >>> members = [NeuralGPU(17, maps=24), NeuralGPU(17, maps=12)]
        >>> ensemble, source = Ensemble(members), keras.ops.ones((2, 5), "int32")
        >>> state = ensemble.start(source, keras.ops.array([5, 3]))
        >>> state, logits = ensemble.step(state, keras.ops.array([GO, GO]), 0)
        >>> logits.shape
        (2, 17)
    """

    def __init__(self, members: Sequence[keras.Model], **kwargs: Any):
        super().__init__(**kwargs)
        several = isinstance(members, Sequence)
        if not several or not members:
            given = "an empty list" if several else type(members).__name__
            raise ValueError(f"members: must be a list of models, not {given}")
        for member in members:
            _check_decodes(member)
        sizes = sorted({_vocabulary_size(member) for member in members})
        if len(sizes) > 1:
            raise ValueError(f"members: vocabularies of {sizes} symbols; must be one")
        self.members = list(members)
        self.sized = any(member.sized for member in members)
        self.attends = all(member.attends for member in members)
        self.built = True

    def call(self, inputs: Mapping[str, Tensor], training: bool = False) -> Tensor:
        return _mean_log_p(member(inputs, training=training) for member in self.members)

    def start(self, source: Tensor, size: Tensor) -> Any:
        """The states of all members."""
        return self._with_attention(
            tuple(member.start(source, size) for member in self.members)
        )

    def step(self, state: Any, previous: Tensor, t: Tensor | int) -> tuple[Any, Tensor]:
        """One symbol of every member: previous [batch] → logits [batch, v]."""
        steps = [member.step for member in self.members]
        return self._step(steps, state, previous, t)

    def stepper(self) -> Step:
        return partial(self._step, [member.stepper() for member in self.members])

    def _step(
        self, steps: Sequence[Step], state: Any, previous: Tensor, t: Tensor | int
    ) -> tuple[Any, Tensor]:
        """`step` by those of the members."""
        states = state.members if self.attends else state
        pairs = zip(steps, states, strict=True)
        states, logits = zip(
            *(step(own, previous, t) for step, own in pairs), strict=True
        )
        return self._with_attention(tuple(states)), _mean_log_p(logits)

    def _with_attention(self, states: tuple[Any, ...]) -> Any:
        """The states, with the mean attention if all of them have one."""
        if not self.attends:
            return states
        weights = [ops.cast(state.attention, "float32") for state in states]
        return AttentiveStates(states, sum(weights) / len(weights))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.members[0].compute_output_shape(input_shape)

    def export(
        self,
        filepath: Any,
        format: str = "tf_saved_model",
        verbose: Any = None,
        input_signature: Any = None,
        **kwargs: Any,
    ) -> None:
        """As Keras's; the signature if none is given is that of its members."""
        if input_signature is None:
            specs = {
                name: keras.InputSpec(dtype=x.dtype, shape=x.shape, name=name)
                for name, x in symbol_inputs().items()
            }
            input_signature = [specs]
        super().export(filepath, format, verbose, input_signature, **kwargs)

    def get_config(self) -> dict:
        return {
            "name": self.name,
            "trainable": self.trainable,
            "members": [keras.saving.serialize_keras_object(m) for m in self.members],
        }

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> keras.Model:
        members = [
            keras.saving.deserialize_keras_object(member, custom_objects)
            for member in config["members"]
        ]
        return cls(**config | {"members": members})


def _check_decodes(member: Any) -> None:
    """Raises ValueError unless it has what decoding asks, as the package's models."""
    asked = ("start", "step", "stepper", "sized", "attends")
    missing = [name for name in asked if not hasattr(member, name)]
    if missing or not isinstance(member, keras.Model):
        lacks = f"has no `{missing[0]}`" if missing else "is no keras.Model"
        raise ValueError(
            f"members: {type(member).__name__} {lacks}; give models that can be "
            "decoded, as those of neural_gpu_tf.models"
        )


def _vocabulary_size(member: keras.Model) -> int:
    while isinstance(member, Ensemble):
        member = member.members[0]
    if hasattr(member, "output_shape"):
        return member.output_shape[-1]
    return member.compute_output_spec(symbol_inputs()).shape[-1]  # it is no graph


def _mean_log_p(logits: Any) -> Tensor:
    log_p = [ops.log_softmax(ops.cast(x, "float32"), axis=-1) for x in logits]
    return sum(log_p) / len(log_p)
