"""The Sequence Copy task: accuracy and decoding time against K and L.

python -m benchmarks.sequence_copy --out=DIR                       # all of the table
python -m benchmarks.sequence_copy --out=DIR --train_lengths=      # times only

(Britz, Guan & Luong 2017, §4.1.) Trains attention, no attention and the fixed-size
memory with K contexts, each in a process of its own by `neural-gpu-train` with
configs/sequence_copy.flags, and measures the symbols right on held-out sequences,
free-running. Decoding times are of new models with the same sizes, in turns, greedily,
of sequences that are all L symbols long: what a step costs does not depend on what was
learned. Writes accuracy and seconds, .csv and .png, to DIR; runs that are there
and done are not trained again.
"""

import dataclasses
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from absl import flags

from benchmarks.child_training import same_settings, train
from benchmarks.csv_rows import append, read
from benchmarks.list_flags import define_numbers, numbers
from benchmarks.one_core import keep_to_one_core

FLAGFILE = Path(__file__).parents[1] / "configs" / "sequence_copy.flags"
SIZES: dict[str, Any] = {
    "units": 128,
    "embedding_size": 32,
    "layers": 1,
    "bidirectional": True,
}
SYMBOLS = 24  # PAD, GO, EOS, SPACE and 20 words


class Contender(NamedTuple):
    """A model, and how many contexts it has."""

    model: str
    contexts: int = 0
    position_encoding: bool = False

    @property
    def name(self) -> str:
        """What tables call it."""
        if not self.contexts:
            return {"rnn_seq2seq": "none"}.get(self.model, "attention")
        return f"K={self.contexts}" + " positions" * self.position_encoding

    @property
    def options(self) -> dict[str, Any]:
        """What of `ModelConfig` is its own."""
        if not self.contexts:
            return {"model": self.model}
        return self._asdict()


class AccuracyRow(NamedTuple):
    """What a trained model copies."""

    L: int
    memory: str
    seed: int
    weights: int
    symbols_right: float
    sequences_right: float
    steps: int
    train_seconds: float


class TimeRow(NamedTuple):
    """What decoding takes."""

    L: int
    memory: str
    batch: int
    seconds: float
    attention_over_it: float


def contenders(contexts: Sequence[int], positions: Sequence[int]) -> list[Contender]:
    """No attention, attention, and fixed memories, without and with positions."""
    fixed = "fixed_memory_seq2seq"
    return [
        Contender("rnn_seq2seq"),
        Contender("attention_seq2seq"),
        *(Contender(fixed, k) for k in contexts),
        *(Contender(fixed, k, True) for k in positions),
    ]


def accuracy(
    contender: Contender, longest: int, steps: int, seed: int, out: Path
) -> AccuracyRow:
    """Trains one model, if it isn't yet, and counts what it copies.

    A symbol is right if it stands where it should. Of a sequence of another length
    than it should have, the symbols missing or too many are wrong.
    """
    from neural_gpu_tf.data import open_source, read_pairs
    from neural_gpu_tf.inference import Translator, translate_all
    from neural_gpu_tf.runs import load_run

    run_dir = out / f"{contender.name.replace(' ', '_')}-L{longest}-seed{seed}"
    flagged = contender.options | {
        "longest_sequence": longest,
        "max_length": longest + 2,
        "smallest_bucket": max(2, (longest + 2) // 4),
        "train_steps": steps,
        "training_seed": seed,
    }
    train(run_dir, flagged, [f"--flagfile={FLAGFILE}"])
    run = load_run(run_dir)
    source = open_source(run.config.data, ["validation"])
    texts, _ = read_pairs(source.dataset("validation"))
    decoding = dataclasses.replace(
        run.config.decoding, size_margin=2, max_source_length=longest + 2
    )
    translator = Translator(run.model, run.tokenizer, decoding)
    right = total = exact = 0
    answers = translate_all(translator.translate, texts)
    for text, answer in zip(texts, answers, strict=True):
        gold, said = text.split(), answer.text.split()
        right += sum(map(str.__eq__, gold, said))
        total += max(len(gold), len(said))
        exact += gold == said
    summary = json.loads((run_dir / "summary.json").read_text("utf-8"))
    return AccuracyRow(
        L=longest,
        memory=contender.name,
        seed=seed,
        weights=run.model.count_params(),
        symbols_right=right / total,
        sequences_right=exact / len(texts),
        steps=run.config.training.train_steps,
        train_seconds=round(summary["train_seconds"], 1),
    )


def decoding_times(
    field: Sequence[Contender], lengths: Sequence[int], batch: int, rounds: int
) -> list[TimeRow]:
    """Median seconds of copying `batch` sequences of L symbols, in turns."""
    import numpy as np

    from neural_gpu_tf.inference import Solver
    from neural_gpu_tf.models import build_model
    from neural_gpu_tf.options import ModelConfig

    solvers = [
        Solver(build_model(ModelConfig(**SIZES, **contender.options), SYMBOLS))
        for contender in field
    ]
    rows = []
    for length in lengths:
        rng = np.random.default_rng(length)
        source = rng.integers(4, SYMBOLS, (batch, length)).astype(np.int32)
        size = np.full([batch], length, np.int32)
        seconds: list[list[float]] = [[] for _ in solvers]
        for turn in range(rounds + 1):
            for solver, own in zip(solvers, seconds, strict=True):
                start = time.monotonic()
                solver(source, size).numpy()
                if turn:  # the first also traces
                    own.append(time.monotonic() - start)
        medians = [statistics.median(own) for own in seconds]
        attention = next(
            median
            for contender, median in zip(field, medians, strict=True)
            if contender.model == "attention_seq2seq"
        )
        rows += [
            TimeRow(
                L=length,
                memory=contender.name,
                batch=batch,
                seconds=round(median, 5),
                attention_over_it=round(attention / median, 3),
            )
            for contender, median in zip(field, medians, strict=True)
        ]
    return rows


def draw(
    accuracies: Sequence[AccuracyRow], times: Sequence[TimeRow], out: Path
) -> None:
    """Accuracy against the memory, a line for each L; time against L, one a memory."""
    from neural_gpu_tf.evaluation.line_chart import Line, line_chart

    if accuracies:
        memories = list(dict.fromkeys(row.memory for row in accuracies))
        lines = [
            Line(
                f"L = {longest}",
                [
                    (memories.index(row.memory), 100 * row.symbols_right)
                    for row in accuracies
                    if row.L == longest
                ],
            )
            for longest in dict.fromkeys(row.L for row in accuracies)
        ]
        labels = "what the decoder reads (l: position encodings)", "symbols right, %"
        short = [memory.replace(" positions", " l") for memory in memories]
        picture = line_chart(lines, *labels, x_ticks=dict(enumerate(short)))
        picture.save(out / "accuracy.png")
    if times:
        lines = [
            Line(
                memory,
                [
                    (row.L, 1e3 * row.seconds / row.batch)
                    for row in times
                    if row.memory == memory
                ],
            )
            for memory in dict.fromkeys(row.memory for row in times)
        ]
        labels = "L, symbols", "decoding, milliseconds a sequence"
        line_chart(lines, *labels).save(out / "seconds.png")


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    keep_to_one_core()
    values = flags.FLAGS
    out = Path(values.out)
    out.mkdir(parents=True, exist_ok=True)
    if values.train_lengths:
        same_settings(out, {"train_steps": values.train_steps})
    field = contenders(numbers("contexts"), numbers("positions"))
    times = decoding_times(field, numbers("lengths"), values.batch, values.rounds)
    if times:
        append(out / "seconds.csv", times, key=3)
        print((out / "seconds.csv").read_text("utf-8"))
    path = out / "accuracy.csv"
    for longest in numbers("train_lengths"):
        for contender in field:
            for seed in numbers("seeds"):
                row = accuracy(contender, longest, values.train_steps, seed, out)
                append(path, [row], key=3)
                print(path.read_text("utf-8"))
    draw(read(path, AccuracyRow), read(out / "seconds.csv", TimeRow), out)


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_string("out", "runs/sequence_copy", "where runs and results go")
    told = "K of those with position encodings"
    define_numbers("contexts", [64], "K of fixed memories", empty=True)
    define_numbers("positions", [4, 16, 64], told, empty=True)
    define_numbers("lengths", [10, 50, 100, 200], "L to time decoding at", empty=True)
    define_numbers("train_lengths", [10, 50], "L to train at", empty=True)
    define_numbers("seeds", [0], "training seeds", least=0)
    flags.DEFINE_integer("train_steps", 8000, "steps of each training", lower_bound=1)
    flags.DEFINE_integer("batch", 64, "sequences decoded at once", lower_bound=1)
    flags.DEFINE_integer("rounds", 7, "how often each is timed", lower_bound=1)
    app.run(main)
