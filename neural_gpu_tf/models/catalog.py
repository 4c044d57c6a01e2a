"""The models, by the name that `--model` takes."""

from neural_gpu_tf.models.diagonal_neural_gpu import DiagonalNeuralGPU
from neural_gpu_tf.models.extended_neural_gpu import ExtendedNeuralGPU
from neural_gpu_tf.models.markovian_neural_gpu import MarkovianNeuralGPU
from neural_gpu_tf.models.neural_gpu import NeuralGPU
from neural_gpu_tf.models.residual_neural_gpu import ResidualNeuralGPU

MODELS = {
    "diagonal_neural_gpu": DiagonalNeuralGPU,
    "extended_neural_gpu": ExtendedNeuralGPU,
    "markovian_neural_gpu": MarkovianNeuralGPU,
    "neural_gpu": NeuralGPU,
    "residual_neural_gpu": ResidualNeuralGPU,
}
