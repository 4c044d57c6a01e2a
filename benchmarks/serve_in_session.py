"""An export in a session, with TensorFlow alone, for `benchmarks.serve`.

python -m benchmarks.serve_in_session EXPORT THREADS

Reads lines of JSON, each a list of texts; answers each with one: the seconds that the
session took, and the texts. At the end of its input it tells the seconds until the
first answer, and its peak memory in bytes.
"""

import json
import sys
import time

from benchmarks.peak_memory import peak_memory


def main() -> None:
    start = time.perf_counter()
    path, threads = sys.argv[1], int(sys.argv[2])
    from benchmarks.session import ExportSession

    session, load = ExportSession(path, threads), None
    for line in sys.stdin:
        texts = json.loads(line)
        began = time.perf_counter()
        answers = session("serving_default", {"text": texts})["text"]
        end = time.perf_counter()
        load = load or end - start
        said = [one.decode() for one in answers]
        print(json.dumps({"seconds": end - began, "text": said}), flush=True)
    print(json.dumps({"load": load, "memory": peak_memory()}), flush=True)


if __name__ == "__main__":
    main()
