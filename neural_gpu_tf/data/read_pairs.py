"""Sentence pairs as text."""

import tensorflow as tf

from neural_gpu_tf.errors import InputError


def read_pairs(pairs: tf.data.Dataset, split: str = "") -> tuple[list[str], list[str]]:
    """The sources of a dataset of sentence pairs, at least one, and their references.

    Args:
        pairs: of (source, target), string scalars, in UTF-8, as `Source.dataset` gives;
            bad bytes are read as U+FFFD.
        split: what they are, for the message.

    Raises:
        InputError: all sources, or all references, are blank.
    """
    rows = zip(*pairs.as_numpy_iterator(), strict=True)
    sources, references = (
        [text.decode(errors="replace") for text in texts] for texts in rows
    )
    for name, texts in (("sources", sources), ("references", references)):
        if not any(map(str.strip, texts)):
            what = f"{split} {name}".lstrip()
            raise InputError(f"all {len(texts)} {what} are blank; check their file")
    return sources, references
