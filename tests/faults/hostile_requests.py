"""Sends neural-gpu-serve hostile requests and good ones while its version changes.

python tests/faults/hostile_requests.py --requests=10000 --swaps=3 --slow=100

Half of the requests are good: translations, on connections that are kept. The others
are hostile, of all kinds of `hostile_cases`; `--slow` more of them last until the
server ends them, all at a time. Each hostile one must get an answer that is right for
it, each good one its translation. Meanwhile new versions appear in the folder.

Prints one line of JSON: requests, good (answered), of them meanwhile (while a version
was loaded), seconds_p99 and seconds_most of them; failed, good ones that were not
answered rightly; hostile, the statuses of each kind (0: the connection ended without
one, -1: it was held for too long); wrong, those that are not right for it; versions
that took over; memory in MB, resident, along the way; tracebacks in the server's log;
and whether all is well (held): nothing failed or wrong, no traceback, and no more
memory at the end than after a tenth of the requests, but for a tenth.
"""

import argparse
import collections
import contextlib
import json
import os
import random
import select
import shutil
import socket
import statistics
import struct
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import hostile_cases as hostile  # noqa: E402

from benchmarks.http_server import (  # noqa: E402
    MODEL,
    HttpClient,
    HttpServer,
    serving,
)

CLIENTS = 8  # at a time, beside the slow ones
HELD = -1  # a status: the connection was not ended in time
GROWTH = 0.1  # of the memory after a tenth of the requests, and what is left at the end
TEXTS = ["two six", "", "five", "Ünï 漢!", "\u202eabc\u0301", "five two a " * 9, "\x00"]


def send(port: int, case: hostile.Case, limit: float) -> tuple[int, bytes]:
    """Sends a case; the status and the body of its answer."""
    until = time.monotonic() + limit
    with socket.create_connection(("127.0.0.1", port), timeout=limit) as connection:
        try:
            for part in case.parts:
                connection.sendall(part)
                if case.pause and select.select([connection], [], [], case.pause)[0]:
                    break
                if time.monotonic() > until:
                    return HELD, b""
        except TimeoutError:
            return HELD, b""
        except OSError:  # closed by the server, which may have answered before
            pass
        if case.end == "drop":
            now = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
            return hostile.CLOSED, b""
        if case.end == "unread":
            return _until_reset(connection, case.parts[0], until), b""
        return _answer(connection)


def _answer(connection: socket.socket) -> tuple[int, bytes]:
    said = b""
    try:
        while part := connection.recv(65_536):
            said += part
    except TimeoutError:
        return HELD, said
    except OSError:
        pass
    head, _, body = said.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 "):
        return hostile.CLOSED, said
    return int(head.split()[1]), body


def _until_reset(connection: socket.socket, again: bytes, until: float) -> int:
    """Sends `again` and again and reads nothing, until the server gives up."""
    connection.settimeout(1.0)
    while time.monotonic() < until:
        try:
            connection.sendall(again)
        except TimeoutError:
            pass
        except OSError:
            return hostile.CLOSED
    return HELD


class Trial:
    """The requests to a server, and what became of them.

    Args:
        server: that is asked.
        seconds: that it gives a request.
    """

    def __init__(self, server: HttpServer, seconds: float):
        self.server = server
        self.seconds = seconds
        self.ask = HttpClient(server.port)
        self.expected = {text: self.ask([text])[0] for text in TEXTS}
        self.swapping = False  # a new version is being loaded
        self.meanwhile = 0  # good requests that were answered while one was
        self.took: list[float] = []
        self.failed: list[str] = []
        self.wrong: list[str] = []
        self.statuses: dict[str, collections.Counter] = collections.defaultdict(
            collections.Counter
        )
        self.memory: list[int] = []

    def good(self, rng: random.Random) -> None:
        """A request for the translations of some texts."""
        texts = rng.choices(TEXTS, k=rng.randint(1, 4))
        start = time.monotonic()
        try:
            answer = self.ask(texts)
        except Exception as error:
            self.failed.append(repr(error))
            return
        self.took.append(time.monotonic() - start)
        self.meanwhile += self.swapping
        if answer != [self.expected[text] for text in texts]:
            self.failed.append(f"{texts}: {answer}")

    def bad(self, name: str, case: hostile.Case) -> None:
        """A hostile request."""
        limit = 2 * self.seconds + 20
        try:
            status, body = send(self.server.port, case, limit)
        except OSError as error:
            self.wrong.append(f"{name}: {error!r}")
            return
        self.statuses[name][status] += 1
        if status not in case.statuses:
            self.wrong.append(
                f"{name}: {status} {body[:100]!r}, {case.parts[0][:100]!r}"
            )

    def note(self) -> None:
        """Takes down the server's memory, in MB."""
        self.memory.append(self.server.memory() >> 20)

    def result(self) -> dict[str, Any]:
        """What is printed."""
        log = self.server.log.read_text(errors="replace")
        early = self.memory[max(len(self.memory) // 10, 1)]
        held = not self.failed and not self.wrong and "Traceback" not in log
        return {
            "good": len(self.took),
            "meanwhile": self.meanwhile,
            "seconds_p99": statistics.quantiles(self.took, n=100)[-1],
            "seconds_most": max(self.took),
            "failed": self.failed[:20],
            "hostile": {name: dict(found) for name, found in self.statuses.items()},
            "wrong": self.wrong[:20],
            "memory": self.memory,
            "tracebacks": log.count("Traceback"),
            "held": held and self.memory[-1] < (1 + GROWTH) * early,
        }


def swap(folder: Path, version: int, url: str) -> int:
    """Puts a version beside the others; its number once it alone is served.

    A newer one, which is empty and so can't be loaded, is there for a while.
    """
    beside, empty = folder / f".{version}", folder / "99"
    empty.mkdir()
    shutil.copytree(folder / "1", beside)
    beside.rename(folder / str(version))
    until = time.monotonic() + 300
    while time.monotonic() < until:
        with urllib.request.urlopen(f"{url}{MODEL}", timeout=60) as answer:
            states = json.load(answer)["model_version_status"]
        if [x["version"] for x in states if x["state"] == "AVAILABLE"] == [
            str(version)
        ]:
            empty.rmdir()
            return version
        time.sleep(0.2)
    raise RuntimeError(f"version {version} has not taken over in 300 s")


def run(
    folder: Path, requests: int, swaps: int, slow: int, seconds: float
) -> dict[str, Any]:
    """Serves `folder`, which has a version 1, and sends the requests."""
    begin, rng = time.monotonic(), random.Random(0)
    flags = ["--poll_seconds=0.2", f"--max_seconds={seconds}"]
    with (
        serving(folder, *flags) as server,
        ThreadPoolExecutor(CLIENTS) as pool,
        ThreadPoolExecutor(max(slow, 1)) as slow_pool,
        ThreadPoolExecutor(1) as swapper,
    ):
        trial, versions = Trial(server, seconds), list[Future]()
        for case in hostile.cases(hostile.LASTING, slow, seed=1):
            slow_pool.submit(trial.bad, *case)
        free = threading.Semaphore(2 * CLIENTS)  # so that `i` tells how far we are

        def start(work: Callable, *arguments: Any) -> None:
            free.acquire()
            pool.submit(work, *arguments).add_done_callback(lambda _: free.release())

        count = requests // 2
        for i, case in enumerate(hostile.cases(hostile.QUICK, count, seed=0)):
            if len(versions) < min(i * (swaps + 1) // count, swaps):
                new = len(versions) + 2
                versions.append(swapper.submit(swap, folder, new, server.url))
            if i % max(count // 40, 1) == 0:
                trial.note()
            trial.swapping = not all(version.done() for version in versions)
            start(trial.good, random.Random(rng.random()))
            start(trial.bad, *case)
        for executor in (pool, slow_pool, swapper):
            executor.shutdown()
        time.sleep(1.0)
        trial.note()
        told = {
            "requests": 2 * count + slow,
            "seconds": round(time.monotonic() - begin, 1),
            "versions": [1, *(version.result() for version in versions)],
        }
        return told | trial.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--swaps", type=int, default=3)
    parser.add_argument("--slow", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30.0, help="for a request")
    parser.add_argument("--export_dir", help="one version; a tiny model's if not given")
    values = parser.parse_args()
    os.environ |= {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "2"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "export")
        if values.export_dir:
            shutil.copytree(values.export_dir, path / "1")
        else:
            with contextlib.redirect_stdout(sys.stderr):
                import tiny

                from neural_gpu_tf.serving import export

                export(tiny.translator(), path)
        numbers = (values.requests, values.swaps, values.slow, values.seconds)
        result = run(path, *numbers)
    print(json.dumps(result))
    sys.exit(not result["held"])


if __name__ == "__main__":
    main()
