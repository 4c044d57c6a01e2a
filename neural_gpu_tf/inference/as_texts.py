"""What users give as texts, as a list of them."""

from collections.abc import Iterable
from typing import Any

from neural_gpu_tf.errors import InputError


def as_texts(text: Any) -> tuple[list[bytes], bool]:
    """Texts in UTF-8, and whether a single one was given.

    Args:
        text: a string, bytes, an array or tensor of either, of one axis or none, or
            any iterable of them.

    Raises:
        InputError: one of them is no text, or can't be written in UTF-8.
    """
    if hasattr(text, "numpy"):  # a tensor
        text = text.numpy()
    if hasattr(text, "tolist"):  # an array, or a scalar of one
        text = text.tolist()
    one = isinstance(text, str | bytes)
    if not one and not isinstance(text, Iterable):
        raise InputError(f"text={text!r}: must be a string, or several")
    return [_encoded(x, i) for i, x in enumerate([text] if one else text, 1)], one


def _encoded(text: Any, number: int) -> bytes:
    if hasattr(text, "numpy"):
        text = text.numpy()
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"text {number} to translate is {text!r}: can't be written in UTF-8; "
                "replace its surrogates"
            ) from error
    if not isinstance(text, bytes):
        raise InputError(f"text {number} to translate is {text!r}: must be a string")
    return text
