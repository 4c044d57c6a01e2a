"""Active-memory sequence models (the Neural GPU family) in TensorFlow 2 and Keras 3."""

__version__ = "0.1.0"
