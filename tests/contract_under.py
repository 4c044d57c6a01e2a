"""The Keras contract under another backend, of the classes named or of all."""

import sys

import contract
import contract_cases
import keras
import numpy as np
from keras import ops

from neural_gpu_tf.layers.dropout_masks import dropout_mask


def check_dropout():
    """A mask is a function of seed and step, and drops as much as it is told."""
    generator = keras.random.SeedGenerator(0)
    seeds, like = [generator.next(), generator.next()], ops.zeros(40_000)

    def mask(seed, t):
        return ops.convert_to_numpy(dropout_mask(like, 0.1, seed, t))

    masks = [mask(seed, t) for seed in seeds for t in (3, 4)]
    np.testing.assert_array_equal(masks[0], mask(seeds[0], 3))
    for i, drawn in enumerate(masks):
        np.testing.assert_allclose(np.unique(drawn), [0, 1 / 0.9], rtol=1e-6)
        assert abs(np.mean(drawn == 0) - 0.1) < 0.01  # 6 standard deviations
        assert all((drawn != other).any() for other in masks[:i])


assert keras.backend.backend() != "tensorflow"
check_dropout()
names = sys.argv[1:]
done = []
for case in contract_cases.LAYERS:
    if not names or case[0].__name__ in names:
        contract.run_layer_test(*case)
        done.append(case)
count = len(done)
for case in contract_cases.MODELS:
    if not names or case[0].__name__ in names:
        contract.run_model_test(*case, contract_cases.VOCABULARY)
        done.append(case)
if names:
    count = len({c[0] for c in done if not issubclass(c[0], keras.Model)})
    print(f"{count} layers, {len({c[0] for c in done}) - count} models")
else:
    print(f"{count} layers, {len(done) - count} models")
