"""The models, by the name that `--model` takes."""

from typing import Any

from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq
from neural_gpu_tf.models.diagonal_neural_gpu import DiagonalNeuralGPU
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
from neural_gpu_tf.models.stack_rnn import StackRNN

MODELS: dict[str, Any] = {
    "attention_seq2seq": AttentionSeq2Seq,
    "diagonal_neural_gpu": DiagonalNeuralGPU,
    "extended_neural_gpu": ExtendedNeuralGPU,
    "fixed_memory_seq2seq": FixedMemorySeq2Seq,
    "hybrid_neural_gpu": HybridNeuralGPU,
    "hybrid_seq2seq": HybridSeq2Seq,
    "markovian_neural_gpu": MarkovianNeuralGPU,
    "neural_gpu": NeuralGPU,
    "neural_turing_machine": NeuralTuringMachine,
    "pooled_neural_gpu": PooledNeuralGPU,
    "residual_neural_gpu": ResidualNeuralGPU,
    "rnn_seq2seq": RNNSeq2Seq,
    "stack_rnn": StackRNN,
}
