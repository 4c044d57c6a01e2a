"""The models, by the name that `--model` takes."""

from neural_gpu_tf.models.extended_neural_gpu import ExtendedNeuralGPU

MODELS = {
    "extended_neural_gpu": ExtendedNeuralGPU,
}
