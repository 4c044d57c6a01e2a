"""What a training step of a run costs: seconds of the processor, one thread at work.

python -m benchmarks.step_cost --run_dir=RUN

Takes steps with the run's own data and options, which change nothing in the run, and
prints one line of JSON: seconds_step, the mean over the steps that trace nothing, and
how many those are. Other work on the machine hardly changes it.
"""

import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from absl import flags

from benchmarks.one_core import keep_to_one_core
from neural_gpu_tf.errors import InputError


def step_cost(run_dir: Path, steps: int) -> dict[str, float]:
    """Takes so many steps; see the module."""
    from neural_gpu_tf.data import open_source
    from neural_gpu_tf.runs import RunDirectory
    from neural_gpu_tf.text import SpellOutTokenizer
    from neural_gpu_tf.training.epochs import Epochs
    from neural_gpu_tf.training.new_model import new_model
    from neural_gpu_tf.training.strategy import mirrored_strategy
    from neural_gpu_tf.training.trainer import Trainer
    from neural_gpu_tf.training.validation import Judge

    directory, strategy = RunDirectory(run_dir), mirrored_strategy(1)
    config = directory.read_config()
    vocabulary = directory.read_vocabulary(config)
    tokenizer = SpellOutTokenizer(vocabulary)
    batches = Epochs(open_source(config.data), tokenizer, config.data, strategy)
    seed, precision = config.training.training_seed, config.training.precision
    model = new_model(config.model, len(vocabulary), seed, strategy, precision)
    with tempfile.TemporaryDirectory() as scratch:
        files, judge = RunDirectory(scratch).training_files, Judge(lambda _: {})
        trainer = Trainer(model, batches, judge, config.training, files, strategy)
        seen, seconds = set(), []
        for _, batch in zip(range(steps), batches.batches(), strict=False):
            trainer.train_step.use_dropout(batches.dropout)
            start = time.process_time()
            float(trainer.train_step(batch).loss)
            columns = int(batch["source"].shape[1])
            if columns in seen:
                seconds.append(time.process_time() - start)
            seen.add(columns)
    if not seconds:
        raise InputError(
            f"--steps={steps}: each traced anew, none is left to time; give more"
        )
    return {"seconds_step": sum(seconds) / len(seconds), "steps": len(seconds)}


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    keep_to_one_core()
    print(json.dumps(step_cost(Path(flags.FLAGS.run_dir), flags.FLAGS.steps)))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_string("run_dir", None, "a run of sentences, of one step or more")
    flags.DEFINE_integer("steps", 60, "steps to take", lower_bound=1)
    flags.mark_flag_as_required("run_dir")
    app.run(main)
