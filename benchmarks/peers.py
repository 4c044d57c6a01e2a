"""Our exports against what users would take instead, on the same sentences.

python -m benchmarks.serve --peers --data_dir=MULTI30K --peers_dir=DIR \\
    --peers_python=PYTHON --sentences=200

The pretrained translator in a session, in ONNX Runtime and in LiteRT, there with its
weights rounded to 8 bits too, and a textbook Transformer of as many weights, of the
same pairs and symbols, in CTranslate2; greedy and with a beam. Each contender, a way to
translate with a number of threads, is a process of its own; they take turns. See
`peers_transformer` for what is made on the first call.
"""

import itertools
import json
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import peers_figure, peers_transformer
from benchmarks.json_process import JsonProcess
from benchmarks.peers_figure import Row
from neural_gpu_tf.errors import InputError

PRETRAINED = "enfr"
LENGTH_PENALTY = 1.0  # of a beam
TEST = "test_2016_flickr"
SHARES = (50, 95, 99)  # percentiles of the sentences' latencies
NAMES = {
    "session": "SavedModel",
    "onnx": "ONNX Runtime",
    "litert": "LiteRT",
    "litert_int8": "LiteRT int8",
}


class Way(NamedTuple):
    """A way to translate."""

    model: str
    runtime: str
    kind: str  # of `peers_worker.KINDS`
    path: Path
    beam: int
    python: str = ""  # that runs it; this one if not given


class Contender(JsonProcess):
    """A way to translate with a number of threads, and how long it took.

    Args:
        way: how.
        threads: of an operation, and in a session also of operations side by side.
        vocabulary: the file.
    """

    def __init__(self, way: Way, threads: int, vocabulary: Path):
        given = way.kind, str(way.path), str(threads), str(way.beam), str(vocabulary)
        name = f"{way.model} {way.runtime} beam {way.beam} threads {threads}"
        super().__init__(name, "peers_worker", *given, python=way.python)
        self.way, self.threads = way, threads
        self.singles: list[list[float]] = []  # seconds, by round and sentence
        self.processor: list[list[float]] = []
        # sentences a second, the clock's and the processor's, by round
        self.speeds: dict[str, list[float]] = {"seconds": [], "processor": []}

    def translate(self, texts: Sequence[str], batch: int) -> list[dict[str, Any]]:
        """Its answers to texts in batches."""
        starts = range(0, len(texts), batch)
        return [self.ask(list(texts[i : i + batch])) for i in starts]

    def turn(self, texts: Sequence[str], batch: int) -> None:
        """Translates one after the other, then in batches."""
        single = self.translate(texts, 1)
        self.singles.append([answer["seconds"] for answer in single])
        self.processor.append([answer["processor"] for answer in single])
        many = self.translate(texts, batch)
        for name, speeds in self.speeds.items():
            speeds.append(len(texts) / sum(answer[name] for answer in many))

    def row(self, bleu: float) -> Row:
        """What is told of it; ends it."""
        end = self.end()
        size = sum(x.stat().st_size for x in self.way.path.rglob("*") if x.is_file())
        return Row(
            *self.way[:2],
            self.way.beam,
            self.threads,
            **percentiles(self.singles),
            **percentiles(self.processor, "cpu"),
            speed=statistics.median(self.speeds["seconds"]),
            cpu_speed=statistics.median(self.speeds["processor"]),
            memory=end["memory"] / 1e9,
            load=end["load"],
            bleu=bleu,
            megabytes=size / 1e6,
        )


def by_sentence(rounds: Sequence[Sequence[float]]) -> list[float]:
    """Each sentence's median of its rounds, which what disturbs one turn leaves."""
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def percentiles(rounds: Sequence[Sequence[float]], prefix: str = "p") -> dict[str, Any]:
    """p50, p95 and p99 of sentences, in milliseconds, from seconds by round."""
    found = np.percentile(by_sentence(rounds), SHARES).tolist()
    return {f"{prefix}{k}": 1e3 * x for k, x in zip(SHARES, found, strict=True)}


def bleu(translations: Sequence[str], references: Sequence[str]) -> float:
    """sacreBLEU, cased, 0 to 100."""
    from neural_gpu_tf.evaluation.scores import scores

    return scores(translations, references)["bleu"]


def measure(
    ways: Sequence[Way],
    threads: Sequence[int],
    vocabulary: Path,
    pairs: Sequence[tuple[str, str]],
    sentences: int,
    batch: int = 32,
    rounds: int = 3,
) -> list[Row]:
    """Times all ways with all numbers of threads in turns.

    Args:
        ways: how.
        threads: of the contenders.
        vocabulary: the file.
        pairs: texts and their references, of which BLEU is told.
        sentences: how many of the texts are timed.
        batch: sentences in a batch.
        rounds: how often each has its turn.
    """
    contenders, scored = [], {}
    texts, references = zip(*pairs, strict=True)
    for way, count in itertools.product(ways, threads):
        contender = Contender(way, count, vocabulary)
        contender.ask(list(texts[:1]))
        if way not in scored:  # which also warms it up
            answers = contender.translate(texts, batch)
            said = [text for answer in answers for text in answer["text"]]
            scored[way] = bleu(said, references)
        contender.translate(texts[:sentences], batch)
        contenders.append(contender)
        print(f"{contender.name}: BLEU {scored[way]:.1f}", file=sys.stderr, flush=True)
    for _ in range(rounds):
        for contender in contenders:
            contender.turn(texts[:sentences], batch)
    return [contender.row(scored[contender.way]) for contender in contenders]


def our_ways(
    runs: Mapping[str, str | Path], beams: Sequence[int], folder: Path
) -> list[Way]:
    """Exports runs in all formats whose packages are there.

    Args:
        runs: run directories by the name that the table has.
        beams: widths of the search; 1 is greedy.
        folder: for the exports.
    """
    from neural_gpu_tf.runs import load_runs, run_translator
    from neural_gpu_tf.serving import export, export_decoder

    ways = []
    for name, path in runs.items():
        run = load_runs([path])
        for beam in beams:
            penalty = LENGTH_PENALTY if beam > 1 else 0.0
            options = {"beam": beam, "length_penalty": penalty}
            translator = run_translator(run, options)
            for kind, runtime in NAMES.items():
                where = folder / f"{name}-{kind}-{beam}"
                try:
                    if kind == "session":
                        version = export(translator, where)
                    else:
                        version = export_decoder(translator, where, kind)
                except InputError as error:
                    print(f"{name}: left out: {error}", file=sys.stderr)
                    continue
                ways.append(Way(name, runtime, kind, version, beam))
    return ways


def their_ways(values: Any, vocabulary: Path, beams: Sequence[int]) -> list[Way]:
    """The Transformer in CTranslate2; none where packages are missing, which is told.

    Args:
        values: the flags.
        vocabulary: the file.
        beams: widths of the search.
    """
    python = values.peers_python
    lacking = peers_transformer.missing(python)
    if lacking:
        print(
            f"{', '.join(lacking)} not installed: the Transformer is left out; name a "
            "Python that has it with --peers_python",
            file=sys.stderr,
        )
        return []
    if not values.peers_dir:
        raise InputError("name a folder for the Transformer: --peers_dir=DIR")
    folders = peers_transformer.make_transformer(
        Path(values.peers_dir), Path(values.data_dir), vocabulary, python
    )
    return [
        Way("Transformer", f"CTranslate2 {kind}", "ctranslate2", path, beam, python)
        for kind, path in folders.items()
        for beam in beams
    ]


def main(values: Any) -> None:
    """Measures, and writes the CSV file and the picture, as the flags say."""
    from neural_gpu_tf.pretrained_models import pretrained_run
    from neural_gpu_tf.text.lines import read_lines

    if not values.data_dir:
        raise InputError(f"name the folder of {TEST}.en.gz and others: --data_dir=DIR")
    data = Path(values.data_dir)
    sides = (read_lines(data / f"{TEST}.{language}.gz") for language in ("en", "fr"))
    pairs = list(zip(*sides, strict=True))
    runs = {PRETRAINED: pretrained_run(PRETRAINED)}
    vocabulary = runs[PRETRAINED] / "vocab.txt"
    if values.run_dir:
        runs[Path(values.run_dir).name] = Path(values.run_dir)
    beams = [int(beam) for beam in values.beams]
    theirs = their_ways(values, vocabulary, beams)
    with tempfile.TemporaryDirectory() as folder:
        ways = our_ways(runs, beams, Path(folder)) + theirs
        rows = measure(
            ways,
            [int(count) for count in values.threads],
            vocabulary,
            pairs,
            values.sentences,
            values.batch,
            values.rounds,
        )
    if values.figures:
        peers_figure.write(rows, Path(values.figures))
    if values.json:
        print(json.dumps([row._asdict() for row in rows]))
    else:
        print(peers_figure.table(rows))
