"""Scores of translations against references."""

from collections.abc import Sequence
from typing import Any

from sacrebleu.metrics import BLEU, CHRF


def scores(translations: Sequence[str], references: Sequence[str]) -> dict:
    """Corpus scores as the field reports them.

    Args:
        translations: plain text, one a sentence.
        references: plain text, one for each translation.

    Returns:
        exact_match, the share of translations that equal their reference but for white
        space; bleu, 0 to 100 (Papineni et al. 2002; Post 2018) and chrf, 0 to 100
        (Popović 2015), each with sacreBLEU's signature, which says how it was computed.
    """
    pairs = zip(translations, references, strict=True)
    equal = sum(ours.split() == theirs.split() for ours, theirs in pairs)
    result: dict[str, Any] = {"exact_match": equal / len(references)}
    for name, metric in (("bleu", BLEU()), ("chrf", CHRF())):
        score = metric.corpus_score(translations, [references])
        result[name] = score.score
        result[f"{name}_signature"] = str(metric.get_signature())
    return result
