"""The tensors of an attentive loop."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.cell_steps import CellSteps
from neural_gpu_tf.layers.memory_reader import Memory, MemoryReader
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.layers.recurrence import project
from neural_gpu_tf.types import Tensor


class AttentiveTensors(NamedTuple):
    """All that the loop has a gradient of."""

    given: list[Tensor]  # the parts of y W + b of the lowest cell, each [n, batch, …]
    start: list[list[Tensor]]  # of each cell the state before the first step
    rows: Tensor  # [batch, r, d]
    keys: Any  # the reader's
    reading: list[Tensor]  # the reader's kernels
    context: list[Tensor]  # the parts of the lowest cell's W that c is multiplied by
    recurrent: list[list[Tensor]]  # of each cell the parts of U
    kernels: list[list[Tensor]]  # of each cell but the lowest those of W
    biases: list[list[Tensor]]  # and of b


def attentive_tensors(
    steps: CellSteps,
    cells: Sequence[keras.layers.Layer],
    reader: MemoryReader,
    vectors: Tensor,
    start: Sequence[Sequence[Tensor]],
    memory: Memory,
) -> AttentiveTensors:
    """Those of a loop of these layers.

    Args:
        steps: the cells'.
        cells: the lowest first; its W multiplies [y; c].
        reader: what reads the memory.
        vectors: y, [n, batch, e].
        start: of each cell the state before the first step.
        memory: what is read.
    """
    dtype = vectors.dtype

    def split(variable: Any) -> list[Tensor]:
        return steps.split(as_tensor(variable, dtype))

    lowest, *upper = cells
    kernel, bias = as_tensor(lowest.kernel, dtype), as_tensor(lowest.bias, dtype)
    of_vectors, of_context = ops.split(kernel, [vectors.shape[-1]])
    return AttentiveTensors(
        given=project(steps, vectors, of_vectors, bias),
        start=[list(state) for state in start],
        rows=memory.rows,
        keys=memory.keys,
        reading=list(reader.kernels()),
        context=steps.split(of_context),
        recurrent=[split(cell.recurrent_kernel) for cell in cells],
        kernels=[split(cell.kernel) for cell in upper],
        biases=[split(cell.bias) for cell in upper],
    )
