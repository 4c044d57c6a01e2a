"""Models of one's own with weights that the loss does not depend on."""

import keras
import numpy as np
import toy


class Unused(keras.layers.Layer):
    """Has a weight that nothing depends on, as a head that another loss trains."""

    def build(self, shape):
        self.unused = self.add_weight([3], "ones", name="unused")

    def call(self, x):
        return x


def test_a_weight_that_the_loss_does_not_depend_on_stays():
    step = toy.step(model_options={"layer": Unused})
    (unused,) = (w for w in step.model.trainable_variables if "unused" in w.path)
    step(toy.batch())
    np.testing.assert_array_equal(unused, np.ones(3))
