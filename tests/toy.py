"""A model that traces in no time, its batches, and a trainer for them."""

import keras
import numpy as np
import tensorflow as tf

from neural_gpu_tf.optimizers import build_optimizer
from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.runs import RunDirectory
from neural_gpu_tf.training import Trainer
from neural_gpu_tf.training.strategy import mirrored_strategy
from neural_gpu_tf.training.train_step import TrainStep
from neural_gpu_tf.training.validation import Judge

SYMBOLS = 7


class Cost(keras.layers.Layer):
    """Adds a loss: `weight` times the mean square of what passes through."""

    def __init__(self, weight, **kwargs):
        super().__init__(**kwargs)
        self.weight = weight

    def call(self, x):
        self.add_loss(self.weight * keras.ops.mean(keras.ops.square(x)))
        return x


def model(dropout=0.0, seed=3, symbols=SYMBOLS, maps=3, cost=0.0, layer=None):
    """Logits at t from the source's symbol t alone; the target is not looked at."""
    keras.utils.set_random_seed(seed)
    source = keras.Input([None], dtype="int32", name="source")
    target = keras.Input([None], dtype="int32", name="target")
    size = keras.Input([], dtype="int32", name="size")
    vectors = keras.layers.Embedding(symbols, maps)(source)
    vectors = keras.layers.Dropout(dropout, seed=5)(vectors)
    if cost:
        vectors = Cost(cost)(vectors)
    if layer:
        vectors = layer(name="layer")(vectors)
    logits = keras.layers.Dense(symbols, use_bias=False)(vectors)
    inputs = {"source": source, "target": target, "size": size}
    return keras.Model(inputs=inputs, outputs=logits)


def batch(number=0, rows=4, columns=5, symbols=SYMBOLS):
    """A batch whose rows are 1 to `columns` symbols long, the rest PAD."""
    rng = np.random.default_rng(number)
    size = np.arange(rows) % columns + 1
    given = np.arange(columns) < size[:, None]
    source, target = rng.integers(1, symbols, (2, rows, columns)) * given
    values = {"source": source, "target": target, "size": size}
    return {name: tf.constant(value, tf.int32) for name, value in values.items()}


class Pairs:
    """A source whose text is its symbols, of the sizes given or of 1 to 7."""

    def __init__(self, sizes=None):
        self.sizes = sizes or [1 + k % 7 for k in range(101)]

    def dataset(self, split):
        texts = [chr(97 + k % 20) * size for k, size in enumerate(self.sizes)]
        return tf.data.Dataset.from_tensor_slices((texts, texts))

    def tokenize(self, texts):
        letters = tf.strings.bytes_split(texts)
        codes = tf.io.decode_raw(letters.flat_values, tf.uint8)[:, 0]
        return letters.with_flat_values(tf.cast(codes, tf.int32))


class Batches(tf.train.experimental.PythonState):
    """Batch k is a function of k; `before` is called with k before it is given."""

    dropout = None
    blanks_count, buckets = False, 1

    def __init__(self, before=lambda number: None):
        self.before = before
        self.number = 0

    def batches(self):
        while True:
            self.number += 1
            self.before(self.number)
            yield batch(self.number)

    def observe(self, result):
        pass

    def scalars(self):
        return {}

    def serialize(self):
        return str(self.number)

    def deserialize(self, text):
        self.number = int(text)


def step(
    model_options=None, blanks_count=False, buckets=1, parts=1, make=model, **options
):
    """A `TrainStep`; its options are those of `TrainingConfig`."""
    config = TrainingConfig(**options)
    strategy = mirrored_strategy(1)
    with strategy.scope():
        network = make(**model_options or {})
        optimizer = build_optimizer(config)
        optimizer.build(network.trainable_variables)
    return TrainStep(
        network,
        optimizer,
        config,
        strategy,
        blanks_count=blanks_count,
        buckets=buckets,
        parts=parts,
    )


def trainer(path, validate=lambda step: {"perplexity_symbol": 1.0}, **options):
    """A `Trainer` in a directory, with dropout and all that has a state."""
    defaults = dict(
        train_steps=12,
        log_every=3,
        validate_every=100,
        checkpoint_every=100,
        learning_rate=0.1,
        average_decay=0.5,
        gradient_noise=0.1,
    )
    before = options.pop("before", lambda number: None)
    config = TrainingConfig(**defaults | options)
    strategy = mirrored_strategy(1)
    with strategy.scope():
        network = model(dropout=0.3)
    directory = RunDirectory(path)
    directory.make()
    files = directory.training_files
    return Trainer(network, Batches(before), Judge(validate), config, files, strategy)


def weights(network):
    return [value.copy() for value in network.get_weights()]


def equal(first, second):
    """Bit for bit."""
    return len(first) == len(second) and all(map(np.array_equal, first, second))
