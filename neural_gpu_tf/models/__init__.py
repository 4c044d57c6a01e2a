"""Functional Keras models. They import only Keras and `layers`."""

from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq
from neural_gpu_tf.models.catalog import MODELS
from neural_gpu_tf.models.config import ModelConfig, build_model
from neural_gpu_tf.models.diagonal_neural_gpu import DiagonalNeuralGPU
from neural_gpu_tf.models.extended_neural_gpu import ExtendedNeuralGPU
from neural_gpu_tf.models.fixed_memory_seq2seq import FixedMemorySeq2Seq
from neural_gpu_tf.models.markovian_neural_gpu import MarkovianNeuralGPU
from neural_gpu_tf.models.neural_gpu import NeuralGPU
from neural_gpu_tf.models.residual_neural_gpu import ResidualNeuralGPU
from neural_gpu_tf.models.rnn_seq2seq import RNNSeq2Seq

__all__ = [
    "MODELS",
    "AttentionSeq2Seq",
    "DiagonalNeuralGPU",
    "ExtendedNeuralGPU",
    "FixedMemorySeq2Seq",
    "MarkovianNeuralGPU",
    "ModelConfig",
    "NeuralGPU",
    "RNNSeq2Seq",
    "ResidualNeuralGPU",
    "build_model",
]
