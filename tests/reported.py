"""Models as a report takes them, made up; they need no training."""

from neural_gpu_tf.evaluation import scores
from neural_gpu_tf.evaluation.read_scalars import Scalar
from neural_gpu_tf.evaluation.report_tables import ReportedModel
from neural_gpu_tf.options import DecodingConfig

WORDS = "one two three four five six seven eight nine ten eleven".split()
SOURCES = [" ".join(WORDS[: n % 11 + 1]) * (n % 3 + 1) for n in range(14)]
REFERENCES = [text.upper() for text in SOURCES]
HARD = '<script>alert("&amp;")</script>\u2028, 12.75'
"""A sentence that is easily spoiled on the way to a page or a CSV file."""


def model(name, wrong, scalars=(), **other):
    """A model whose every `wrong`-th translation lacks its last word."""
    texts = [
        text.rpartition(" ")[0] if number % wrong == 0 else text
        for number, text in enumerate(REFERENCES)
    ]
    texts[3] = HARD
    measured = {
        **scores(texts, REFERENCES),
        "perplexity_symbol": 1.0 + 1 / wrong,
        "symbols_per_second": 1234.5,
        "sources_cut": 0,
    }
    decoding = DecodingConfig(beam=wrong)
    return ReportedModel(
        name, "neural_gpu", 298_176, measured | other, decoding, texts, scalars
    )


def curve(kind, name, values):
    return [Scalar(kind, name, 50 * i, value) for i, value in enumerate(values, 1)]


def models():
    """Two models with curves and one without."""
    loss = curve("train", "loss", [3.0, 2.0, 1.5]) + curve("train", "epoch", [0, 0, 1])
    bleu = curve("validation", "bleu", [10.0, 30.0])
    return [
        model("first", 2, loss + bleu),
        model("second_run", 4, curve("train", "loss", [2.5, 1.0])),
        model("averaged", 7),
    ]
