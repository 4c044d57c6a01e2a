"""Paired bootstrap test of systems' BLEU (Koehn 2004)."""

from collections.abc import Sequence
from typing import NamedTuple

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

RESAMPLES = 1_000
CONFIDENCE = 95
"""Per cent of the resamples that lie in sacreBLEU's interval."""


class BootstrapResult(NamedTuple):
    """One model's BLEU over resampled test sets."""

    bleu: float  # of the test set itself
    mean: float  # of the resamples
    interval: float  # half the width of the interval that 95% of them lie in
    p_value: float | None  # of the first model: None


def paired_bootstrap(
    translations: Sequence[Sequence[str]],
    references: Sequence[str],
    resamples: int = RESAMPLES,
) -> tuple[list[BootstrapResult], str]:
    """Tests each model's BLEU against the first model's by paired bootstrap.

    As many sentences as the test set has are drawn from it with replacement, again
    and again, the same ones for each model. With d the difference of two models' BLEU
    on the test set and d_i on the i-th resample,

        p = (1 + #{i : |d_i| - mean_j |d_j| > |d|}) / (1 + resamples)

    is about how likely so large a difference were if the models were equally good: for
    a large one as in a one-sided test, half of a two-sided one's; for one near 0, where
    d_i has either sign, too small. It says nothing of other seeds.

    sacreBLEU computes it; its seed is 12345, or SACREBLEU_SEED of the environment.
    Where resampling tells the models apart in no way its formula gives the least p
    there is; here p is 1 if every d_i is 0 (the same output, or no BLEU at all) and
    if the test set is one sentence, or one again and again, of which every resample is
    the same.

    Args:
        translations: each model's, at least one model.
        references: one for each sentence.
        resamples: how many.

    Returns:
        Each model's result, and sacreBLEU's signature, with the seed in it.
    """
    systems = [(str(i), list(texts)) for i, texts in enumerate(translations)]
    test = PairedTest(
        systems, {"BLEU": BLEU()}, [list(references)], "bs", n_samples=resamples
    )
    signatures, scores = test()
    results = [
        BootstrapResult(score.score, float(score.mean), float(score.ci), score.p_value)
        for score in scores["BLEU"]
    ]
    first, *others = results
    counts = _counts(translations[0], references)
    for i, other in enumerate(others, 1):
        texts = zip(references, translations[0], translations[i], strict=True)
        if (
            len(set(texts)) == 1
            or first.mean == other.mean == 0
            or _counts(translations[i], references) == counts
        ):
            results[i] = other._replace(p_value=1.0)
    return results, str(signatures["BLEU"])


def _counts(translations: Sequence[str], references: Sequence[str]) -> list[tuple]:
    """All that BLEU is computed from, sentence by sentence."""
    metric = BLEU(effective_order=True)  # sacreBLEU's advice for sentences
    pairs = zip(translations, references, strict=True)
    scores = (metric.sentence_score(ours, [theirs]) for ours, theirs in pairs)
    return [(x.sys_len, x.ref_len, *x.counts, *x.totals) for x in scores]
