"""How every binary starts and how it fails."""

import contextlib
import errno
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from logging import WARNING, LogRecord
from pathlib import Path
from typing import NoReturn

from absl import app, flags, logging

from neural_gpu_tf import __version__
from neural_gpu_tf.bin.flagfiles import with_flagfiles
from neural_gpu_tf.bin.quiet_tensorflow import import_tensorflow
from neural_gpu_tf.bin.terminal import guard_standard_streams
from neural_gpu_tf.errors import InputError, reason

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG}
_HELP = "--help lists the flags; arguments after -- are not read as flags"


def run(main: Callable[[Sequence[str]], None]) -> None:
    """Parses the flags and calls `main` with the other arguments.

    TensorFlow is imported after the flags are parsed, so `--help` and `--version` are
    quick as long as binaries import what needs it within `main`.

    A wrong flag, an `InputError`, a file's `OSError`, standard output without room or
    too little memory is printed as one line on standard error, without a traceback, and
    the exit status is 2; Ctrl-C is status 130.
    Logs go to standard error. `--help` shows the docstring of `main`'s module and all
    flags of the package, by sections.
    """

    def parsed(argv: Sequence[str]) -> list[str]:
        with _failures_told(argv):
            return _parsed(argv, sys.modules[main.__module__].__doc__)

    def guarded(argv: Sequence[str]) -> None:
        logging.use_absl_handler()
        logging.set_verbosity(logging.INFO)
        handler = logging.get_absl_handler()
        handler.setFormatter(None)
        handler.python_handler.setStream(sys.stderr)  # absl's import took the unguarded
        handler.addFilter(_is_for_the_user)
        with _failures_told(argv):
            import_tensorflow()
            main(argv[1:])

    guard_standard_streams()
    app.run(guarded, flags_parser=parsed)


def _parsed(argv: Sequence[str], about: str | None) -> list[str]:
    """The arguments that are no flags; `--version` and `--help` end the program."""
    if "--version" in argv:
        print(f"neural-gpu-tf {__version__}")
        sys.exit(0)
    if {"--help", "-help", "-h"} & {*argv}:
        print(_help(about))
        sys.exit(0)
    for argument in argv:
        _check_unicode(argument)
    try:
        return flags.FLAGS(with_flagfiles(argv))
    except flags.Error as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"{reason}; {_HELP}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"a flagfile is no text of {error.encoding}; write it in UTF-8, and set "
            "PYTHONUTF8=1 if the locale is another"
        ) from error
    except SystemExit:  # absl's end of --helpfull, with status 1
        sys.exit(0)


@contextlib.contextmanager
def _failures_told(argv: Sequence[str]) -> Iterator[None]:
    """Ends the program, by one line on standard error, at what `run` names."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # what fails here would be told by Python, at its end
    except InputError as error:
        _fail(argv, _as_flags(str(error)))
    except KeyboardInterrupt:
        _fail(argv, "interrupted", status=130)
    except BrokenPipeError:  # the reader of our output has gone
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        if error.filename is None and error.errno not in _NO_ROOM:
            raise
        with contextlib.suppress(OSError):
            sys.stdout.close()  # it is not tried again
        _fail(argv, f"{error.filename or 'output'}: {error.strerror}")
    except _memory_errors() as error:
        advice = "take smaller batches, shorter lines or a smaller model"
        _fail(argv, f"not enough memory ({reason(error)}); {advice}")


def _memory_errors() -> tuple[type[Exception], ...]:
    """What Python raises where memory ends, and TensorFlow once it is imported."""
    tensorflow = sys.modules.get("tensorflow")
    ours = (tensorflow.errors.ResourceExhaustedError,) if tensorflow else ()
    return MemoryError, *ours


def no_arguments(arguments: Sequence[str], reads: str = "") -> None:
    """Raises InputError if there are arguments that are no flags.

    `reads` says what a binary takes from standard input, e.g. "sentences".
    """
    if not arguments:
        return
    advice = "flags are --name=value"
    if reads:
        advice += f"; {reads} are read from standard input, as by < FILE"
    raise InputError(f"{arguments[0]!r}: not a flag; {advice}")


def _as_flags(message: str) -> str:
    """The message with `name=` of options written as the flags `--name=`."""

    def flag(match: re.Match[str]) -> str:
        return f"--{match[0]}" if match[1] in flags.FLAGS else match[0]

    return re.sub(r"(?<![\w/.=-])([a-z][a-z_0-9]*)=", flag, message)


def _fail(argv: Sequence[str], reason: object, status: int = 2) -> NoReturn:
    print(f"{Path(argv[0]).name}: {reason}", file=sys.stderr)
    sys.exit(status)


def _help(text: str | None) -> str:
    """`text`, and every flag that this package defines, by sections."""
    sections = flags.FLAGS.flags_by_module_dict()
    ours = [name for name in sections if not name.startswith("absl.")]
    helps = [
        flags.FLAGS.module_help(name).replace("\nneural_gpu_tf.bin.", "\nbin.")
        for name in ours
    ]
    return "\n".join([(text or "").strip(), *helps])


def _check_unicode(argument: str) -> None:
    """Raises InputError if TensorFlow, whose paths are UTF-8, would read another."""
    if any("\udc80" <= x <= "\udcff" for x in argument):  # bytes that are no text
        raise InputError(f"{argument!r}: not UTF-8; rename the file or folder")
    if not argument.isascii() and sys.getfilesystemencoding() != "utf-8":
        raise InputError(
            f"{argument!r}: the locale is not one of UTF-8; set PYTHONUTF8=1"
        )


def _is_for_the_user(record: LogRecord) -> bool:
    """False for what TensorFlow tells of its own workings."""
    path = getattr(sys.modules.get("tensorflow"), "__file__", None)
    if path is None or Path(path).parent not in Path(record.pathname).parents:
        return True
    retraced = "triggered tf.function retracing" in record.getMessage()
    return record.levelno >= WARNING and not retraced
