"""How every binary starts and how it fails."""

import re
import sys
from collections.abc import Callable, Sequence
from logging import WARNING, LogRecord
from pathlib import Path
from typing import NoReturn

from absl import app, flags, logging

from neural_gpu_tf import __version__
from neural_gpu_tf.bin.quiet_tensorflow import import_tensorflow
from neural_gpu_tf.errors import InputError

if "--version" in sys.argv[1:]:
    print(f"neural-gpu-tf {__version__}")
    sys.exit(0)
import_tensorflow()  # binaries import this module before any that needs TensorFlow


def run(main: Callable[[Sequence[str]], None]) -> None:
    """Parses the flags and calls `main` with the other arguments.

    A wrong flag or an `InputError` is printed as one line on standard error, without a
    traceback, and the exit status is 2; Ctrl-C is status 130. Logs go to standard
    error. `--help` shows the docstring of `main`'s module and all flags of the package.
    """

    def parsed(argv: Sequence[str]) -> list[str]:
        _prepare_help(sys.modules[main.__module__].__doc__)
        try:
            return flags.FLAGS(argv)
        except flags.Error as error:
            reason = " ".join(str(error).split()).rstrip(".")
            _fail(argv, f"{reason}; --help lists the flags")
        except SystemExit:  # absl's end of --help, with status 1
            sys.exit(0)

    def guarded(argv: Sequence[str]) -> None:
        logging.use_absl_handler()
        logging.set_verbosity(logging.INFO)
        handler = logging.get_absl_handler()
        handler.setFormatter(None)
        handler.addFilter(_is_for_the_user)
        try:
            main(argv[1:])
        except InputError as error:
            _fail(argv, _as_flags(str(error)))
        except KeyboardInterrupt:
            _fail(argv, "interrupted", status=130)
        except BrokenPipeError:  # the reader of our output has gone
            sys.stderr.close()
            sys.exit(1)

    app.run(guarded, flags_parser=parsed)


def no_arguments(arguments: Sequence[str]) -> None:
    """Raises InputError if there are arguments that are no flags."""
    if arguments:
        raise InputError(f"{arguments[0]!r}: not a flag; flags are --name=value")


def _as_flags(message: str) -> str:
    """The message with `name=` of options written as the flags `--name=`."""

    def flag(match: re.Match[str]) -> str:
        return f"--{match[0]}" if match[1] in flags.FLAGS else match[0]

    return re.sub(r"(?<![\w/.=-])([a-z][a-z_0-9]*)=", flag, message)


def _fail(argv: Sequence[str], reason: object, status: int = 2) -> NoReturn:
    print(f"{Path(argv[0]).name}: {reason}", file=sys.stderr)
    sys.exit(status)


def _prepare_help(text: str | None) -> None:
    """Makes `--help` show `text` and every flag that this package defines."""
    sys.modules["__main__"].__doc__ = text
    for module, own in flags.FLAGS.flags_by_module_dict().items():
        if module.startswith("neural_gpu_tf."):
            for flag in own:
                flags.FLAGS.register_key_flag_for_module(sys.argv[0], flag)


def _is_for_the_user(record: LogRecord) -> bool:
    """False for what TensorFlow tells of its own workings."""
    return record.levelno >= WARNING or "/tensorflow/" not in record.pathname
