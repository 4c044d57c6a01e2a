"""Translation of many texts in batches of similar lengths."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import tensorflow as tf

from neural_gpu_tf.progress_bar import progress_bar


class Translation(NamedTuple):
    """The translation of one text, with its log-probability and canvas size."""

    text: str
    log_probability: float
    size: int
    n_best: tuple[tuple[float, str], ...] = ()  # score and text, if several are asked


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
    starts = range(0, len(order), batch_size)
    for start in progress_bar(starts, what="translating", unit=" batches"):
        some = order[start : start + batch_size]
        answer = translate(tf.constant([texts[index] for index in some]))
        columns = [answer[name].numpy().tolist() for name in Translation._fields[:3]]
        columns.append(_n_best(answer) or [()] * len(some))
        for index, (text, *rest) in zip(some, zip(*columns, strict=True), strict=True):
            translations[index] = Translation(text.decode(), *rest)
    return [translations[index] for index in range(len(texts))]


def _n_best(answer: Mapping[str, tf.Tensor]) -> list[tuple[tuple[float, str], ...]]:
    """Scores and texts of each sentence's best translations; [] if not asked for."""
    if "n_best_text" not in answer:
        return []
    scores = answer["n_best_score"].numpy().tolist()
    texts = answer["n_best_text"].numpy().tolist()
    return [
        tuple((score, text.decode()) for score, text in zip(*both, strict=True))
        for both in zip(scores, texts, strict=True)
    ]
