"""neural-gpu-export: writes a SavedModel for TensorFlow Serving.

neural-gpu-export --run_dir=runs/demo --export_dir=models/numbers
"""

from collections.abc import Sequence
from pathlib import Path

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.decoding import DecodingConfig
from neural_gpu_tf.runs import load_runs, run_translator
from neural_gpu_tf.serving import export

run_flags.define()
flags.DEFINE_string(
    "export_dir", "", "folder for the versions of the model; empty: RUN_DIR/export"
)
flags.DEFINE_integer(
    "export_version",
    None,
    "number of the version; if not given, the one after the highest there",
    lower_bound=1,
)
config_flags.define(DecodingConfig)


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    run = load_runs(run_flags.all_required())
    translator = run_translator(run, config_flags.given(DecodingConfig))
    directory = flags.FLAGS.export_dir or Path(run.path, "export")
    print(export(translator, directory, flags.FLAGS.export_version))


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
