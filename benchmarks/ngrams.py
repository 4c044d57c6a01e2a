"""Dynamic N-grams: how near do models come to the optimal estimator?

python -m benchmarks.ngrams --models=neural_turing_machine,rnn_seq2seq --minutes=15

Trains each model for so many minutes on sequences that never repeat, as a language
model (its source is empty), and prints what the held-out ones cost it, in bits a
sequence, and how much more than the optimal estimator that is. (Graves, Wayne &
Danihelka 2014, "Neural Turing Machines", §4.4.)
"""

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from absl import flags

from benchmarks.list_flags import define_names
from benchmarks.one_core import keep_to_one_core
from neural_gpu_tf.tasks import DynamicNGrams

OPTIONS = {
    "units": 100,
    "embedding_size": 8,
    "layers": 1,
    "memory_rows": 128,
    "memory_width": 20,
    "read_heads": 1,
    "write_heads": 1,
    "order": 6,
    "length": 200,
    "batch": 32,
    "held_out": 512,
    "seed": 0,
}


def as_language(task: DynamicNGrams, bits: np.ndarray) -> dict[str, np.ndarray]:
    """A batch whose source is one blank."""
    rows = len(bits)
    return {
        "source": np.zeros((rows, 1), np.int32),
        "target": task.symbols(bits).astype(np.int32),
        "size": np.full(rows, task.length, np.int32),
    }


def _train_step(model: Any, learning_rate: float, seed: int, strategy: Any) -> Any:
    """The package's training step, with Adam of the usual epsilon."""
    from neural_gpu_tf.optimizers import build_optimizer
    from neural_gpu_tf.options import TrainingConfig
    from neural_gpu_tf.training.train_step import TrainStep

    training = TrainingConfig(
        learning_rate=learning_rate, adam_epsilon=1e-8, training_seed=seed
    )
    with strategy.scope():
        optimizer = build_optimizer(training)
        optimizer.build(model.trainable_variables)
    return TrainStep(model, optimizer, training, strategy, blanks_count=True)


def measure(
    name: str, options: dict[str, Any], minutes: float, every: int
) -> Iterator[dict[str, Any]]:
    """Trains one model.

    Args:
        name: of the model.
        options: see `OPTIONS`; and "controller", "memory_start", "learning_rate".
        minutes: of training, of the processor, one thread.
        every: steps between measurements.

    Yields:
        At each measurement: model, sequences (trained on), minutes, cost and optimal
        (bits a sequence, on average over the held-out ones), above (of the optimal).
    """
    import tensorflow as tf

    from neural_gpu_tf.options import ModelConfig
    from neural_gpu_tf.training.new_model import new_model
    from neural_gpu_tf.training.strategy import mirrored_strategy

    task = DynamicNGrams(options["order"], options["length"])
    strategy, seed = mirrored_strategy(1), options["seed"]
    fields = ModelConfig.__dataclass_fields__
    chosen = {key: value for key, value in options.items() if key in fields}
    config = ModelConfig(model=name, cell="lstm", **chosen)
    model = new_model(config, task.vocabulary_size, seed, strategy)
    step = _train_step(model, options["learning_rate"], seed, strategy)
    held_out = task.generate(np.random.default_rng([seed, 1]), options["held_out"])
    optimal = task.cost(held_out, task.estimates(held_out)).mean()

    @tf.function(autograph=False, reduce_retracing=True)
    def costs(batch: dict[str, tf.Tensor]) -> tf.Tensor:
        nats = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=batch["target"], logits=model(batch)
        )
        return tf.reduce_sum(nats, axis=1) / np.log(2)

    rng, steps, seconds = np.random.default_rng([seed, 0]), 0, 0.0
    while seconds < 60 * minutes:
        clock = time.process_time()
        for _ in range(every):
            bits = task.generate(rng, options["batch"])
            step({k: tf.constant(x) for k, x in as_language(task, bits).items()})
        steps += every
        seconds += time.process_time() - clock
        parts = np.array_split(held_out, max(1, len(held_out) // options["batch"]))
        cost = np.concatenate([costs(as_language(task, part)) for part in parts]).mean()
        yield {
            "model": name,
            "sequences": steps * options["batch"],
            "minutes": round(seconds / 60, 2),
            "cost": round(float(cost), 2),
            "optimal": round(float(optimal), 2),
            "above": round(float(cost / optimal - 1), 4),
        }


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    keep_to_one_core()
    values = flags.FLAGS
    own = ("controller", "memory_start", "learning_rate")
    options = {name: getattr(values, name) for name in (*OPTIONS, *own)}
    for model in values.models:
        for row in measure(model, options, values.minutes, values.every):
            if values.json:
                print(json.dumps(row), flush=True)
                continue
            print(
                f"{model:<22} {row['sequences']:>8} sequences {row['minutes']:6.1f} min"
                f"   {row['cost']:7.2f} bits a sequence, optimal {row['optimal']:.2f}"
                f" (+{100 * row['above']:.1f}%)",
                flush=True,
            )


if __name__ == "__main__":
    from neural_gpu_tf.bin import app
    from neural_gpu_tf.options.model import NAMES

    for option, default in OPTIONS.items():
        least = 0 if option == "seed" else 1
        flags.DEFINE_integer(option, default, option, lower_bound=least)
    flags.DEFINE_string("controller", "lstm", "lstm or feedforward")
    flags.DEFINE_string("memory_start", "learned", "learned or constant")
    flags.DEFINE_float("learning_rate", 1e-3, "Adam's learning rate")
    usual = ["neural_turing_machine", "rnn_seq2seq"]
    define_names("models", usual, list(NAMES), "which")
    flags.DEFINE_float("minutes", 15.0, "of the processor, training each model")
    flags.DEFINE_integer("every", 100, "steps between measurements", lower_bound=1)
    flags.DEFINE_bool("json", False, "print JSON lines")
    app.run(main)
