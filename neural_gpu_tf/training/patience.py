"""When training ends as nothing gets better."""

import tensorflow as tf
from absl import logging


class Patience(tf.Module):
    """Counts the validations in turn that were not better than all before.

    Args:
        most: how many end training; 0: none do.
    """

    def __init__(self, most: int):
        super().__init__()
        self.most = most
        self.in_vain = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.validated = tf.Variable(0, dtype=tf.int64, trainable=False)

    def observe(self, step: int, better: bool) -> None:
        """Notes the validation after a step.

        One that is repeated as training resumes counts once.
        """
        if better:
            self.in_vain.assign(0)
        elif step != int(self.validated.numpy()):
            self.in_vain.assign_add(1)
        self.validated.assign(step)
        if self.is_over():
            logging.info(
                "step %d: none better in %d validations (--patience): training ends",
                *(step, int(self.in_vain.numpy())),
            )

    def resume(self, step: int) -> None:
        """Takes the step of a checkpoint that has no patience as validated."""
        self.validated.assign(step)

    def is_over(self) -> bool:
        """Whether training is to end."""
        return 0 < self.most <= int(self.in_vain.numpy())
