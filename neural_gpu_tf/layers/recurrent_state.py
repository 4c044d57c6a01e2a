"""What the decoder of the recurrent models carries, and what it says."""

from typing import NamedTuple

from neural_gpu_tf.layers.memory_reader import Memory
from neural_gpu_tf.layers.recurrent_encoder import States
from neural_gpu_tf.types import Tensor


class RecurrentState(NamedTuple):
    """What the decoder carries from step to step; every tensor leads with the batch."""

    size: Tensor  # [batch]: n_b
    cells: States  # of each layer (h,) or (h, c), each [batch, units]
    memory: Memory | tuple[()]  # what attention reads; () without attention


class Reading(NamedTuple):
    """Outputs of a step, or of all steps; the logits are made of them."""

    output: Tensor  # [..., units]: s^l_t
    context: Tensor | None  # [..., d]: c_t
    weights: Tensor | None  # [..., r]: α_t
