"""Keras layers of active-memory models. They import only Keras."""

from neural_gpu_tf.layers.active_memory_decoder import ActiveMemoryDecoder, DecoderState
from neural_gpu_tf.layers.active_memory_encoder import ActiveMemoryEncoder
from neural_gpu_tf.layers.attentive_decoder import AttentiveDecoder, AttentiveState
from neural_gpu_tf.layers.cgru import CGRU
from neural_gpu_tf.layers.diagonal_cgru import DiagonalCGRU
from neural_gpu_tf.layers.diagonal_encoder import DiagonalEncoder
from neural_gpu_tf.layers.first_row import FirstRow
from neural_gpu_tf.layers.fixed_memory import FixedMemory
from neural_gpu_tf.layers.gates import cutoff_gate
from neural_gpu_tf.layers.memory_annotations import MemoryAnnotations
from neural_gpu_tf.layers.memory_attention import MemoryAttention
from neural_gpu_tf.layers.memory_lookup import MemoryLookup
from neural_gpu_tf.layers.memory_reader import Memory
from neural_gpu_tf.layers.pooled_decoder import PooledDecoder, PooledState
from neural_gpu_tf.layers.recurrent_decoder import RecurrentDecoder
from neural_gpu_tf.layers.recurrent_encoder import RecurrentEncoder
from neural_gpu_tf.layers.recurrent_state import RecurrentState
from neural_gpu_tf.layers.replica_dropout import ReplicaDropout
from neural_gpu_tf.layers.residual_unit import ResidualUnit, TapeResidualUnit
from neural_gpu_tf.layers.row_with_vectors import RowWithVectors
from neural_gpu_tf.layers.source_mask import SourceMask
from neural_gpu_tf.layers.source_padding import SourcePadding
from neural_gpu_tf.layers.stack_machine import StackMachine, StackState
from neural_gpu_tf.layers.tape_cgru import TapeCGRU
from neural_gpu_tf.layers.turing_heads import TuringHeads
from neural_gpu_tf.layers.turing_machine import (
    TuringMachine,
    TuringState,
)
from neural_gpu_tf.layers.unshared_encoder import UnsharedEncoder
from neural_gpu_tf.layers.within_size import WithinSize

__all__ = [
    "CGRU",
    "ActiveMemoryDecoder",
    "ActiveMemoryEncoder",
    "AttentiveDecoder",
    "AttentiveState",
    "DecoderState",
    "DiagonalCGRU",
    "DiagonalEncoder",
    "FirstRow",
    "ResidualUnit",
    "RowWithVectors",
    "StackMachine",
    "StackState",
    "TapeCGRU",
    "TapeResidualUnit",
    "cutoff_gate",
    "FixedMemory",
    "Memory",
    "MemoryAnnotations",
    "MemoryAttention",
    "MemoryLookup",
    "PooledDecoder",
    "PooledState",
    "RecurrentDecoder",
    "RecurrentState",
    "RecurrentEncoder",
    "ReplicaDropout",
    "SourceMask",
    "TuringHeads",
    "TuringMachine",
    "TuringState",
    "UnsharedEncoder",
    "WithinSize",
    "SourcePadding",
]
