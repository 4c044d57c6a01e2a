"""Limits of a request's work, in core TensorFlow ops."""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import tensorflow as tf

from neural_gpu_tf.options import ServingConfig

_WIDEST = 4  # bytes of a character


class CutTexts(NamedTuple):
    """Texts of which no more than the legal bytes are left."""

    text: tf.Tensor  # string [batch]
    cut: tf.Tensor  # bool [batch]: whether anything is missing


def legal_texts(texts: Iterable[str], limits: ServingConfig) -> list[str]:
    """Those that fit the limits, as many as fit a request."""
    fit = (x for x in texts if len(x.encode()) <= limits.max_text_bytes)
    return list(itertools.islice(fit, limits.max_texts))


def check_texts(text: tf.Tensor, limits: ServingConfig) -> tf.Tensor:
    """Fails the request if it has too many texts, string [batch]; returns them.

    Raises:
        tf.errors.InvalidArgumentError: when it runs; there are too many of them.
    """
    count, most = tf.shape(text)[0], limits.max_texts
    return checked(text, count <= most, f"{{}} texts: at most {most} a request", count)


def check_work(
    value: tf.Tensor, columns: tf.Tensor, limits: ServingConfig
) -> tf.Tensor:
    """Fails the request if its canvases have too many columns; returns `value`.

    Args:
        value: what the work begins with, of any type and shape.
        columns: of their canvases, int32, of any shape.
        limits: of a request.

    Raises:
        tf.errors.InvalidArgumentError: when it runs; there are too many columns.
    """
    columns = tf.cast(columns, tf.float64)  # whose sum can't overflow
    most = limits.max_request_columns
    return _checked_sum(value, columns, most, "columns of canvases", "texts")


def check_steps(
    value: tf.Tensor, columns: tf.Tensor, limits: ServingConfig
) -> tf.Tensor:
    """Fails the request if its canvases take too many steps; returns `value`.

    Args:
        value: what the work begins with, of any type and shape.
        columns: of their canvases, int32 [batch], each of which takes a step a column.
        limits: of a request.

    Raises:
        tf.errors.InvalidArgumentError: when it runs; they take too many steps.
    """
    steps = tf.square(tf.cast(columns, tf.float64))
    most = limits.max_request_steps
    return _checked_sum(value, steps, most, "steps of columns", "questions")


def _checked_sum(
    value: tf.Tensor, parts: tf.Tensor, most: int, unit: str, what: str
) -> tf.Tensor:
    """`value`, if the parts are together at most so many; see `checked`."""
    total = tf.reduce_sum(parts)
    message = f"{{}} {unit}: at most {most} a request; send fewer {what}"
    return checked(value, total <= most, message, tf.cast(total, tf.int64))


def cut_texts(text: tf.Tensor, limits: ServingConfig) -> CutTexts:
    """Cuts texts, string [batch], to `max_text_bytes`, between two characters.

    Nothing but the lengths of the rest is looked at, so a text of any length costs no
    more than a legal one.

    Raises:
        tf.errors.InvalidArgumentError: when it runs; there are too many of them.
    """
    text, most = check_texts(text, limits), limits.max_text_bytes
    cut = tf.strings.length(text) > most
    # The last bytes that are kept and the first that is not; "" where nothing is cut.
    start = tf.where(cut, most + 1 - _WIDEST, 0)
    last = tf.strings.substr(
        tf.where(cut, text, ""), start, tf.fill(tf.shape(start), _WIDEST)
    )
    octets = tf.cast(tf.io.decode_raw(last, tf.uint8, fixed_length=_WIDEST), tf.int32)
    inside = tf.equal(tf.bitwise.bitwise_and(octets, 0xC0), 0x80)
    # A character that goes on beyond the limit begins so many bytes before it.
    back = tf.reduce_sum(tf.math.cumprod(tf.cast(inside, tf.int32), 1, reverse=True), 1)
    kept = most - tf.where(cut & (back < _WIDEST), back, 0)
    return CutTexts(tf.strings.substr(text, tf.zeros_like(kept), kept), cut)


def checked(
    value: tf.Tensor, condition: tf.Tensor, message: str, number: tf.Tensor
) -> tf.Tensor:
    """`value`, which is there only if the condition, a scalar, holds.

    Args:
        message: of the error, with "{}" for `number`.

    Raises:
        tf.errors.InvalidArgumentError: when it runs; the condition does not hold.
    """
    said = tf.strings.format(message, [number])
    with tf.control_dependencies([tf.debugging.Assert(condition, [said])]):
        return tf.identity(value)
