"""The one exception a user is meant to see, and what others say."""

import re


class InputError(ValueError):
    """Raised when a value, file or flag that the user gave is invalid.

    The message is one line: what is wrong, where (file and line, or flag), and
    what to do about it. The binaries print it without a traceback and exit with
    status 2.
    """


_HEADING = re.compile(
    r'Graph execution error:|Detected at node |<stack traces unavailable>|File "'
)


def one_line(error: object) -> str:
    """An error's message on one line, at most 300 characters of it."""
    return " ".join(str(error).split())[:300] or type(error).__name__


def reason(error: BaseException) -> str:
    """The first line of an error's message that says what is wrong.

    TensorFlow's may begin with headings of its own, or with a node of its graph and the
    places in files where that was made.
    """
    text = re.sub(r"^\{\{.*?\}\}", "", str(error))
    lines = (line.strip() for line in text.splitlines())
    said = (line for line in lines if line and not _HEADING.match(line))
    line = next(said, type(error).__name__)
    return re.sub(r"^assertion failed: \[(.*)\]$", r"\1", line)
