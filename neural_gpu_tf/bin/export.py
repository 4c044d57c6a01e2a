"""neural-gpu-export: writes a SavedModel for TensorFlow Serving, or another format.

neural-gpu-export --run_dir=runs/demo --export_dir=models/numbers
neural-gpu-export --pretrained=badd --export_dir=models/badd       # adds binary numbers
neural-gpu-export --run_dir=runs/demo --format=onnx                # runs/demo/onnx/1
"""

from collections.abc import Sequence
from pathlib import Path

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.constants import MAX_COLUMNS
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DecodingConfig, ServingConfig

_SAVED = "saved_model"

run_flags.define()
flags.DEFINE_string(
    "export_dir",
    "",
    "folder for the versions of the model; empty: RUN_DIR/export, or RUN_DIR/onnx, "
    "RUN_DIR/litert and RUN_DIR/litert_int8 of these formats",
)
flags.DEFINE_enum(
    "format",
    _SAVED,
    [_SAVED, "onnx", "litert", "litert_int8"],
    "saved_model: text to text, for TensorFlow Serving; onnx, litert: the decoder "
    "only, symbols to symbols, with vocab.txt next to it; litert_int8: the same with "
    "weights rounded to 8 bits, a quarter of the size and faster",
)
flags.DEFINE_integer(
    "export_version",
    None,
    "number of the version; if not given, the one after the highest there",
    lower_bound=1,
)
flags.DEFINE_integer(
    "max_columns",
    MAX_COLUMNS,
    "for a model of an algorithmic task: columns of the widest canvas that is served; "
    "limits the work for a question; longer questions get no answer",
    lower_bound=1,
)
config_flags.define(DecodingConfig)
config_flags.define(ServingConfig)


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.runs import (
        RunDirectory,
        load_runs,
        load_task_run,
        run_translator,
    )
    from neural_gpu_tf.serving import (
        export,
        export_decoder,
        export_solver,
        export_task_decoder,
    )

    app.no_arguments(argv)
    args, runs = flags.FLAGS, run_flags.all_required()
    if args.pretrained and not args.export_dir:
        raise InputError("--export_dir: not set; name the folder for the versions")
    kind, version, saved = args.format, args.export_version, args.format == _SAVED
    directory = args.export_dir or Path(runs[0], "export" if saved else kind)
    limits = config_flags.read(ServingConfig)
    task = RunDirectory(runs[0]).read_config().task.task
    _check_flags(kind, task)
    if task:
        run = load_task_run(run_flags.required())
        if saved:
            print(export_solver(run, directory, version, args.max_columns, limits))
        else:
            print(export_task_decoder(run, directory, kind, version))
    else:
        translator = run_translator(load_runs(runs), config_flags.given(DecodingConfig))
        if saved:
            print(export(translator, directory, version, limits))
        else:
            print(export_decoder(translator, directory, kind, version))


def _check_flags(kind: str, task: str) -> None:
    """Raises InputError if a flag is given that the export has no use for."""
    of_tasks = {"max_columns", "max_request_steps"}
    if kind != _SAVED:
        reason = f"a limit for SavedModels only; --format={kind} has none"
        limits = of_tasks | config_flags.names(ServingConfig) | {"decode_cells"}
        config_flags.refuse(limits, f"{reason}; leave it out")
    if task:
        reason = f"for translations, but this run is of the task {task}; leave it out"
        config_flags.refuse(config_flags.names(DecodingConfig), reason)
    else:
        reason = "for algorithmic tasks, but this run is a translation; leave it out"
        config_flags.refuse(of_tasks, reason)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
