"""Translates standard input through TensorFlow Serving's REST interface.

python export/client.py --url=http://localhost:8501/v1/models/translate < some.en
"""

import argparse
import itertools
import json
import sys
import urllib.error
import urllib.request


def translate(url: str, lines: list[str], timeout: float) -> list[str]:
    """Asks the model at `url` for the translations of `lines`."""
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
    parser.add_argument("--timeout", type=float, default=60, help="seconds")
    options = parser.parse_args()
    lines = (line.rstrip("\n") for line in sys.stdin)
    while batch := list(itertools.islice(lines, options.batch)):
        try:
            print(*translate(options.url, batch, options.timeout), sep="\n", flush=True)
        except (urllib.error.URLError, TimeoutError) as error:
            sys.exit(
                f"{options.url}: {error}; is the server up, and is this its model?"
            )


if __name__ == "__main__":
    main()
