"""neural-gpu-serve in a process of its own, for measurements and tests."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

MODEL = "/v1/models/translate"
PATIENCE = 120.0  # seconds until a server must answer


class HttpServer(NamedTuple):
    """A server that answers."""

    process: subprocess.Popen
    port: int  # on 127.0.0.1
    log: Path  # what it wrote to standard error

    @property
    def url(self) -> str:
        """Its address, e.g. "http://127.0.0.1:8501"."""
        return f"http://127.0.0.1:{self.port}"

    def memory(self) -> int:
        """Its resident memory, in bytes."""
        return resident(self.process.pid)


@contextlib.contextmanager
def serving(
    export_dir: str | os.PathLike[str], *flags: str, patience: float = PATIENCE
) -> Iterator[HttpServer]:
    """Starts a server on a free port; it is killed at the end.

    Args:
        export_dir: the folder of an export, with versions in it.
        flags: more of neural-gpu-serve.
        patience: seconds until it must answer.

    Raises:
        RuntimeError: it ended, or does not answer in time; the message has its log.
    """
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [sys.executable, "-m", "neural_gpu_tf.bin.serve", f"--port={port}"]
    command += [f"--export_dir={export_dir}", *flags]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        with log.open("w") as file, subprocess.Popen(command, stderr=file) as process:
            server = HttpServer(process, port, log)
            try:
                _wait(server, time.monotonic() + patience)
                yield server
            finally:
                process.kill()


class HttpClient(threading.local):
    """Asks a server for translations, on a connection of each thread's own.

    Args:
        port: of the server, on 127.0.0.1.
    """

    def __init__(self, port: int):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """The translations of texts.

        Raises:
            RuntimeError: the server refuses.
            OSError: it does not answer.
        """
        body = json.dumps({"inputs": {"text": texts}})
        try:
            self.connection.request("POST", f"{MODEL}:predict", body)
        except (OSError, http.client.HTTPException):  # an idle one that was closed
            self.connection.close()
            self.connection.request("POST", f"{MODEL}:predict", body)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {content[:200]!r}")
        return json.loads(content)["outputs"]["text"]


def _wait(server: HttpServer, until: float) -> None:
    while server.process.poll() is None and time.monotonic() < until:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        with (
            contextlib.closing(connection),
            contextlib.suppress(OSError, http.client.HTTPException),
        ):
            connection.request("GET", MODEL)
            if connection.getresponse().status == 200:
                return
        time.sleep(0.1)
    raise RuntimeError(f"neural-gpu-serve does not answer: {server.log.read_text()}")


def resident(process: int) -> int:
    """The resident memory of a process, in bytes; Linux."""
    pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
