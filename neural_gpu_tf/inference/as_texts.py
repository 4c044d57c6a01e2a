"""What users give as texts, as a list of them."""

import reprlib
from collections.abc import Iterable
from typing import Any

from neural_gpu_tf.errors import InputError


def as_texts(text: Any, name: str = "text") -> tuple[list[bytes], bool]:
    """Texts in UTF-8, and whether a single one was given.

    Args:
        text: a string, bytes, an array or tensor of either, of one axis or none, or
            any iterable of them.
        name: what one of them is, for errors.

    Raises:
        InputError: one of them is no text, or can't be written in UTF-8.
    """
    if hasattr(text, "numpy"):  # a tensor
        text = text.numpy()
    if hasattr(text, "tolist"):  # an array, or a scalar of one
        text = text.tolist()
    one = isinstance(text, str | bytes)
    if not one and not isinstance(text, Iterable):
        raise InputError(f"{name}={text!r}: must be a string, or several")
    texts = [text] if one else text
    return [_encoded(x, f"{name} {i}") for i, x in enumerate(texts, 1)], one


def _encoded(text: Any, name: str) -> bytes:
    if hasattr(text, "numpy"):
        text = text.numpy()
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{name} is {reprlib.repr(text)}: can't be written in UTF-8; replace "
                "its surrogates"
            ) from error
    if not isinstance(text, bytes):
        raise InputError(f"{name} is {reprlib.repr(text)}: must be a string")
    return text
