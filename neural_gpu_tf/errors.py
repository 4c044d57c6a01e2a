"""The one exception a user is meant to see, and what others say."""

import re


class InputError(ValueError):
    """Something the user gave is wrong.

    The message is one line: what is wrong, where (file and line, or flag), and
    what to do about it. The binaries print it without a traceback and exit with
    status 2.
    """


def reason(error: BaseException) -> str:
    """The first line of an error's message that says what is wrong.

    TensorFlow's may begin with a heading of its own, or with a node of its graph.
    """
    text = re.sub(r"^\{\{.*?\}\}", "", str(error))
    lines = (line.strip() for line in text.splitlines())
    said = (line for line in lines if line and line != "Graph execution error:")
    return next(said, type(error).__name__)
