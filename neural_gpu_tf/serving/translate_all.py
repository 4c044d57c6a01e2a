"""Many texts, translated in batches."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import tensorflow as tf


class Translation(NamedTuple):
    """What a translator says of one text."""

    text: str
    log_probability: float
    size: int


def translate_all(
    translate: Callable[[tf.Tensor], Mapping[str, tf.Tensor]],
    texts: Sequence[str | bytes],
    batch_size: int = 128,
) -> list[Translation]:
    """Translates texts, similarly long ones together; the order is that of `texts`.

    Args:
        translate: `Translator.translate` or `ExportedTranslator.translate`.
        texts: sentences; bytes are UTF-8.
        batch_size: texts in a call of `translate`.
    """
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    translations: dict[int, Translation] = {}
    for start in range(0, len(order), batch_size):
        some = order[start : start + batch_size]
        answer = translate(tf.constant([texts[index] for index in some]))
        columns = (answer[name].numpy().tolist() for name in Translation._fields)
        for index, (text, *rest) in zip(some, zip(*columns, strict=True), strict=True):
            translations[index] = Translation(text.decode(), *rest)
    return [translations[index] for index in range(len(texts))]
