"""The encoder of every Neural GPU."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers import active_memory
from neural_gpu_tf.layers.canvas import column_mask
from neural_gpu_tf.layers.cgru import CGRU
from neural_gpu_tf.layers.loops import own_seed
from neural_gpu_tf.layers.on_tape import OnTape
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ActiveMemoryEncoder(keras.layers.Layer):
    """l CGRUs, applied n_b times to the canvas of example b.

        s_{t+1} = CGRU_l(CGRU_{l-1}(… CGRU_1(s_t) …)),  t = 0 … n_b - 1

    (Kaiser & Sutskever 2016, §2; Kaiser & Bengio 2016, §2.1.) Each example takes
    n_b steps on n_b columns, so its result does not depend on the batch.

    With `relaxations` r > 1 it has r sets of all weights, and step t takes set t mod r:
    easier to train than one set for all steps. `relaxed_weights` names what belongs
    together, so that training can draw the sets together until they are one; then this
    is the encoder of one set. (Kaiser & Sutskever 2016, §3, "parameter sharing
    relaxation".)

    Args:
        maps: m.
        layers: l, the units of a step; their weights are shared by all steps.
        relaxations: r, sets of weights that steps take in turn; a decoder has one.
        dropout: rate at which canvas cells are dropped before each step in training.
        dropout_by_length: the rate is dropout / √n_b (Kaiser & Sutskever 2016, §3).
        checkpointing: train with memory that grows with n^1.5 in place of n², in a
            third more time: see `active_memory.run`.
        seed: of the dropout.
        kernel_size, cutoff, gate_bias, kernel_initializer: as for `CGRU`.

    Input shape: canvas [batch, n, w, m]; size, n_b ≤ n, int [batch].
    Output shape: the canvas s_{n_b}, [batch, n, w, m], zero in columns k ≥ n_b.

    Example:
        >>> canvas = keras.random.normal((2, 5, 4, 24))
        >>> ActiveMemoryEncoder(maps=24)(canvas, keras.ops.array([5, 3])).shape
        (2, 5, 4, 24)
    """

    unit = CGRU
    unit_options = ("cutoff", "gate_bias")

    def __init__(
        self,
        maps: int,
        layers: int = 2,
        kernel_size: tuple[int, int] = (3, 3),
        cutoff: float = 1.2,
        gate_bias: float = 1.0,
        kernel_initializer: Any = "glorot_uniform",
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        checkpointing: bool = False,
        relaxations: int = 1,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if relaxations > 1 and issubclass(self.unit, OnTape):
            raise ValueError(f"relaxations must be 1 in a decoder, not {relaxations}")
        self.maps = maps
        self.layers = layers
        self.dropout = dropout
        self.dropout_by_length = dropout_by_length
        self.checkpointing = checkpointing
        self.relaxations = relaxations
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        own = dict(cutoff=cutoff, gate_bias=gate_bias)
        self.units = [
            self.unit(
                maps,
                kernel_size=kernel_size,
                kernel_initializer=kernel_initializer,
                dtype=self.dtype_policy,
                name=f"unit_{i + 1}",
                **{name: own[name] for name in self.unit_options},
            )
            for i in range(relaxations * layers)
        ]

    def build(self, *_: Any) -> None:
        for unit in self.units:
            unit.build()
        self.built = True

    def call(self, canvas: Tensor, size: Tensor, training: bool = False) -> Tensor:
        canvas = canvas * column_mask(size, ops.shape(canvas)[1], canvas.dtype)
        last, _, _ = active_memory.run(
            self.units, canvas, size, **self.loop_options(size, training)
        )
        return last

    def encode(self, canvas: Tensor, size: Tensor, trace: bool = False) -> Tensor:
        """`call` for inference: no gradient, and memory for one canvas only.

        With `trace` it returns s_0 … s_n instead, [n + 1, batch, n, w, m].
        """
        return active_memory.encode(self.units, canvas, size, trace, self.relaxations)

    @property
    def relaxed_weights(self) -> list[tuple[keras.Variable, ...]]:
        """For each weight the variables of the r sets; nothing if r = 1."""
        if self.relaxations == 1:
            return []
        by_set = [
            [
                weight
                for unit in self.units[i * self.layers : (i + 1) * self.layers]
                for weight in unit.trainable_weights
            ]
            for i in range(self.relaxations)
        ]
        return list(zip(*by_set, strict=True))

    def loop_options(self, size: Tensor, training: bool) -> dict[str, Any]:
        """How `active_memory.run` drops cells, keeps records and takes weights."""
        return {
            "dropout": self.dropout_rate(size),
            "seed": self.dropout_seed(training),
            "checkpoints": self.checkpointing,
            "relaxations": self.relaxations,
        }

    def dropout_rate(self, size: Tensor) -> Tensor:
        """The rate of each example, [batch, 1, 1, 1], or of all."""
        if not self.dropout_by_length:
            return self.dropout
        columns = ops.cast(ops.maximum(size, 1), "float32")
        return (self.dropout / ops.sqrt(columns))[:, None, None, None]

    def dropout_seed(self, training: bool) -> Tensor | None:
        """The seed of this call's dropout; None if nothing is dropped."""
        if training and self.dropout:
            return own_seed(self.seed_generator.next())
        return None

    def compute_output_shape(self, input_shape: Any, *_: Any, **__: Any) -> Any:
        return input_shape

    def get_config(self) -> dict:
        unit = self.units[0].get_config()
        names = ("kernel_size", "kernel_initializer", *self.unit_options)
        return {
            **super().get_config(),
            "maps": self.maps,
            "layers": self.layers,
            **{name: unit[name] for name in names},
            "dropout": self.dropout,
            "dropout_by_length": self.dropout_by_length,
            "checkpointing": self.checkpointing,
            "relaxations": self.relaxations,
            "seed": self.seed,
        }
