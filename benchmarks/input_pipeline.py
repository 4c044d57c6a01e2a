"""How long training waits for its input, and how fast the input pipeline is alone.

python -m benchmarks.input_pipeline --flagfile=configs/demo.flags --json
python -m benchmarks.input_pipeline --flagfile=configs/multi30k_extended.flags \\
  --data_dir=DIR --vocab=vocab.txt

Takes the flags of `neural-gpu-train` and trains as that does: the same batches, the
same step. The share of waiting is the time between asking for a batch and having it,
over the time of the loop. The pipeline works beside the steps, on the same cores, so
what it computes shows in the steps' time; alone it has all cores.
"""

import json
import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Any

from absl import flags

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.data import Batch, open_source
from neural_gpu_tf.optimizers import build_optimizer
from neural_gpu_tf.options import (
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
    VocabularyConfig,
)
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary, count_pieces
from neural_gpu_tf.training.epochs import Epochs
from neural_gpu_tf.training.new_model import new_model
from neural_gpu_tf.training.strategy import batch_parts, mirrored_strategy, use_cores
from neural_gpu_tf.training.train_step import TrainStep

WANTED = 0.02
CONFIGS = (DataConfig, ModelConfig, TrainingConfig, VocabularyConfig, DecodingConfig)


def measure(
    batches: Iterator[Batch], step: TrainStep, steps: int, warm_up: int = 3
) -> dict[str, Any]:
    """Trains, and tells the steps' time and the time of waiting for their batches.

    Args:
        batches: without end.
        step: the training step.
        steps: how many are timed.
        warm_up: steps before these; the first one traces.

    Returns:
        "steps", "seconds" in all, "step_seconds" (median), "waited_seconds" in all,
        "longest_wait" (seconds) and "share_waited", of the seconds.
    """
    for _ in range(warm_up):
        float(step(next(batches)).loss)
    waits, works = [], []
    for _ in range(steps):
        start = time.perf_counter()
        batch = next(batches)
        middle = time.perf_counter()
        float(step(batch).loss)
        waits.append(middle - start)
        works.append(time.perf_counter() - middle)
    total = sum(waits) + sum(works)
    return {
        "steps": steps,
        "seconds": total,
        "step_seconds": statistics.median(works),
        "waited_seconds": sum(waits),
        "longest_wait": max(waits),
        "share_waited": sum(waits) / total,
    }


def measure_alone(batches: Iterator[Batch], seconds: float) -> dict[str, float]:
    """Takes batches and does nothing with them, for so many seconds at least.

    Returns:
        "batches_per_second", "pairs_per_second" and "symbols_per_second", of the
        targets, each EOS included.
    """
    next(batches)
    count = pairs = symbols = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        target = next(batches)["target"].numpy()
        count += 1
        pairs += len(target)
        symbols += int((target > 0).sum())
    total = time.perf_counter() - start
    return {
        "batches_per_second": count / total,
        "pairs_per_second": pairs / total,
        "symbols_per_second": symbols / total,
    }


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    data, model = config_flags.read(DataConfig), config_flags.read(ModelConfig)
    training = config_flags.read(TrainingConfig)
    vocabulary = config_flags.read(VocabularyConfig)
    parts = batch_parts(training.batch_parts, 1)
    use_cores(parts)
    source = open_source(data, ["train"])
    if values.vocab:
        symbols = Vocabulary.load(values.vocab)
    else:
        counts = count_pieces(source.sentences("train"))
        size, least = vocabulary.vocab_size, vocabulary.min_count
        symbols = Vocabulary.from_counts(
            counts.characters, counts.pieces, size, vocabulary.max_characters, least
        )
    strategy = mirrored_strategy(1)
    epochs = Epochs(source, SpellOutTokenizer(symbols), data, strategy)
    result = {"alone": measure_alone(epochs.batches(), values.seconds)}
    network = new_model(model, len(symbols), training.training_seed, strategy)
    with strategy.scope():
        optimizer = build_optimizer(training)
        optimizer.build(network.trainable_variables)
    step = TrainStep(network, optimizer, training, strategy, parts=parts)
    result |= measure(epochs.batches(), step, values.steps)
    if values.json:
        print(json.dumps(result))
        return
    alone = result["alone"]
    print(
        f"{result['share_waited']:.2%} of {result['seconds']:.1f} s waited for input "
        f"(less than {WANTED:.0%} is wanted), at most {result['longest_wait']:.3f} s\n"
        f"{result['step_seconds']:.3f} s a step; the pipeline alone: "
        f"{alone['batches_per_second']:,.0f} batches a second, "
        f"{alone['symbols_per_second']:,.0f} symbols"
    )


if __name__ == "__main__":
    flags.DEFINE_string("vocab", "", "vocabulary file; empty: a new one from the data")
    flags.DEFINE_integer("steps", 100, "training steps to time", lower_bound=1)
    flags.DEFINE_float("seconds", 10.0, "to take batches alone", lower_bound=0.1)
    flags.DEFINE_bool("json", False, "print one JSON object")
    for config in CONFIGS:
        config_flags.define(config)
    app.run(main)
