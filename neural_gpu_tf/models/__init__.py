"""Functional Keras models. They import only Keras and `layers`."""

from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq
from neural_gpu_tf.models.build import build_model, cell_bytes, check_taken
from neural_gpu_tf.models.catalog import MODELS
from neural_gpu_tf.models.diagonal_neural_gpu import DiagonalNeuralGPU
from neural_gpu_tf.models.ensemble import Ensemble
from neural_gpu_tf.models.extended_neural_gpu import ExtendedNeuralGPU
from neural_gpu_tf.models.fixed_memory_seq2seq import FixedMemorySeq2Seq
from neural_gpu_tf.models.hybrid_neural_gpu import HybridNeuralGPU
from neural_gpu_tf.models.hybrid_seq2seq import HybridSeq2Seq
from neural_gpu_tf.models.markovian_neural_gpu import MarkovianNeuralGPU
from neural_gpu_tf.models.neural_gpu import NeuralGPU
from neural_gpu_tf.models.neural_turing_machine import NeuralTuringMachine
from neural_gpu_tf.models.pooled_neural_gpu import PooledNeuralGPU
from neural_gpu_tf.models.residual_neural_gpu import ResidualNeuralGPU
from neural_gpu_tf.models.rnn_seq2seq import RNNSeq2Seq
from neural_gpu_tf.models.size_readout import SizeReadout
from neural_gpu_tf.models.stack_rnn import StackRNN

__all__ = [
    "MODELS",
    "AttentionSeq2Seq",
    "DiagonalNeuralGPU",
    "Ensemble",
    "ExtendedNeuralGPU",
    "SizeReadout",
    "FixedMemorySeq2Seq",
    "HybridNeuralGPU",
    "HybridSeq2Seq",
    "MarkovianNeuralGPU",
    "NeuralGPU",
    "NeuralTuringMachine",
    "PooledNeuralGPU",
    "RNNSeq2Seq",
    "ResidualNeuralGPU",
    "StackRNN",
    "build_model",
    "cell_bytes",
    "check_taken",
]
