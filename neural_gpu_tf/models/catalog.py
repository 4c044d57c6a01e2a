"""The models, by the name that `--model` takes."""

from neural_gpu_tf.models.extended_neural_gpu import ExtendedNeuralGPU
from neural_gpu_tf.models.neural_gpu import NeuralGPU

MODELS = {
    "extended_neural_gpu": ExtendedNeuralGPU,
    "neural_gpu": NeuralGPU,
}
