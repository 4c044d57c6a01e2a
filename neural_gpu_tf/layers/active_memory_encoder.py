"""The encoder of every Neural GPU."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.configuration import true_or_false, whole_number
from neural_gpu_tf.layers import active_memory
from neural_gpu_tf.layers.canvas import column_mask
from neural_gpu_tf.layers.canvas_unit import CanvasUnit, with_units
from neural_gpu_tf.layers.dropout_limit import check_dropout, limited_dropout
from neural_gpu_tf.layers.dropout_masks import own_seed
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.kept_parts import KeepsParts
from neural_gpu_tf.layers.on_tape import check_units
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ActiveMemoryEncoder(KeepsParts, keras.layers.Layer):
    """Encoder of the Neural GPUs: l units, applied n_b times to example b's canvas.

        s_{t+1} = CGRU_l(CGRU_{l-1}(… CGRU_1(s_t) …)),  t = 0 … n_b - 1

    (Kaiser & Sutskever 2016, §2; Kaiser & Bengio 2016, §2.1.) Each example takes
    n_b steps on n_b columns, so its result does not depend on the batch.

    With `relaxations` r > 1 there are r sets of all weights, and step t takes set
    t mod r, which is easier to train than one set for all steps. `relaxed_weights`
    groups the r versions of each weight, so that training can pull the sets together
    until they are equal; the result is an encoder with one set. (Kaiser & Sutskever
    2016, §3, "parameter sharing relaxation".)

    Args:
        units: CGRU_1 … CGRU_l, `CanvasUnit`s of equal maps (one, or a list), as
            `keras.layers.RNN` takes cells; all steps share them. They get the `dtype`
            that is given; if none is, the encoder takes that of the units.
        relaxations: r, sets of weights that steps take in turn; a decoder has one.
            Sets 1 … r - 1 are new units like those given.
        dropout: rate at which canvas cells are dropped before each step in training.
        dropout_by_length: the rate is dropout / √n_b. (Kaiser and Bengio's code has
            dropout · 3/√n, which this is with three times the rate; the earlier one of
            Kaiser and Sutskever has dropout · 8/n. The papers mention no length.)
        gradient_checkpointing: recompute steps for the gradient, so that training
            memory grows with n^1.5 instead of n²; takes 1.2 to 1.7 times as long.
        seed: of the dropout.

    Input shape: canvas [batch, n, w, m]; size, n_b ≤ n, int [batch].
    Output shape: the canvas s_{n_b}, [batch, n, w, m], zero in columns k ≥ n_b.

    Keras masks are not supported: `size` gives the valid columns. If `training` is not
    set, the backend computes the gradient, slower and with more memory than by hand.

    Example:
        >>> units = [CGRU(24), CGRU(24)]
        >>> canvas = keras.random.normal((2, 5, 4, 24))
        >>> ActiveMemoryEncoder(units)(canvas, keras.ops.array([5, 3])).shape
        (2, 5, 4, 24)
    """

    on_tape = False
    """Whether the units see a tape."""

    unit_class: Any = CanvasUnit
    """What the units are."""

    def __init__(
        self,
        units: CanvasUnit | Sequence[CanvasUnit],
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        gradient_checkpointing: bool = False,
        relaxations: int = 1,
        seed: int | None = None,
        **kwargs: Any,
    ):
        name = type(self).__name__
        given = check_units(name, units, self.unit_class, self.on_tape)
        self._check(given, dropout, relaxations)
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = given[0].dtype_policy
        super().__init__(**kwargs)
        for unit in given:
            unit.take_policy(self.dtype_policy, self.name)
        self.supports_masking = True  # `call` refuses one, in words
        self.depth = len(given)
        self.dropout = dropout
        self.dropout_by_length = true_or_false("dropout_by_length", dropout_by_length)
        self.gradient_checkpointing = true_or_false(
            "gradient_checkpointing", gradient_checkpointing
        )
        self.relaxations = relaxations
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.units = given + [
            _like(unit, f"set_{i}") for i in range(1, relaxations) for unit in given
        ]

    def _check(
        self, units: Sequence[CanvasUnit], dropout: float, relaxations: int
    ) -> None:
        """Raises ValueError if the units do not fit together."""
        name = type(self).__name__
        for unit in units:
            if unit.maps != units[0].maps or type(unit) is not type(units[0]):
                raise ValueError(f"{name}: units must be of one class and equal maps")
        check_dropout(dropout)
        relaxations = whole_number("relaxations", relaxations, 1)
        if self.on_tape and relaxations > 1:
            raise ValueError(f"relaxations={relaxations}: must be 1 in a decoder")

    @property
    def maps(self) -> int:
        """m."""
        return self.units[0].maps

    def build(self, canvas_shape: Any = None, *_: Any) -> None:
        for unit in self.units:
            unit.check_canvas(canvas_shape)
            if not unit.built:
                unit.build()
        self.built = True

    def call(
        self,
        canvas: Tensor,
        size: Tensor,
        training: bool | None = None,
        canvas_mask: Any = None,
    ) -> Tensor:
        self.refuse_mask(canvas_mask)
        if not training:
            return self.encode(canvas, size)
        mask = column_mask(size, ops.shape(canvas)[1], canvas.dtype)
        return self.train_steps(canvas * mask, size)

    def train_steps(self, canvas: Tensor, size: Tensor) -> Tensor:
        """`call` in training, of a canvas that is 0 in the columns k ≥ n_b."""
        options = self.loop_options(size, training=True)
        return active_memory.run(self.units, canvas, size, **options)[0]

    def encode(self, canvas: Tensor, size: Tensor, trace: bool = False) -> Tensor:
        """`call` for inference: memory for one canvas only.

        With `trace` it returns s_0 … s_n instead, [n + 1, batch, n, w, m].
        """
        return active_memory.encode(self.units, canvas, size, trace, self.relaxations)

    def refuse_mask(self, mask: Any) -> None:
        """Raises ValueError if a Keras mask comes in."""
        if any(x is not None for x in keras.tree.flatten(mask)):
            raise ValueError(
                f"{self.name}: takes no Keras mask; `size` says which columns exist "
                "(build the embedding with mask_zero=False)"
            )

    @property
    def relaxed_weights(self) -> list[tuple[keras.Variable, ...]]:
        """For each weight the variables of the r sets; nothing if r = 1.

        Weights that are frozen in a set are left out: that set won't follow the others.
        """
        if self.relaxations == 1:
            return []
        by_set = [
            [
                weight
                for unit in self.units[i * self.depth : (i + 1) * self.depth]
                for weight in unit.weights
            ]
            for i in range(self.relaxations)
        ]
        sets = zip(*by_set, strict=True)
        return [same for same in sets if all(weight.trainable for weight in same)]

    def loop_options(self, size: Tensor, training: bool | None) -> dict[str, Any]:
        """How `active_memory.run` drops cells, keeps residuals and takes weights."""
        return {
            "dropout": self.dropout_rate(size),
            "seed": self.dropout_seed(training),
            "checkpoints": self.gradient_checkpointing,
            "relaxations": self.relaxations,
        }

    def dropout_rate(self, size: Tensor) -> Tensor:
        """The rate of each example, [batch, 1, 1, 1], or of all."""
        rate = limited_dropout(self.dropout)
        if not self.dropout_by_length:
            return rate
        columns = ops.cast(ops.maximum(size, 1), "float32")
        return (rate / ops.sqrt(columns))[:, None, None, None]

    def dropout_seed(self, training: bool | None) -> Tensor | None:
        """The seed of this call's dropout; None if nothing is dropped."""
        if training and limited_dropout(self.dropout):
            return own_seed(self.seed_generator.next())
        return None

    def compute_output_shape(self, input_shape: Any, *_: Any, **__: Any) -> Any:
        return input_shape

    def get_config(self) -> dict:
        units = self.units[: self.depth]
        return {
            **super().get_config(),
            "units": [keras.saving.serialize_keras_object(unit) for unit in units],
            "dropout": self.dropout,
            "dropout_by_length": self.dropout_by_length,
            "gradient_checkpointing": self.gradient_checkpointing,
            "relaxations": self.relaxations,
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> Any:
        return super().from_config(with_units(config, custom_objects))


def _like(unit: CanvasUnit, part: str) -> CanvasUnit:
    """A new unit like one that was given, for a set of its own."""
    own = {
        "name": f"{unit.name}_{part}",
        "kernel_initializer": fresh(unit.kernel_initializer, part),
    }
    return type(unit).from_config(unit.get_config() | own)
