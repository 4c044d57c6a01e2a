"""What a translation model takes from its source, and what its canvas keeps of it.

python -m benchmarks.diagnosis --run_dir=RUN --pairs=500

On validation pairs of the run's own data, or --source and --target, with references
given:

    reading     perplexity a symbol with the sentence's own source, with another's (of
                about the same length), with one word of the source left out; also by
                the source's length in words
    gradients   of models with a tape: ‖∂L/∂s_t‖ and ‖∂L/∂d_t‖, the loss being that of
                a symbol, by step, for sentences of one canvas size
    probe       how much of E i_k a linear map finds in the columns s_t[k] and d_t[k]:
                the share of symbols whose vector is the nearest to what it gives, on
                sentences that it was not fitted to; "most_frequent" is what a constant
                answer gets

Prints one line of JSON.
"""

import itertools
import json
import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

from absl import flags

from neural_gpu_tf.errors import InputError

WORDS = 4  # lengths in a bucket
SHORTEST = 3
LEAST_BATCHES = 5  # of the probe, which is tried on each fifth


def removed(text: str, draw: random.Random) -> str:
    """A sentence without one of its words; one word stays."""
    words = text.split()
    if len(words) > 1:
        words.pop(draw.randrange(len(words)))
    return " ".join(words)


def exchanged(sources: Sequence[str]) -> list[str]:
    """In each sentence's place the next longer one, in the longest's the shortest."""
    order = sorted(range(len(sources)), key=lambda i: len(sources[i].split()))
    found = dict(zip(order, [*order[1:], order[0]], strict=True))
    return [sources[found[i]] for i in range(len(sources))]


def reading(run: Any, sources: Sequence[str], targets: Sequence[str]) -> dict[str, Any]:
    """Perplexities with the sources as they are, exchanged and shortened.

    Args:
        run: from `runs.load_run`.
        sources, targets: sentences.

    Returns:
        "own", "another's", "one word less", and "by_words", rows of first and last
        length, sentences, own and another's.
    """
    from neural_gpu_tf.evaluation.score_pairs import score_pairs

    draw = random.Random(0)
    given = {
        "own": sources,
        "another's": exchanged(sources),
        "one word less": [removed(text, draw) for text in sources],
    }
    scores = {
        name: score_pairs(run.model, run.tokenizer, texts, targets, run.config.data)
        for name, texts in given.items()
    }

    def perplexity(name: str, members: Sequence[int]) -> float:
        some = [scores[name][i] for i in members]
        nats = -sum(score.log_probability for score in some)
        return round(math.exp(nats / sum(score.symbols for score in some)), 3)

    everyone = range(len(sources))
    bucket = [max(len(x.split()) - SHORTEST, 0) // WORDS for x in sources]
    rows = []
    for number, group in itertools.groupby(
        sorted(everyone, key=bucket.__getitem__), bucket.__getitem__
    ):
        members = list(group)
        first = SHORTEST + number * WORDS
        own, others = (perplexity(name, members) for name in ("own", "another's"))
        rows.append([first, first + WORDS - 1, len(members), own, others])
    return {name: perplexity(name, everyone) for name in given} | {"by_words": rows}


def batches(
    run: Any, sources: Sequence[str], targets: Sequence[str], at_once: int = 32
) -> Iterator[dict[str, Any]]:
    """Batches whose examples all have one canvas size, shortest first."""
    import numpy as np

    from neural_gpu_tf.constants import EOS, PAD

    rows = run.tokenizer.tokenize([*sources, *targets]).to_list()
    pairs = [
        (source, [*target, EOS])
        for source, target in zip(
            rows[: len(sources)], rows[len(sources) :], strict=True
        )
    ]
    pairs.sort(key=lambda pair: max(map(len, pair)))
    for size, group in itertools.groupby(pairs, key=lambda pair: max(map(len, pair))):
        while some := list(itertools.islice(group, at_once)):
            source, target = (
                np.array([x + [PAD] * (size - len(x)) for x in side], np.int32)
                for side in zip(*some, strict=True)
            )
            sizes = np.full(len(some), size, np.int32)
            yield {"source": source, "target": target, "size": sizes}


def diagnose(
    run_dir: str, which: str, pairs: int, files: Sequence[str] = ()
) -> dict[str, Any]:
    """All that the module's docstring names.

    Args:
        run_dir: a translation run.
        which: of its weights.
        pairs: of the data, the first.
        files: of sources and targets; none: the run's own validation data.
    """
    from benchmarks.canvas_probe import gradient_norms, has_tape, probe
    from neural_gpu_tf.data.read_pairs import read_pairs
    from neural_gpu_tf.data.source import Source
    from neural_gpu_tf.data.text_files import TextFiles
    from neural_gpu_tf.runs.load import load_run, own_source

    run = load_run(run_dir, which)
    if files:
        source: Source = TextFiles({"validation": (files[0], files[1])})
    else:
        source = own_source(run, "validation")
    split = source.dataset("validation").take(pairs)
    sources, targets = read_pairs(split)
    result = {"model": run.config.model.model, "pairs": len(sources)}
    result["reading"] = reading(run, sources, targets)
    if has_tape(run.model):
        found = [b for b in batches(run, sources, targets) if 8 <= b["size"][0] <= 24]
        if len(found) < LEAST_BATCHES:
            raise InputError(
                f"of pairs of 8 to 24 symbols there are {len(found)} batches, fewer "
                f"than {LEAST_BATCHES}; give more --pairs, or others"
            )
        longest = max(found, key=lambda batch: len(batch["size"]))
        result["gradients"] = gradient_norms(run.model, longest)
        result["probe"] = probe(run.model, found)
    return result


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    if bool(values.source) != bool(values.target):
        raise InputError("--source and --target: give both, or neither")
    files = [values.source, values.target] if values.source else []
    print(json.dumps(diagnose(values.run_dir, values.which, values.pairs, files)))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_string("run_dir", None, "a translation run", required=True)
    told = "of its weights: best or last"
    flags.DEFINE_enum("which", "best", ["best", "last"], told)
    flags.DEFINE_integer("pairs", 500, "validation pairs, the first", lower_bound=1)
    flags.DEFINE_string("source", "", "sentences, instead of the run's own validation")
    flags.DEFINE_string("target", "", "their translations")
    app.run(main)
