"""Base of all models: the contract that training, decoding and serving rely on."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import keras

from neural_gpu_tf.configuration import whole_number
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.kept_parts import kept_parts, restored
from neural_gpu_tf.types import Tensor

Step = Callable[[Any, Tensor, Tensor | int], tuple[Any, Tensor]]
"""`ModelContract.step` and what `stepper` returns."""


def embedding(
    vocabulary_size: int, dimension: int, initializer: Any, name: str, **kwargs: Any
) -> keras.layers.Embedding:
    """An embedding of symbols, whose numbers are drawn for it alone."""
    vocabulary_size = whole_number("vocabulary_size", vocabulary_size, 1)
    dimension = whole_number("embedding_size", dimension, 1)
    return keras.layers.Embedding(
        vocabulary_size,
        dimension,
        embeddings_initializer=fresh(initializer, name),
        name=name,
        **kwargs,
    )


def symbol_inputs() -> dict[str, keras.KerasTensor]:
    """Inputs of a model: source and target [batch, n] symbols, size [batch]."""
    return {
        "source": keras.Input([None], dtype="int32", name="source"),
        "target": keras.Input([None], dtype="int32", name="target"),
        "size": keras.Input([], dtype="int32", name="size"),
    }


def serialized(initializer: Any) -> Any:
    """An initializer, by name or not, as `get_config` keeps it."""
    return keras.initializers.serialize(keras.initializers.get(initializer))


class ModelContract:
    """What training, decoding, evaluation and serving ask of a model."""

    sized = True
    """Whether an output depends on the size of its canvas."""

    attends = False
    """Whether decoding states have a field `attention` [batch, n], the weights of the
    source's symbols in the last step."""

    aligns = False
    """Whether there is `alignments`."""

    answers_at_once = False
    """Whether there is `solve`."""

    def start(self, source: Tensor, size: Tensor) -> Any:
        """The state to decode from: source [batch, n] symbols, size n_b [batch].

        A state is a nest of tensors that all lead with the batch, so that a beam can
        gather it.
        """
        raise NotImplementedError

    def step(self, state: Any, previous: Tensor, t: Tensor | int) -> tuple[Any, Tensor]:
        """One symbol: previous [batch] (o_{t-1}; GO at t = 0) → logits [batch, v]."""
        raise NotImplementedError

    def stepper(self) -> Step:
        """A `step` to be called in a loop; what is constant in it is computed now."""
        return self.step

    def solve(self, source: Tensor, size: Tensor) -> Tensor:
        """The logits of all symbols, [batch, n, v], if the model `answers_at_once`."""
        raise NotImplementedError

    def alignments(self, source: Tensor, target: Tensor, size: Tensor) -> Tensor:
        """Weights of source symbols in each target symbol, if the model `aligns`.

        Args:
            source: symbols [batch, n].
            target: symbols [batch, n], a gold target or the model's own output.
            size: n_b, [batch].

        Returns:
            [batch, n of the target, n of the source], 0 in rows t ≥ n_b.
        """
        raise NotImplementedError


class SequenceModel(ModelContract, keras.Model):
    """A model of symbols given symbols, teacher-forced or decoded step by step.

    Inputs, a dict: source [batch, n] symbols; target [batch, n] symbols (the logits at
    t see target[:, :t] only); size [batch], n_b ≤ n.
    Output: logits [batch, n, vocabulary_size].

    A subclass makes its graph in `__init__`, in the dtype policy that it is given, and
    keeps its layers by `keep_parts` and its options by `keep_config`.
    """

    def __init__(self, *, inputs: Any, outputs: Any, **kwargs: Any):
        # Keras's functional models leave out what they don't know.
        if unknown := sorted(set(kwargs) - {"name", "trainable"}):
            legal = inspect.signature(type(self).__init__).parameters
            legal = [name for name in legal if name not in ("self", "own", "kwargs")]
            raise InputError(
                f"{type(self).__name__}: unknown option {unknown[0]!r}; legal ones are "
                f"{', '.join(legal)}, name, trainable"
            )
        super().__init__(inputs=inputs, outputs=outputs, **kwargs)

    def keep_parts(self, parts: Mapping[str, keras.layers.Layer]) -> None:
        """Makes layers attributes, by their names."""
        for name, layer in parts.items():
            setattr(self, name, layer)
        self._parts = tuple(parts)

    def parts(self) -> dict[str, Any]:
        """The layers that were kept, by name."""
        return {name: getattr(self, name) for name in self._parts}

    def before_readout(self) -> keras.Model | None:
        """The model without its last layer, if its logits are `readout`'s product.

        Its output r has the logits r O, O being the kernel of `readout`; None if they
        come about in another way.
        """
        readout = getattr(self, "readout", None)
        if not isinstance(readout, keras.layers.Dense) or readout.use_bias:
            return None
        if readout.output is not self.outputs[0]:
            return None
        return keras.Model(self.input, readout.input)

    def keep_config(self, dtype: Any, **options: Any) -> None:
        """Keeps the options of `__init__` for `get_config`.

        Args:
            dtype: the policy that the layers have.
            options: all others; what is named `…_initializer` is serialized.
        """
        self._dtype_given = keras.dtype_policies.get(dtype)
        self.dtype_policy = self._dtype_given  # `compile` scales losses of float16
        self._config = {
            name: serialized(value) if name.endswith("_initializer") else value
            for name, value in options.items()
        }

    def get_config(self) -> dict:
        return {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": keras.dtype_policies.serialize(self._dtype_given),
            **self._config,
            **kept_parts(self),
        }

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> Any:
        return restored(cls, config)
