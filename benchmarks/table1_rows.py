"""Rows of `benchmarks.table1`, and what is measured of a run."""

from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.equal_size import sized


class Row(NamedTuple):
    """A run of the table."""

    model: str
    seed: int
    parameters: int
    size: str
    learning_rate: float
    minutes: float  # of the processor
    seconds_step: float
    steps: int
    perplexity: float  # of a symbol of the validation data
    test_perplexity: float
    bleu: float
    bleu_low: float  # 95% of resampled test sets lie between these two
    bleu_high: float
    bleu_lowercased: float
    chrf: float
    exact: float
    ms_sentence: float  # in batches, one thread
    bleu_signature: str


class RateRow(NamedTuple):
    """A learning rate that was tried."""

    model: str
    learning_rate: float
    minutes: float
    perplexity: float


def measure(run_dir: Path, test: tuple[str, str]) -> dict[str, Any]:
    """The fields of a trained run's `Row` that its training did not tell.

    The translations are kept beside it, in translations.txt.

    Args:
        run_dir: the run.
        test: files of sentences and of references; ("", "") for the validation data.
    """
    from sacrebleu.metrics import BLEU

    from neural_gpu_tf.data import TextFiles, read_pairs
    from neural_gpu_tf.evaluation.evaluate import translate_and_evaluate
    from neural_gpu_tf.evaluation.paired_bootstrap import paired_bootstrap
    from neural_gpu_tf.runs.load import load_run, own_source

    run = load_run(run_dir)
    config = run.config
    source = TextFiles({"validation": test}) if test[0] else None
    source = source or own_source(run, "validation")
    sources, targets = read_pairs(source.dataset("validation"))
    translations, found = translate_and_evaluate(
        *(run.model, run.tokenizer, config.decoding, sources, targets, config.data)
    )
    lines = "".join(" ".join(line.split()) + "\n" for line in translations)
    (run_dir / "translations.txt").write_text(lines, "utf-8")
    [resampled], _ = paired_bootstrap([translations], targets)
    lowercased = BLEU(lowercase=True).corpus_score(translations, [targets]).score
    symbols = run.tokenizer.tokenize(translations).flat_values.shape[0]
    seconds = (symbols + len(sources)) / found["symbols_per_second"]
    x, *_ = sized(config.model.model, 0)
    return {
        "parameters": run.model.count_params(),
        "size": f"{x}={getattr(config.model, x)}",
        "test_perplexity": round(found["perplexity_symbol"] or float("inf"), 4),
        "bleu": round(found["bleu"], 2),
        "bleu_low": round(resampled.mean - resampled.interval, 2),
        "bleu_high": round(resampled.mean + resampled.interval, 2),
        "bleu_lowercased": round(lowercased, 2),
        "chrf": round(found["chrf"], 2),
        "exact": found["exact_match"],
        "ms_sentence": round(1000 * seconds / len(sources), 2),
        "bleu_signature": found["bleu_signature"],
    }
