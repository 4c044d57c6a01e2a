"""How every binary starts and how it fails."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from absl import app, logging

from neural_gpu_tf.bin.quiet_tensorflow import import_tensorflow
from neural_gpu_tf.errors import InputError

import_tensorflow()  # binaries import this module before any that needs TensorFlow


def run(main: Callable[[Sequence[str]], None]) -> None:
    """Parses the flags and calls `main` with the other arguments.

    An `InputError` is printed as one line on standard error, without a traceback,
    and the exit status is 2. Logs go to standard error.
    """

    def guarded(argv: Sequence[str]) -> None:
        logging.use_absl_handler()
        logging.set_verbosity(logging.INFO)
        logging.get_absl_handler().setFormatter(None)
        try:
            main(argv[1:])
        except InputError as error:
            print(f"{Path(argv[0]).name}: {error}", file=sys.stderr)
            sys.exit(2)
        except BrokenPipeError:  # the reader of our output has gone
            sys.stderr.close()
            sys.exit(1)

    app.run(guarded)


def no_arguments(arguments: Sequence[str]) -> None:
    """Raises InputError if there are arguments that are no flags."""
    if arguments:
        raise InputError(f"{arguments[0]!r}: not a flag; flags are --name=value")
