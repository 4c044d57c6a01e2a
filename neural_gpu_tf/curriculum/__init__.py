"""What an algorithmic task is trained on, batch after batch."""

from neural_gpu_tf.curriculum.course import Course

__all__ = ["Course"]
