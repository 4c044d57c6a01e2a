"""Sentence pairs as text."""

import tensorflow as tf


def read_pairs(pairs: tf.data.Dataset) -> tuple[list[str], list[str]]:
    """The sources of a dataset of sentence pairs, at least one, and their references.

    Args:
        pairs: of (source, target), string scalars, in UTF-8, as `Source.dataset` gives;
            bad bytes are read as U+FFFD.
    """
    rows = zip(*pairs.as_numpy_iterator(), strict=True)
    sources, references = (
        [text.decode(errors="replace") for text in texts] for texts in rows
    )
    return sources, references
