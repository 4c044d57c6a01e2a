"""BLEU of sentences of each length."""

import collections
from collections.abc import Sequence
from typing import NamedTuple

from sacrebleu.metrics import BLEU


class LengthBleu(NamedTuple):
    """Sentences whose sources are of about one length."""

    first: int  # words of the shortest source that belongs here
    last: int  # and of the longest
    sentences: int
    bleu: float | None  # of these sentences as a corpus, 0 to 100

    @property
    def words(self) -> str:
        """As a text, like 10-19."""
        lengths = dict.fromkeys((self.first, self.last))  # once if they are one
        return "-".join(map(str, lengths))


def bleu_by_source_length(
    sources: Sequence[str],
    translations: Sequence[str],
    references: Sequence[str],
    words: int = 10,
) -> list[LengthBleu]:
    """BLEU against the length of the source (Kaiser & Bengio, NIPS 2016, Figure 6).

    The sentences are sorted into buckets, of 0 to 9 words, of 10 to 19 and so on;
    words are what white space divides, so the buckets are the same for models with
    different vocabularies. BLEU is that of each bucket as a corpus of its own.

    Args:
        sources: sentences.
        translations: a model's, one for each source.
        references: one for each source.
        words: lengths in a bucket.

    Returns:
        The buckets that have sentences, shortest first. BLEU is None where even the
        references would get none, since they have no four words in a row.
    """
    buckets = collections.defaultdict(list)
    for source, *pair in zip(sources, translations, references, strict=True):
        buckets[len(source.split()) // words].append(pair)
    result = []
    for bucket, pairs in sorted(buckets.items()):
        ours, theirs = (list(texts) for texts in zip(*pairs, strict=True))
        most, bleu = (BLEU().corpus_score(x, [theirs]).score for x in (theirs, ours))
        first, last = bucket * words, (bucket + 1) * words - 1
        result.append(LengthBleu(first, last, len(pairs), bleu if most else None))
    return result
