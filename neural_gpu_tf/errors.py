"""The one exception a user is meant to see."""


class InputError(ValueError):
    """Something the user gave is wrong.

    The message is one line: what is wrong, where (file and line, or flag), and
    what to do about it. The binaries print it without a traceback and exit with
    status 2.
    """
