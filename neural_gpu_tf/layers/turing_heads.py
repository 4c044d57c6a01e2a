"""The read and write heads of the Neural Turing Machine."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.configuration import whole_number
from neural_gpu_tf.layers import turing_memory
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.loops import own_gradient
from neural_gpu_tf.layers.operations import as_tensor, softmax
from neural_gpu_tf.layers.turing_memory import Addressing
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class TuringHeads(keras.layers.Layer):
    """Heads that address a memory, write to it and read from it.

    The controller's output h_t determines each head's parameters (Graves, Wayne &
    Danihelka 2014, "Neural Turing Machines", §3.3):

        [k, β̂, ĝ, ŝ, γ̂]_t = W h_t + b, of a write head also ê_t and a_t
        k_t                     the key
        β_t = softplus(β̂)       its strength, β_t > 0
        g_t = σ(ĝ)              the interpolation gate
        s_t = softmax(ŝ)        over the shifts -r … r
        γ_t = 1 + softplus(γ̂)   the sharpening, γ_t ≥ 1
        e_t = σ(ê)              what is erased;  a_t: what is added

    Each head interpolates between content addressing and its previous weighting, then
    shifts and sharpens (`turing_memory`, equations 5 to 9). All heads are addressed in
    M_{t-1}; the write heads turn it into M_t (3, 4), from which the read heads read
    (2). The paper calls both memories M_t, but rows to write to can only be addressed
    in the memory before the write.

    All but W h_t + b is computed in the dtype of the memory.

    Args:
        read_heads: how many read.
        write_heads: how many write.
        shift_range: r.
        kernel_initializer: of W.

    Input shape: said, h_t [batch, units]; memory, M_{t-1} [batch, N, M]; weightings,
        w_{t-1} [batch, heads, N], write heads first.
    Output shape: M_t, w_t, and r_t [batch, read_heads, M].

    Example:
        >>> said, memory = np.ones((2, 100)), np.ones((2, 128, 20))
        >>> _, _, read = TuringHeads()(said, memory, np.ones((2, 2, 128)) / 128)
        >>> read.shape
        (2, 1, 20)
    """

    def __init__(
        self,
        read_heads: int = 1,
        write_heads: int = 1,
        shift_range: int = 1,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        super().__init__(autocast=False, **kwargs)  # the memory stays as it is
        read_heads = whole_number("read_heads", read_heads, 1)
        write_heads = whole_number("write_heads", write_heads, 1)
        shift_range = whole_number("shift_range", shift_range, 0)
        self.read_heads = read_heads
        self.write_heads = write_heads
        self.shift_range = shift_range
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build(self, said_shape: Any, memory_shape: Any, weightings_shape: Any) -> None:
        width, rows = memory_shape[-1], weightings_shape[-1]
        shifts = 2 * self.shift_range + 1
        if shifts > rows:
            raise ValueError(
                f"{rows} rows of memory: shifts from -{self.shift_range} to "
                f"{self.shift_range} need {shifts}; give more rows or a smaller range"
            )
        self.sizes = Addressing(width, 1, 1, shifts, 1)
        heads = self.read_heads + self.write_heads
        parameters = heads * sum(self.sizes) + 2 * self.write_heads * width
        self.kernel = self.add_weight(  # W
            shape=(said_shape[-1], parameters),
            initializer=fresh(self.kernel_initializer, "kernel"),
            name="kernel",
        )
        self.bias = self.add_weight(  # b
            shape=(parameters,), initializer="zeros", name="bias"
        )
        self.built = True

    def call(
        self, said: Tensor, memory: Tensor, weightings: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        kernel, bias = (as_tensor(x, said.dtype) for x in (self.kernel, self.bias))
        emitted = ops.cast(ops.matmul(said, kernel) + bias, memory.dtype)
        width, writers = self.sizes.key, self.write_heads
        heads, size = self.read_heads + writers, sum(self.sizes)
        emitted, vectors = ops.split(emitted, [heads * size], axis=1)
        emitted = ops.reshape(emitted, (-1, heads, size))
        ends = [sum(self.sizes[:i]) for i in range(1, len(self.sizes))]
        key, strength, gate, shifts, sharpness = ops.split(emitted, ends, axis=-1)
        vectors = ops.reshape(vectors, (-1, 2 * writers, width))
        erase, add = ops.split(vectors, 2, axis=1)
        parameters = Addressing(
            key,
            ops.softplus(strength),
            ops.sigmoid(gate),
            softmax(shifts),
            1.0 + ops.softplus(sharpness),
        )
        return use(memory, weightings, ops.sigmoid(erase), add, *parameters)

    def compute_output_shape(
        self, said_shape: Any, memory_shape: Any, weightings_shape: Any
    ) -> Any:
        read = (memory_shape[0], self.read_heads, memory_shape[-1])
        return tuple(memory_shape), tuple(weightings_shape), read

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "read_heads": self.read_heads,
            "write_heads": self.write_heads,
            "shift_range": self.shift_range,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }


@own_gradient
def use(
    memory: Tensor, before: Tensor, erase: Tensor, add: Tensor, *parameters: Tensor
) -> Any:
    """All heads find their places, then write, then read: equations 2 to 9.

    Args:
        memory: M_{t-1}, [batch, N, M].
        before: w_{t-1}, [batch, heads, N], write heads first.
        erase, add: e_t and a_t, [batch, write_heads, M].
        parameters: those of `Addressing`, of all heads.

    Returns:
        M_t, w_t and r_t.
    """
    addressing, writers = Addressing(*parameters), erase.shape[1]
    steps = turing_memory.address(memory, before, addressing)
    weightings = steps[-1]
    writing, reading = ops.split(weightings, [writers], axis=1)
    after = turing_memory.write(memory, writing, erase, add)
    reads = turing_memory.read(after, reading)

    def gradient(
        d_after: Tensor, d_weightings: Tensor, d_reads: Tensor
    ) -> tuple[Tensor, ...]:
        d_read, d_reading = turing_memory.read_gradient(after, reading, d_reads)
        d_memory, d_writing, d_erase, d_add = turing_memory.write_gradient(
            memory, writing, erase, add, d_after + d_read
        )
        d_places = ops.concatenate([d_writing, d_reading], axis=1)
        d_found, d_before, d_addressing = turing_memory.address_gradient(
            memory, before, addressing, steps, d_weightings + d_places
        )
        return d_memory + d_found, d_before, d_erase, d_add, *d_addressing

    return (after, weightings, reads), gradient
