"""Translates standard input through TensorFlow Serving's REST interface.

python export/client.py --url=http://localhost:8501/v1/models/translate < some.en
"""

import argparse
import http.client
import itertools
import json
import sys
import time
import urllib.error
import urllib.request

_BUSY = (429, 503)  # the server says: later
_FIRST_PAUSE = 0.1  # seconds; doubled after each try
_LONGEST_PAUSE = 5.0


def translate(url: str, lines: list[str], deadline: float) -> list[str]:
    """Asks the model at `url` for the translations of `lines`.

    A server that can't be reached or is busy is asked again, after pauses that double.

    Args:
        url: the model, e.g. "http://localhost:8501/v1/models/translate".
        lines: texts, translated in one request.
        deadline: seconds for all tries together.

    Raises:
        OSError: no answer within the deadline, or the server refuses the request.
    """
    end = time.monotonic() + deadline
    pause = _FIRST_PAUSE
    while True:
        try:
            return _ask(url, lines, max(end - time.monotonic(), 0.001))
        except (OSError, http.client.HTTPException) as error:
            refused = isinstance(error, urllib.error.HTTPError)
            if refused and error.code not in _BUSY:
                raise OSError(f"{error}: {error.read(1000).decode()}") from error
            if time.monotonic() + pause >= end:
                raise OSError(f"no answer in {deadline:g} s: {error}") from error
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _ask(url: str, lines: list[str], timeout: float) -> list[str]:
    body = json.dumps({"inputs": {"text": lines}}).encode()
    request = urllib.request.Request(
        f"{url}:predict", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=timeout) as response:
        return json.load(response)["outputs"]["text"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://localhost:8501/v1/models/translate")
    parser.add_argument("--batch", type=int, default=32, help="lines in a request")
    parser.add_argument(
        "--deadline", type=float, default=60, help="seconds for a request, with retries"
    )
    options = parser.parse_args()
    lines = (line.rstrip("\n") for line in sys.stdin)
    while batch := list(itertools.islice(lines, options.batch)):
        try:
            answers = translate(options.url, batch, options.deadline)
        except OSError as error:
            sys.exit(
                f"{options.url}: {error}; is the server up, and is this its model?"
            )
        print(*answers, sep="\n", flush=True)


if __name__ == "__main__":
    main()
