"""Active-memory decoder with broadcast input and a maximum over columns as output."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.canvas import by_rows, mask_or_all
from neural_gpu_tf.layers.cgru import CGRU
from neural_gpu_tf.layers.gated_unit import Terms
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.loops import record_loop, stack
from neural_gpu_tf.layers.on_tape import check_units
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.types import Tensor


class PooledState(NamedTuple):
    """What the decoder carries from step to step; every tensor leads with the batch."""

    canvas: Tensor  # d_t, by rows, [batch, 1, n, m]
    readout: Tensor  # [batch, m]: r_{t-1}
    gates_base: Tensor  # [batch, 1, n, 2m]: B + V x, of the gates
    candidate_base: Tensor  # [batch, 1, n, m]: B + V x, of the candidate
    mask: Tensor  # [batch, 1, n, 1]: 1 for the columns that exist, else 0


class Readout(NamedTuple):
    """Outputs of a step, or of all steps."""

    values: Tensor  # [..., m]: r_t
    winners: Tensor  # int32 [..., m]: the column that each map's maximum came from


@keras.saving.register_keras_serializable("neural_gpu_tf")
class PooledDecoder(keras.layers.Layer):
    """An active memory as wide as the source, read by a maximum over its columns.

        d_0      = x                                     what the encoder made
        terms[k] = B + V x[k] + W [y_{t-1}; r_{t-1}]     of u, r and the candidate
        d_{t+1}  = CGRU(d_t; terms)
        r_t[i]   = max_k (R d_{t+1}[k] + c)_i            r_{-1} = 0

    where y_{t-1} = E' o_{t-1} is the vector of the symbol before. Unlike the decoder of
    Kaiser & Bengio (2016, "Can Active Memory Replace Attention?", §2.2), whose tape
    gets the symbol in one column and whose symbol t is read in column t, every column
    gets the previous symbol and words keep their columns: the memory needs no steps to
    move them, and no columns but the source's. There are no attention weights: the
    maximum is taken over each map separately.

    Args:
        unit: the CGRU, of canvases of width 1.
        kernel_initializer: of V, W and R.

    Input shape: memory x, a canvas [batch, n, 1, m]; vectors y_{-1} … y_{T-2},
        [batch, T, e] (teacher forcing; the first is that of GO); mask, which columns
        exist, bool [batch, n], the Keras mask of the memory if not given, or all.
    Output shape: r_t, [batch, T, m], 0 where no column exists.

    Example:
        >>> memory, vectors = np.ones((2, 5, 1, 24)), np.ones((2, 7, 16))
        >>> PooledDecoder(CGRU(24))(memory, vectors).shape
        (2, 7, 24)
    """

    def __init__(
        self, unit: CGRU, kernel_initializer: Any = "glorot_uniform", **kwargs: Any
    ):
        check_units(type(self).__name__, [unit], CGRU)
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = unit.dtype_policy
        super().__init__(**kwargs)
        self.supports_masking = True
        unit.take_policy(self.dtype_policy, self.name)
        self.unit = unit
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build(
        self, memory_shape: Any, vectors_shape: Any = None, mask_shape: Any = None
    ) -> None:
        self.unit.check_canvas(memory_shape)
        if memory_shape[2] != 1:
            raise ValueError(
                f"{self.name}: takes canvases of width 1, not {memory_shape[2]}"
            )
        if not self.unit.built:
            self.unit.build()
        maps = self.unit.maps
        shapes = {
            "memory_kernel": (maps, 3 * maps),  # V
            "input_kernel": (vectors_shape[-1] + maps, 3 * maps),  # W
            "readout_kernel": (maps, maps),  # R
        }
        for name, shape in shapes.items():
            weight = self.add_weight(
                shape=shape,
                initializer=fresh(self.kernel_initializer, name),
                name=name,
            )
            setattr(self, name, weight)
        self.readout_bias = self.add_weight(
            shape=(maps,), initializer="zeros", name="readout_bias"
        )
        self.built = True

    def call(
        self,
        memory: Tensor,
        vectors: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        mask = mask_or_all(memory_mask if mask is None else mask, memory)
        return self.run(memory, vectors, mask).values

    def compute_mask(self, *_: Any, **__: Any) -> None:
        """None: the outputs stand in the places of the vectors, not of the memory."""

    def start(self, memory: Tensor, mask: Tensor) -> PooledState:
        """The state before the first step; arguments as those of `call`."""
        inside = ops.cast(mask, memory.dtype)[:, None, :, None]
        canvas = by_rows(memory) * inside
        gates, candidate = self._split(
            ops.matmul(canvas, self._tensor(self.memory_kernel))
        )
        biases = self.unit.biases()
        return PooledState(
            canvas,
            ops.zeros_like(canvas[:, 0, 0]),
            (gates + biases.gates) * inside,
            (candidate + biases.candidate) * inside,
            inside,
        )

    def step(self, state: PooledState, vector: Tensor) -> PooledState:
        """One step; the same numbers as `call`.

        Args:
            state: from `start` or from step t - 1.
            vector: y_{t-1}, [batch, e].

        Returns:
            The new state, whose `readout` is r_t.
        """
        canvas, readout = self._step(state, self._told(vector))
        return state._replace(canvas=canvas, readout=readout.values)

    def run(self, memory: Tensor, vectors: Tensor, mask: Tensor) -> Readout:
        """All steps of teacher forcing, in a loop; arguments as those of `call`.

        Returns:
            [batch, T, m] each.
        """
        state = self.start(memory, mask)

        def body(t: Tensor, carry: tuple, told: Tensor) -> tuple[tuple, Readout]:
            before = state._replace(canvas=carry[0], readout=carry[1])
            canvas, readout = self._step(before, told)
            return (canvas, readout.values), readout

        like = Readout(state.readout, keras.KerasTensor(state.readout.shape, "int32"))
        told = ops.transpose(self._told(vectors), (1, 0, 2))
        carry, steps = (state.canvas, state.readout), ops.shape(told)[0]
        _, records = record_loop(body, carry, steps, like, told)
        return Readout(*(ops.transpose(x, (1, 0, 2)) for x in stack(records)))

    def _step(self, state: PooledState, told: Tensor) -> tuple[Tensor, Readout]:
        """d_{t+1} and r_t from W y_{t-1}."""
        of_readout = self._tensor(self.input_kernel)[-self.unit.maps :]
        told = told + ops.matmul(state.readout, of_readout)
        gates, candidate = self._split(told[:, None, None, :])
        terms = Terms(state.gates_base + gates, state.candidate_base + candidate)
        kernels = self.unit.kernels()
        canvas, _, _ = self.unit.forward_step(kernels, terms, state.canvas, state.mask)
        return canvas, self._pool(canvas[:, 0], state.mask[:, 0])

    def _pool(self, canvas: Tensor, mask: Tensor) -> Readout:
        """max_k (R d[k] + c), of d [batch, n, m] and which columns exist."""
        # A product of matrices: XLA refuses the gradient of Keras's of [b, n, m].
        seen = ops.matmul(
            ops.reshape(canvas, (-1, self.unit.maps)),
            self._tensor(self.readout_kernel),
        )
        seen = ops.reshape(seen, ops.shape(canvas)) + self._tensor(self.readout_bias)
        seen = ops.where(mask > 0, seen, ops.cast(-1e9, seen.dtype))
        values = ops.where(ops.max(mask, axis=1) > 0, ops.max(seen, axis=1), 0.0)
        return Readout(values, ops.cast(ops.argmax(seen, axis=1), "int32"))

    def _told(self, vectors: Tensor) -> Tensor:
        """W y, of vectors [..., e]: [..., 3m]."""
        of_vectors = self._tensor(self.input_kernel)[: vectors.shape[-1]]
        return ops.matmul(vectors, of_vectors)

    def _split(self, terms: Tensor) -> list[Tensor]:
        """[..., 3m] cut into those of the gates and of the candidate."""
        return ops.split(terms, [2 * self.unit.maps], axis=-1)

    def _tensor(self, weight: keras.Variable) -> Tensor:
        return as_tensor(weight, self.compute_dtype)

    def compute_output_shape(
        self, memory_shape: Any, vectors_shape: Any, mask_shape: Any = None
    ) -> Any:
        return (*vectors_shape[:2], self.unit.maps)

    def get_config(self) -> dict:
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "unit": keras.saving.serialize_keras_object(self.unit),
            "kernel_initializer": serialize(self.kernel_initializer),
        }

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> Any:
        unit = keras.saving.deserialize_keras_object(config["unit"], custom_objects)
        return cls(**config | {"unit": unit})
