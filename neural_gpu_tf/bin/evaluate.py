"""neural-gpu-evaluate: scores a trained model on sentence pairs.

neural-gpu-evaluate --run_dir=runs/demo --source=test.en --target=test.fr --json
"""

import dataclasses
import json
from collections.abc import Sequence

from absl import flags, logging

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.data import TextFiles, open_source
from neural_gpu_tf.decoding import DecodingConfig
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import evaluate
from neural_gpu_tf.training import load_run

SPLIT = "validation"

flags.DEFINE_string("run_dir", None, "run directory of the model")
flags.DEFINE_string(
    "source", "", "sentences, plain or .gz; if not given, the run's validation data"
)
flags.DEFINE_string("target", "", "their references, line by line, plain or .gz")
flags.DEFINE_bool("json", False, "print one JSON object, as the last line")
flags.mark_flag_as_required("run_dir")
config_flags.define(DecodingConfig)


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    files = (flags.FLAGS.source, flags.FLAGS.target)
    if any(files) and not all(files):
        raise InputError("--source and --target: give both, or neither")
    pairs = TextFiles({SPLIT: files}) if any(files) else None
    run = load_run(flags.FLAGS.run_dir)
    data, decoding = run.config.data, run.config.decoding
    decoding = dataclasses.replace(decoding, **config_flags.given(DecodingConfig))
    pairs = pairs or open_source(data, [SPLIT])
    rows = zip(*pairs.dataset(SPLIT).as_numpy_iterator(), strict=True)
    sources, targets = ([text.decode() for text in texts] for texts in rows)
    logging.info("evaluating %d sentences", len(sources))
    result = evaluate(run.model, run.tokenizer, decoding, sources, targets, data)
    if flags.FLAGS.json:
        print(json.dumps(result))
    else:
        print("\n".join(f"{name:<19} {value}" for name, value in result.items()))


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
