"""Has an export translate strings of all kinds of `fuzz_texts`, and checks it.

python tests/faults/fuzz.py --strings=100000 --seed=0

The export is loaded in a session, as a stock server does. Each string is translated
alone and in a batch; each is turned into symbols and back, which must give the text
again, normalized, if it is UTF-8. A request that takes too long ends the process with
a traceback.

Prints one line of JSON: strings, of them valid (UTF-8) and cut (longer than an export
reads); answers, different ones; seconds, of all and slowest of one, with its text's
beginning (slowest_text); and up to ten of each kind of fault: differing (a string
alone has another answer than in a batch), lossy (symbols and back give another text),
bad (an answer that is none: no UTF-8, not finite, a size that is not legal); and
whether there is none (held).
"""

import argparse
import contextlib
import faulthandler
import itertools
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import fuzz_texts  # noqa: E402
import oracles_text  # noqa: E402

PATIENCE = 120.0  # seconds for a request
BATCH = 64
CLOSE = 1e-3  # log-probabilities that count as equal


class Fuzz:
    """What was asked and found.

    Args:
        session: answers requests; see `benchmarks.session`.
        limit: bytes of a text that the export reads.
    """

    def __init__(self, session: Any, limit: int):
        self.session = session
        self.limit = limit
        self.slowest = (0.0, b"")
        self.faults: dict[str, list[str]] = {"differing": [], "lossy": [], "bad": []}
        self.counts = {"strings": 0, "valid": 0, "cut": 0}
        self.answers: set[bytes] = set()

    def ask(self, signature: str, name: str, value: Any) -> dict[str, np.ndarray]:
        """Asks, with an eye on the clock."""
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        start = time.perf_counter()
        answer = self.session(signature, {name: value})
        took = time.perf_counter() - start
        faulthandler.cancel_dump_traceback_later()
        if len(value) == 1 and took > self.slowest[0]:
            self.slowest = took, value[0]
        if any(len(part) != len(value) for part in answer.values()):
            shapes = {key: part.shape for key, part in answer.items()}
            raise RuntimeError(f"{signature}: {shapes} to {len(value)} texts")
        return answer

    def batch(self, texts: list[bytes]) -> None:
        """Tries some texts."""
        many = self.ask("translate", "text", texts)
        symbols = self.ask("tokenize", "text", texts)
        back = self.ask("detokenize", "symbols", symbols["symbols"])["text"]
        for i, text in enumerate(texts):
            alone = self.ask("translate", "text", [text])
            one = {name: value[0] for name, value in alone.items()}
            other = {name: value[i] for name, value in many.items()}
            if not _equal(one, other):
                self.faults["differing"].append(f"{text[:60]!r}: {one}, {other}")
            if not _is_answer(text, one):
                self.faults["bad"].append(f"{text[:60]!r}: {one}")
            self.answers.add(one["text"])
            self.counts["strings"] += 1
            self.counts["cut"] += len(text) > self.limit
            self._check_text(text, back[i])

    def _check_text(self, text: bytes, back: bytes) -> None:
        try:
            text.decode()
        except UnicodeDecodeError:
            back.decode()
            return
        self.counts["valid"] += 1
        read = text[: self.limit].decode(errors="ignore")  # but half of a character
        if back.decode() != oracles_text.normalize(read):
            self.faults["lossy"].append(f"{text[:60]!r}: {back[:60]!r}")


def _equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    apart = abs(one["log_probability"] - other["log_probability"])
    same = all(one[name] == other[name] for name in ("text", "size"))
    return same and apart <= CLOSE * max(abs(one["log_probability"]), 1)


def _is_answer(text: bytes, one: dict[str, Any]) -> bool:
    try:
        one["text"].decode()
    except UnicodeDecodeError:
        return False
    read = oracles_text.normalize(text.decode(errors="replace"))
    return bool(np.isfinite(one["log_probability"]) and one["size"] >= bool(read))


def run(export_dir: Path, strings: int, seed: int) -> dict[str, Any]:
    """Tries so many strings on one version of an export."""
    from benchmarks.session import ExportSession
    from neural_gpu_tf.serving.metadata import read_metadata

    begin = time.perf_counter()
    limit = read_metadata(export_dir)["limits"]["max_text_bytes"]
    fuzz = Fuzz(ExportSession(export_dir), limit)
    fuzz.ask("translate", "text", ["warm up"])
    fuzz.slowest = 0.0, b""
    texts = fuzz_texts.texts(strings, seed)
    while batch := list(itertools.islice(texts, BATCH)):
        fuzz.batch(batch)
    took, text = fuzz.slowest
    return {
        **fuzz.counts,
        "answers": len(fuzz.answers),
        "seconds": round(time.perf_counter() - begin, 1),
        "slowest": round(took, 4),
        "slowest_text": f"{len(text)} bytes: {text[:20]!r}",
        **{name: found[:10] for name, found in fuzz.faults.items()},
        "held": not any(fuzz.faults.values()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strings", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--export_dir", help="one version; a tiny model's if not given")
    values = parser.parse_args()
    os.environ |= {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "2"}
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(sys.stderr):
            path = Path(values.export_dir or _tiny(folder))
            result = run(path, values.strings, values.seed)
    print(json.dumps(result, ensure_ascii=True))
    sys.exit(not result["held"])


def _tiny(folder: str) -> Path:
    """An export that reads four symbols of a text, so that it is quick."""
    import tiny

    from neural_gpu_tf.inference import Translator
    from neural_gpu_tf.options import DecodingConfig, ModelConfig
    from neural_gpu_tf.serving import export

    small = ModelConfig(maps=4, width=1, layers=1, kernel_gain=1.4, embedding_range=1.0)
    decoding = DecodingConfig(max_source_length=4, max_size_ratio=1.25, decode_cells=64)
    model = tiny.new_model(len(tiny.vocabulary()), small)
    return export(Translator(model, tiny.tokenizer(), decoding), folder)


if __name__ == "__main__":
    main()
