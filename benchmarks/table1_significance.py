"""BLEU by source length, with intervals, and significance, of `benchmarks.table1`.

python -m benchmarks.table1_significance --out=DIR --source=F --target=F

(Figure 6 of Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", on real
sentences.) Reads DIR/MODEL_SEED/translations.txt of every run and keeps the counts that
BLEU is made of, sentence by sentence, in DIR/statistics.npz; a run that has its counts
there needs no translations. Test sets are drawn anew from the sentences, the same ones
for all runs: an interval has 95% of them, and p is that of `paired_bootstrap` against
the run of the baseline with the same seed, or with the seed it has. DIR/lengths.csv has
BLEU by words of the source, DIR/lengths.png the means over seeds.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from absl import flags

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import replacing

BUCKETS = ((1, 7), (8, 10), (11, 13), (14, 16), (17, 40))
"""Words of the source; of test_2016_flickr 86 to 326 sentences each."""

BASELINE = "attention_seq2seq"
RESAMPLES = 1_000
SEED = 12345


class Tested(NamedTuple):
    """BLEU of a run on a set of sentences."""

    model: str
    seed: int
    words: str  # of the sources, like 8-10; "all"
    sentences: int
    bleu: float
    low: float  # 95% of resampled sets lie between these two
    high: float
    p_value: float  # against the baseline; nan for the baseline


def counts(translations: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """What BLEU is made of, [sentences, 10]: both lengths, 4 matches, 4 totals."""
    from sacrebleu.metrics import BLEU

    metric, rows = BLEU(), []
    for ours, theirs in zip(translations, references, strict=True):
        score = metric.corpus_score([ours], [[theirs]])
        rows.append([score.sys_len, score.ref_len, *score.counts, *score.totals])
    return np.array(rows, "int32")


def bleu(sums: np.ndarray) -> float:
    """BLEU of the sums of `counts` over a set of sentences, 0 to 100."""
    from sacrebleu.metrics import BLEU

    ours, theirs, *others = map(int, sums)
    return BLEU.compute_bleu(others[:4], others[4:], ours, theirs, "exp").score


def resampled(rows: np.ndarray) -> np.ndarray:
    """BLEU of sets of as many sentences, drawn with replacement, [RESAMPLES]."""
    draws = np.random.default_rng(SEED).integers(len(rows), size=(RESAMPLES, len(rows)))
    return np.array([bleu(rows[draw].sum(0)) for draw in draws])


def p_value(difference: float, differences: np.ndarray) -> float:
    """How likely so large a difference is among equals; see `paired_bootstrap`."""
    if not np.ptp(differences):  # of one sentence too, however often it is repeated
        return 1.0
    around = np.abs(differences) - np.abs(differences).mean()
    return (1 + int((around > abs(difference)).sum())) / (1 + len(differences))


def read_counts(out: Path, references: Sequence[str]) -> dict[str, np.ndarray]:
    """The counts of every run by its name, MODEL_SEED; kept in DIR/statistics.npz.

    They are made anew where the translations or the references are others.

    Raises:
        InputError: there are not as many translations as references, or counts of other
            references without translations to make them anew.
    """
    path = out / "statistics.npz"
    known = dict(np.load(path)) if path.exists() else {}
    told = _sha256(references)
    others = str(known.get("sha256_references", told)) != told
    anew: dict[str, np.ndarray] = {}
    files = sorted(out.glob("*_[0-9]*/translations.txt"))
    for file in files:
        name, text = file.parent.name, file.read_text("utf-8")
        digest = _sha256([text, *references])
        if name in known and known.get(f"sha256_{name}") == digest:
            continue
        texts = text.split("\n")[:-1]
        if len(texts) != len(references):
            raise InputError(
                f"{file}: {len(texts)} lines, but {len(references)} references; give "
                "the --source and --target of that benchmarks.table1"
            )
        anew |= {name: counts(texts, references), f"sha256_{name}": np.array(digest)}
    known |= anew
    runs = {name: x for name, x in known.items() if not name.startswith("sha256_")}
    made_here = {file.parent.name for file in files}
    for name, rows in runs.items():
        if len(rows) != len(references) or (others and name not in made_here):
            raise InputError(
                f"{path}: {name} has the counts of {len(rows)} sentences with other "
                "references; give those that it was made with"
            )
    if anew or "sha256_references" not in known:
        with replacing(path) as beside, open(beside, "wb") as file:
            np.savez_compressed(file, **known | {"sha256_references": np.array(told)})
    return runs


def _sha256(texts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def measured(
    runs: Mapping[str, np.ndarray], lengths: np.ndarray, words: tuple[int, int] | None
) -> list[Tested]:
    """Every run on the sentences of so many words; None: on all."""
    first, last = words or (0, int(lengths.max()))
    some = (first <= lengths) & (lengths <= last)
    label = f"{first}-{last}" if words else "all"
    draws = {name: resampled(rows[some]) for name, rows in runs.items()}
    scores = {name: bleu(rows[some].sum(0)) for name, rows in runs.items()}
    baselines = [name for name in runs if name.startswith(BASELINE)]
    found = []
    for name in runs:
        model, _, seed = name.rpartition("_")
        same = f"{BASELINE}_{seed}"
        base = same if same in runs else next(iter(baselines), None)
        p = float("nan")
        if base and model != BASELINE:
            p = p_value(scores[name] - scores[base], draws[name] - draws[base])
        low, high = np.percentile(draws[name], [2.5, 97.5])
        score, low, high = (round(float(x), 2) for x in (scores[name], low, high))
        count = int(some.sum())
        found.append(Tested(model, int(seed), label, count, score, low, high, p))
    return found


def markdown(rows: Sequence[Tested]) -> str:
    """A line a run: BLEU of all sentences, p, and BLEU by words of the source."""
    spans = list(dict.fromkeys(row.words for row in rows))
    lines = [
        "| model | seed | p | " + " | ".join(spans) + " |",
        "| --- | ---: | ---: " + "| ---: " * len(spans) + "|",
    ]
    for run in dict.fromkeys((row.model, row.seed) for row in rows):
        own = [row for row in rows if (row.model, row.seed) == run]
        p = "" if np.isnan(own[0].p_value) else f"{own[0].p_value:.3f}"
        cells = " | ".join(f"{x.bleu:.1f} ({x.low:.1f} to {x.high:.1f})" for x in own)
        lines.append(f"| {run[0]} | {run[1]} | {p} | {cells} |")
    return "\n".join(lines) + "\n"


def draw(rows: Sequence[Tested], path: Path) -> None:
    """BLEU against words of the source, the mean over seeds."""
    from neural_gpu_tf.evaluation.line_chart import Line, line_chart

    lines = []
    for model in dict.fromkeys(row.model for row in rows):
        points = []
        for first, last in BUCKETS:
            some = [
                row.bleu
                for row in rows
                if row.model == model and row.words == f"{first}-{last}"
            ]
            if some:
                points.append((float(first), float(np.mean(some))))
        lines.append(Line(model, points))
    ticks = {float(first): f"{first}-{last}" for first, last in BUCKETS}
    line_chart(lines, "words of the source", "BLEU", x_ticks=ticks).save(path)


def main(argv: Sequence[str]) -> None:
    from benchmarks.csv_rows import append
    from neural_gpu_tf.text.lines import read_lines

    app.no_arguments(argv)
    values, out = flags.FLAGS, Path(flags.FLAGS.out)
    sources, references = (list(read_lines(f)) for f in (values.source, values.target))
    if len(sources) != len(references):
        raise InputError(
            f"{values.source} and {values.target}: {len(sources)} and "
            f"{len(references)} lines; give as many"
        )
    runs = read_counts(out, references)
    if not runs:
        raise InputError(f"{out}: no MODEL_SEED/translations.txt; give a table's --out")
    lengths = np.array([len(source.split()) for source in sources])
    rows: list[Any] = []
    spans = [(a, b) for a, b in BUCKETS if ((a <= lengths) & (lengths <= b)).any()]
    for words in (None, *spans):
        rows += measured(runs, lengths, words)
    (out / "lengths.csv").unlink(missing_ok=True)
    append(out / "lengths.csv", rows)
    draw(rows, out / "lengths.png")
    print(markdown(rows))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_string("out", None, "the folder of benchmarks.table1")
    flags.DEFINE_string("source", None, "the test sentences, plain or .gz")
    flags.DEFINE_string("target", None, "their references")
    flags.mark_flags_as_required(["out", "source", "target"])
    app.run(main)
