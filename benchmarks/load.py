"""Loads an export with many clients at a time: in a session, and over HTTP.

python -m benchmarks.load --export_dir=runs/demo/export/1 --server --json
python -m benchmarks.load --export_dir=runs/demo/export/1 --server --soak=100000

Each client asks again as soon as it is answered. The session is one of TensorFlow
alone, in this process, asked by threads; the server is neural-gpu-serve, in a process
of its own. Contenders take turns. Texts are lines of --source, or of 1 to --most_words
words. With --soak, that many requests of 1 to the largest --batch texts follow, and the
resident memory is noted along the way.
"""

import contextlib
import itertools
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from absl import flags

from benchmarks.http_server import HttpClient, resident, serving
from benchmarks.list_flags import define_numbers, numbers
from benchmarks.serve import percentiles
from benchmarks.turns import in_turns
from neural_gpu_tf.bin import app
from neural_gpu_tf.errors import InputError

SHARES = (50, 95, 99)  # percentiles of the seconds of a request
NOTES = 20  # of the memory, in a soak
WORDS = "a the two dogs run on green grass while man in red looks at water".split()


class Contender(NamedTuple):
    """What is asked."""

    ask: Callable[[Sequence[str]], Sized]  # texts → as many answers
    process: int  # whose memory is noted

    def timed(self, texts: Sequence[str]) -> float:
        """Seconds that the answer to texts takes.

        Raises:
            RuntimeError: there are not as many answers as texts.
        """
        start = time.perf_counter()
        answers = self.ask(texts)
        seconds = time.perf_counter() - start
        if len(answers) != len(texts):
            raise RuntimeError(f"{len(answers)} answers to {len(texts)} texts")
        return seconds


@contextlib.contextmanager
def contenders(export_dir: Path, server: bool) -> Iterator[dict[str, Contender]]:
    """An export in a session; and in a server, if it is asked for."""
    from benchmarks.session import ExportSession

    session = ExportSession(export_dir)

    def ask(texts: Sequence[str]) -> Sized:
        return session("serving_default", {"text": texts})["text"]

    found = {"session": Contender(ask, os.getpid())}
    with contextlib.ExitStack() as stack:
        if server:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            (folder / "1").symlink_to(export_dir.resolve())  # no version but this
            running = stack.enter_context(serving(folder))
            client = HttpClient(running.port)
            found["server"] = Contender(client, running.process.pid)
        yield found


def measure(
    asked: dict[str, Contender],
    texts: Sequence[str],
    concurrency: Sequence[int],
    batches: Sequence[int],
    requests: int,
    rounds: int = 3,
) -> list[dict[str, Any]]:
    """Times all contenders with each number of clients and of texts in a request.

    Args:
        asked: by name.
        texts: what is sent, again and again.
        concurrency: numbers of clients.
        batches: numbers of texts in a request.
        requests: in a turn.
        rounds: how often each has its turn, after one that is not timed.

    Returns:
        Rows with "contender", "concurrency", "batch", "requests_per_second" and
        "texts_per_second", of the median turn, and "p50", "p95", "p99", seconds of a
        request.
    """
    rows: dict[str, dict[str, Any]] = {}
    runs: dict[str, Callable[[], list[float]]] = {}
    latencies: dict[str, list[float]] = {}
    for name, clients, batch in itertools.product(asked, concurrency, batches):
        key = f"{name} {clients} {batch}"
        rows[key] = {"contender": name, "concurrency": clients, "batch": batch}
        endless = itertools.cycle(texts)
        sent = [[next(endless) for _ in range(batch)] for _ in range(requests)]
        latencies[key] = []

        def run(
            contender: Contender = asked[name],
            clients: int = clients,
            sent: list[list[str]] = sent,
            took: list[float] = latencies[key],
        ) -> list[float]:
            with ThreadPoolExecutor(clients) as pool:
                took += pool.map(contender.timed, sent)
            return took

        runs[key] = run
    _, seconds = in_turns(runs, rounds)
    for key, row in rows.items():
        per_second = requests / statistics.median(seconds[key])
        row["requests_per_second"] = per_second
        row["texts_per_second"] = per_second * row["batch"]
        row |= percentiles(latencies[key][requests:], SHARES)  # but the first turn's
    return list(rows.values())


def soak(
    contender: Contender, texts: Sequence[str], clients: int, batch: int, requests: int
) -> dict[str, Any]:
    """Sends requests of random size, and notes the resident memory.

    Args:
        contender: what is asked, which has been asked before.
        texts: what is sent, at random.
        clients: at a time.
        batch: texts in a request, at most.
        requests: how many, in all.

    Returns:
        "requests", "seconds", "p50", "p95", "p99", "memory": bytes after each of
        `NOTES` parts, and "growth": how many times the memory after the first part
        the last is.
    """
    rng, start = random.Random(0), time.perf_counter()
    took: list[float] = []
    memory: list[int] = []
    with ThreadPoolExecutor(clients) as pool:
        for part in range(NOTES):
            count = requests * (part + 1) // NOTES - requests * part // NOTES
            sent = [rng.choices(texts, k=rng.randint(1, batch)) for _ in range(count)]
            took += pool.map(contender.timed, sent)
            memory.append(resident(contender.process))
    return {
        "requests": requests,
        "seconds": time.perf_counter() - start,
        **percentiles(took, SHARES),
        "memory": memory,
        "growth": memory[-1] / memory[0],
    }


def random_texts(count: int, most_words: int) -> list[str]:
    """Texts of 1 to so many words."""
    rng = random.Random(0)
    sizes = [rng.randint(1, most_words) for _ in range(count)]
    return [" ".join(rng.choices(WORDS, k=size)) for size in sizes]


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    export_dir = Path(values.export_dir)
    if not (export_dir / "saved_model.pb").exists():
        raise InputError(
            f"--export_dir={values.export_dir}: no saved_model.pb in it; name a "
            "version of an export, e.g. runs/demo/export/1"
        )
    concurrency, batches = map(numbers, ("concurrency", "batch"))
    texts = random_texts(values.sentences, values.most_words)
    if values.source:
        from neural_gpu_tf.text.lines import read_lines

        texts = list(itertools.islice(read_lines(values.source), values.sentences))
    with contenders(export_dir, values.server) as asked:
        rows = []
        if values.requests:
            amount = (values.requests, values.rounds)
            rows = measure(asked, texts, concurrency, batches, *amount)
        soaked = {
            name: soak(contender, texts, max(concurrency), max(batches), values.soak)
            for name, contender in asked.items()
            if values.soak
        }
    if values.json:
        print(json.dumps({"rows": rows, "soak": soaked}))
        return
    for row in rows:
        print(_line(row))
    for name, row in soaked.items():
        memory = " ".join(f"{one / 1e6:.0f}" for one in row["memory"])
        print(
            f"{name}: {row['requests']} requests in {row['seconds']:.0f} s, 99% within "
            f"{1e3 * row['p99']:.1f} ms; MB: {memory}"
        )


def _line(row: dict[str, Any]) -> str:
    times = "  ".join(f"p{share} {1e3 * row[f'p{share}']:.1f} ms" for share in SHARES)
    return (
        f"{row['contender']}   {row['concurrency']} clients, {row['batch']} texts: "
        f"{row['requests_per_second']:.1f} requests, {row['texts_per_second']:.1f} "
        f"texts a second   {times}"
    )


if __name__ == "__main__":
    flags.DEFINE_string("export_dir", "", "one version of an export")
    flags.DEFINE_bool("server", False, "neural-gpu-serve too, beside the session")
    define_numbers("concurrency", [1, 2, 4, 8], "clients at a time")
    define_numbers("batch", [1, 8, 32], "texts in a request")
    flags.DEFINE_integer("requests", 100, "in a turn; 0: only --soak", lower_bound=0)
    flags.DEFINE_integer("rounds", 3, "how often each has its turn", lower_bound=2)
    flags.DEFINE_integer("soak", 0, "requests of random size; 0: none", lower_bound=0)
    flags.DEFINE_string("source", "", "texts, plain or .gz; empty: random words")
    flags.DEFINE_integer("sentences", 256, "different texts", lower_bound=1)
    flags.DEFINE_integer("most_words", 20, "of a random text", lower_bound=1)
    flags.DEFINE_bool("json", False, "print one JSON object")
    app.run(main)
