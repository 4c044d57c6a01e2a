"""Trains on two (logical) CPUs; run by test_replicas.py, prints JSON.

With the names of models: only these, a step each.
"""

import json
import sys

import keras
import numpy as np
import tensorflow as tf
import toy

CPU = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    CPU, 2 * [tf.config.LogicalDeviceConfiguration()]
)

from neural_gpu_tf.data import training_batches  # noqa: E402
from neural_gpu_tf.models import build_model  # noqa: E402
from neural_gpu_tf.optimizers import build_optimizer  # noqa: E402
from neural_gpu_tf.options import DataConfig, ModelConfig, TrainingConfig  # noqa: E402
from neural_gpu_tf.training.epochs import Epochs  # noqa: E402
from neural_gpu_tf.training.strategy import mirrored_strategy  # noqa: E402
from neural_gpu_tf.training.train_step import TrainStep  # noqa: E402

BATCH = {
    "source": [[4, 5, 6, 7], [5, 6, 0, 0], [7, 0, 0, 0], [6, 4, 0, 0]],
    "target": [[7, 6, 5, 2], [6, 5, 2, 0], [2, 0, 0, 0], [5, 2, 0, 0]],
    "size": [4, 3, 1, 2],
}  # 7 symbols for the first replica, 3 for the second
STEPS = 3


def dealt(strategy, steps):
    """The batch again and again, each replica its rows."""
    values = {name: np.array(value, np.int32) for name, value in BATCH.items()}
    rows = tf.data.Dataset.from_tensor_slices(values).repeat(steps)
    options = tf.data.Options()
    options.autotune.enabled = False  # its thread holds up the end
    batches = rows.batch(4, drop_remainder=True).with_options(options)
    return strategy.experimental_distribute_dataset(batches)


def copies(variable):
    """What each replica holds."""
    values = getattr(variable.value, "values", [variable.value])
    return [value.numpy() for value in values]


REDUCED = []  # how many tensors a call sums over the replicas, in either's trace
all_reduce = tf.distribute.ReplicaContext.all_reduce


def counting(context, operation, value, *others):
    REDUCED.append(len(tf.nest.flatten(value)))
    return all_reduce(context, operation, value, *others)


tf.distribute.ReplicaContext.all_reduce = counting


def train(replicas, make_model, steps=STEPS, **options):
    keras.utils.set_random_seed(1)
    config = TrainingConfig(**options)
    strategy = mirrored_strategy(replicas)
    with strategy.scope():
        model = make_model()
        optimizer = build_optimizer(config)
        optimizer.build(model.trainable_variables)
    step = TrainStep(model, optimizer, config, strategy)
    results = [[float(x) for x in step(batch)] for batch in dealt(strategy, steps)]
    return strategy, model, results, step


def difference(first, second):
    pairs = zip(first, second, strict=True)
    return float(max(np.abs(np.subtract(a, b)).max() for a, b in pairs))


def apart(model):
    """The greatest difference between replicas of a variable."""
    return max(difference(copies(v)[:1], copies(v)[1:]) for v in model.variables)


def same_as_one(cost=0.0, **options):
    """How far training on two replicas is from training on one.

    Args:
        cost: weight of a loss that a layer adds.
        options: of `TrainingConfig`.
    """

    def make():
        return toy.model(symbols=8, cost=cost)

    options |= {"gradient_noise": 0.01, "average_decay": 0.5}
    _, one, expected, _ = train(1, make, **options)
    REDUCED.clear()
    strategy, two, found, step = train(2, make, **options)
    reduced = sum(REDUCED) / 2 - len(two.trainable_variables)
    before = make().get_weights()
    return {
        "weights": difference(two.get_weights(), one.get_weights()),
        "results": difference(found, expected),
        "apart": apart(two),
        "moved": difference(one.get_weights(), before),
        "norm": expected[0][2],
        "reduced": reduced,
        "traces": traces(step, strategy),
    }


def with_dropout():
    """The Neural GPU with dropout, and what the replicas drop."""
    config = ModelConfig(model="neural_gpu", maps=4, width=1, layers=1, dropout=0.5)
    strategy, model, results, _ = train(2, lambda: build_model(config, 8, seed=1))
    canvas = tf.ones([2, 3, 1, 4])

    @tf.function(autograph=False)
    def encode():
        size = tf.constant([3, 3])
        return strategy.run(lambda: model.encoder(canvas, size, training=True))

    first, second = strategy.experimental_local_results(encode())
    return {
        "apart": apart(model),
        "losses": [result[0] for result in results],
        "noise": difference([first], [second]),
    }


def of_models(names):
    """How far a step of each model on two replicas is from one on one."""
    answer = {}
    for name in names:
        config = ModelConfig(
            model=name, maps=4, width=1, layers=1, units=4, embedding_size=4
        )
        one, two = (
            train(n, lambda c=config: build_model(c, 8), optimizer="sgd", steps=1)[1]
            for n in (1, 2)
        )
        answer[name] = difference(two.get_weights(), one.get_weights())
    return answer


def traces(step, strategy):
    """Of a step that takes canvases of several widths too, batches of two kinds."""
    for more in (0, 2, 1):
        wider = {
            name: np.pad(np.array(x, np.int32), [(0, 0), (0, more)][: np.ndim(x)])
            for name, x in BATCH.items()
        }
        dealt_out = {
            name: strategy.experimental_distribute_values_from_function(
                lambda context, x=x: tf.constant(
                    np.split(x, 2)[context.replica_id_in_sync_group]
                )
            )
            for name, x in wider.items()
        }
        step(dealt_out)
    return step.traces


def epochs():
    """Whether the replicas' parts make the batches of `training_batches`."""
    pairs = toy.Pairs()
    config = DataConfig(max_length=8, max_batch_size=6, smallest_bucket=4)
    strategy = mirrored_strategy(2)
    batches = Epochs(pairs, pairs, config, strategy)
    expected = [
        batch["source"]
        for batch in training_batches(pairs, pairs, config, 0, replicas=2)
    ]
    equal, rows = True, set()
    for one, batch in zip(expected, batches.batches(), strict=False):
        parts = strategy.experimental_local_results(batch["source"])
        rows |= {len(part) for part in parts}
        equal &= bool(np.array_equal(np.concatenate(parts), one))
    return {"equal": equal, "rows": sorted(rows), "batches": len(expected)}


def of_training():
    """All the rest."""
    unclipped = dict(clip_norm=0.0, optimizer="sgd", learning_rate=0.1)
    return {
        "clipped": same_as_one(clip_norm=0.05),
        "unclipped, with a layer's loss": same_as_one(cost=0.3, **unclipped),
        "dropout": with_dropout(),
        "epochs": epochs(),
    }


if __name__ == "__main__":
    models = sys.argv[1:]
    print(json.dumps(of_models(models) if models else of_training()))
