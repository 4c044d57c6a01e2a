"""Times an exported SavedModel in a session: one sentence, and batches of them.

python -m benchmarks.serve --export_dir=runs/demo/export/1 --json
python -m benchmarks.serve --run_dir=runs/demo --threads=1,2 --batch=32
python -m benchmarks.serve --peers --data_dir=MULTI30K --peers_dir=DIR   # see peers.py

A session of TensorFlow alone, as a stock server has one, in a process for each number
of threads (of an operation, and of operations side by side); the processes take turns.
Sentences are the run's validation data, or of --source.
"""

import itertools
import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from absl import flags

from benchmarks import peers
from benchmarks.json_process import JsonProcess
from benchmarks.list_flags import define_numbers, numbers
from neural_gpu_tf.bin import app
from neural_gpu_tf.errors import InputError

SHARES = (50, 95)  # percentiles of the latency


class Server(JsonProcess):
    """An export in a session, in a process of its own.

    Args:
        export_dir: one version of an export.
        threads: of an operation, and of operations side by side.
    """

    def __init__(self, export_dir: Path, threads: int):
        name = f"{threads} threads"
        super().__init__(name, "serve_in_session", str(export_dir), str(threads))

    def __call__(self, texts: Sequence[str]) -> dict[str, Any]:
        """ "seconds" that the session took and the "text" of its answer."""
        return self.ask(texts)


def measure(
    export_dir: Path,
    sentences: Sequence[str],
    threads: Sequence[int],
    batch: int = 32,
    rounds: int = 3,
) -> dict[str, Any]:
    """Times one sentence after the other, and all of them in batches, in turns.

    Args:
        export_dir: one version of an export.
        sentences: what is translated.
        threads: of each contender.
        batch: sentences in a batch.
        rounds: how often each contender has its turn, after one that is not timed.

    Returns:
        For each number of threads: "latency", percentiles of the seconds of one
        sentence; "sentences_per_second" in batches, the median of the rounds; "load",
        seconds until the first answer, to a warm-up request of the export; "first",
        seconds of the first one after these; "memory", bytes at most.

    Raises:
        RuntimeError: they do not all answer the same.
    """
    servers = {count: Server(export_dir, count) for count in threads}
    first = {count: warmed_up(server, export_dir) for count, server in servers.items()}
    batches = [list(sentences[i : i + batch]) for i in range(0, len(sentences), batch)]
    latencies: dict[int, list[float]] = {count: [] for count in threads}
    speeds: dict[int, list[float]] = {count: [] for count in threads}
    answers = set()
    for turn in range(rounds + 1):
        for count, server in servers.items():
            single = [server([text]) for text in sentences]
            many = [server(texts) for texts in batches]
            for parts in (single, many):
                answers.add(tuple(text for part in parts for text in part["text"]))
            if turn:
                latencies[count] += [part["seconds"] for part in single]
                total = sum(part["seconds"] for part in many)
                speeds[count].append(len(sentences) / total)
    if len(answers) > 1:
        raise RuntimeError("a sentence alone, in a batch, or the threads differ")
    return {
        str(count): {
            "latency": percentiles(latencies[count]),
            "sentences_per_second": statistics.median(speeds[count]),
            "first": first[count],
            **server.end(),
        }
        for count, server in servers.items()
    }


def warmed_up(server: Server, export_dir: Path) -> float:
    """Asks what a server warms up with; the seconds of a new sentence after it."""
    from neural_gpu_tf.serving.warmup import read_warmup

    for signature, inputs in read_warmup(Path(export_dir)):
        if signature == "serving_default":
            server([text.decode() for text in inputs["text"]])
    return server(["one"])["seconds"]


def percentiles(
    seconds: Sequence[float], shares: Sequence[int] = SHARES
) -> dict[str, float]:
    """By their names, e.g. "p95"."""
    found = np.percentile(seconds, shares).tolist()
    return {f"p{k}": x for k, x in zip(shares, found, strict=True)}


def exported(run_dir: str, directory: str) -> Path:
    """Exports a run, as neural-gpu-export does with no other options."""
    from neural_gpu_tf.runs import load_runs, run_translator
    from neural_gpu_tf.serving import export

    return export(run_translator(load_runs([run_dir]), {}), directory)


def validation_sentences(run_dir: str, count: int) -> list[str]:
    """The first sources of a run's validation data."""
    from neural_gpu_tf.data import open_source
    from neural_gpu_tf.runs import RunDirectory

    source = open_source(RunDirectory(run_dir).read_config().data, ["validation"])
    pairs = source.dataset("validation").take(count).as_numpy_iterator()
    return [text.decode() for text, _ in pairs]


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.text.lines import read_lines

    app.no_arguments(argv)
    values = flags.FLAGS
    if values.peers:
        peers.main(values)
        return
    if not (values.run_dir or (values.export_dir and values.source)):
        raise InputError("name a run with --run_dir, or --export_dir and --source")
    if values.source:
        lines = itertools.islice(read_lines(values.source), values.sentences)
        sentences = list(lines)
    else:
        sentences = validation_sentences(values.run_dir, values.sentences)
    threads = numbers("threads")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(values.export_dir or exported(values.run_dir, directory))
        result = measure(path, sentences, threads, values.batch, values.rounds)
    result |= {"sentences": len(sentences), "batch": values.batch}
    if values.json:
        print(json.dumps(result))
        return
    for count in map(str, threads):
        row = result[count]
        latency = "  ".join(f"{k} {1e3 * x:.1f} ms" for k, x in row["latency"].items())
        print(
            f"{count} threads   one sentence: {latency}   batches of {values.batch}: "
            f"{row['sentences_per_second']:.1f} sentences a second   "
            f"loaded in {row['load']:.1f} s, then {1e3 * row['first']:.0f} ms   "
            f"{row['memory'] / 1e9:.2f} GB"
        )


if __name__ == "__main__":
    flags.DEFINE_string("run_dir", "", "a trained run, which is exported for this")
    flags.DEFINE_string("export_dir", "", "one version of an export, in place of that")
    flags.DEFINE_string("source", "", "sentences, plain or .gz; empty: the run's own")
    flags.DEFINE_integer("sentences", 64, "how many, at most", lower_bound=1)
    define_numbers("threads", [1, 2], "of a session, a contender each")
    flags.DEFINE_integer("batch", 32, "sentences in a batch", lower_bound=1)
    told = "how often each contender has its turn"
    flags.DEFINE_integer("rounds", 3, told, lower_bound=1)
    flags.DEFINE_bool("json", False, "print JSON")
    flags.DEFINE_bool("peers", False, "measure the pretrained translator and others")
    flags.DEFINE_string("peers_dir", "", "where the Transformer is kept; trained there")
    flags.DEFINE_string("peers_python", "", "Python that has torch and ctranslate2")
    flags.DEFINE_string("data_dir", "", "of --peers: the folder of Multi30k's files")
    define_numbers("beams", [1, 5], "of --peers: widths of the search")
    flags.DEFINE_string(
        "figures", "", "of --peers: folder for a CSV file and a picture"
    )
    app.run(main)
