"""Translates standard input through TensorFlow Serving, by REST or by gRPC.

python export/client.py --url=http://localhost:8501/v1/models/translate < some.en
python export/client.py --url=http://localhost:8501/v1/models/translate/labels/canary
python export/client.py --grpc=localhost:8500 --model=translate --label=canary

REST needs Python alone, gRPC tensorflow-serving-api too.
"""

import argparse
import http.client
import itertools
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable

Ask = Callable[[list[str], float], list[str]]  # texts, seconds → their translations

_BUSY = (408, 429, 502, 503, 504)  # the server, or a proxy before it, says: later
_FIRST_PAUSE = 0.1  # seconds; doubled after each try
_LONGEST_PAUSE = 5.0


class NotNow(OSError):
    """The server can't be reached or is busy: to be asked again."""


def translate(ask: Ask, lines: list[str], deadline: float) -> list[str]:
    """Asks for the translations of `lines`, again after pauses that double.

    Args:
        ask: sends one request, e.g. `rest("http://localhost:8501/v1/models/translate")`.
        lines: texts, translated in one request.
        deadline: seconds for all tries together.

    Raises:
        OSError: no answer within the deadline, the server refuses the request, or it is
            none of TensorFlow Serving.
    """
    end = time.monotonic() + deadline
    pause = _FIRST_PAUSE
    while True:
        try:
            answers = ask(lines, max(end - time.monotonic(), 0.001))
        except NotNow as error:
            if time.monotonic() + pause >= end:
                raise OSError(f"no answer in {deadline:g} s: {error}") from error
        else:
            if len(answers) != len(lines):
                raise OSError(f"{len(answers)} answers to {len(lines)} texts")
            return answers
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def rest(url: str) -> Ask:
    """Requests by REST to a model, e.g. "http://localhost:8501/v1/models/translate"."""

    def ask(lines: list[str], timeout: float) -> list[str]:
        body = json.dumps({"inputs": {"text": lines}}).encode()
        request = urllib.request.Request(
            f"{url}:predict", body, {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                content = response.read()
        except urllib.error.HTTPError as error:
            kind = NotNow if error.code in _BUSY else OSError
            said = error.read(1000).decode(errors="replace")
            raise kind(f"{error}: {said}") from error
        except (http.client.InvalidURL, ValueError) as error:
            raise OSError(f"no URL of a model: {error}") from error
        except (OSError, http.client.HTTPException) as error:
            raise NotNow(error) from error
        try:
            return json.loads(content)["outputs"]["text"]
        except (ValueError, KeyError, TypeError) as error:
            raise OSError(
                f"not an answer of a translator: {content[:100]!r}"
            ) from error

    return ask


def grpc(address: str, model: str, label: str = "") -> Ask:
    """Requests by gRPC, in the clear.

    Args:
        address: of the server, e.g. "localhost:8500".
        model: its name there.
        label: of a version, e.g. "canary"; the newest one if "".
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import grpc as grpc_library
    import tensorflow as tf
    from tensorflow_serving.apis import predict_pb2
    from tensorflow_serving.apis.prediction_service_pb2_grpc import (
        PredictionServiceStub,
    )

    stub = PredictionServiceStub(grpc_library.insecure_channel(address))
    codes = grpc_library.StatusCode
    busy = (codes.UNAVAILABLE, codes.RESOURCE_EXHAUSTED, codes.DEADLINE_EXCEEDED)

    def ask(lines: list[str], timeout: float) -> list[str]:
        request = predict_pb2.PredictRequest()
        request.model_spec.name = model
        if label:
            request.model_spec.version_label = label
        request.inputs["text"].CopyFrom(tf.make_tensor_proto(lines, tf.string))
        request.output_filter.append("text")
        try:
            response = stub.Predict(request, timeout)
        except grpc_library.RpcError as error:
            kind = NotNow if error.code() in busy else OSError
            raise kind(f"{error.code().name}: {error.details()}") from error
        texts = tf.make_ndarray(response.outputs["text"])
        return [text.decode(errors="replace") for text in texts]

    return ask


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://localhost:8501/v1/models/translate")
    parser.add_argument(
        "--grpc", help="HOST:PORT, to be asked by gRPC instead of --url"
    )
    parser.add_argument("--model", default="translate", help="its name, for gRPC")
    parser.add_argument("--label", default="", help="a version's label, for gRPC")
    parser.add_argument("--batch", type=int, default=32, help="lines in a request")
    parser.add_argument(
        "--deadline", type=float, default=60, help="seconds for a request, with retries"
    )
    options = parser.parse_args()
    if options.batch < 1:
        parser.error(f"--batch={options.batch}: give 1 or more")
    if not 0 < options.deadline < float("inf"):
        parser.error(f"--deadline={options.deadline}: give a number of seconds")
    if not options.grpc and not options.url.startswith(("http://", "https://")):
        parser.error(f"--url={options.url}: give one that begins with http://")
    return options


def main() -> None:
    options = _options()
    where = options.grpc or options.url
    try:
        ask = grpc(where, options.model, options.label) if options.grpc else rest(where)
    except ImportError as error:
        sys.exit(f"--grpc: {error}; pip install tensorflow-serving-api")
    if sys.stdin is None or sys.stdout is None:
        sys.exit("standard input and output must be open")
    # A line ends in "\n" alone, bad bytes are read as U+FFFD, and a mark of Windows's
    # editors at the start is no text.
    sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    lines = (line.removesuffix("\n").removesuffix("\r") for line in sys.stdin)
    while batch := list(itertools.islice(lines, options.batch)):
        try:
            answers = translate(ask, batch, options.deadline)
        except OSError as error:
            sys.exit(f"{where}: {error}; is the server up, and is this its model?")
        try:
            print(*answers, sep="\n", flush=True)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if isinstance(error, BrokenPipeError):  # who reads has enough
                sys.exit(1)
            sys.exit(f"standard output: {error.strerror}")


if __name__ == "__main__":
    main()
