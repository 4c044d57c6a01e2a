"""Fuzzes what reads requests and files, guided by what is covered; needs atheris.

pip install 'neural-gpu-tf[fuzz]'
python tests/faults/guided.py --target=requests --runs=1000000

Whatever the bytes are, there must be an answer or the one error that is meant for it,
in one line. Anything else ends the process with a traceback, and the bytes are left in
a file crash-…. The targets: requests (the body of a predict request), vocabulary and
trees.

Prints one line of JSON at the end: target, runs, seconds, and how many of the runs got
an answer (answered).
"""

import argparse
import atexit
import functools
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atheris

LONGEST = 4_096  # bytes of an input
WORDS = [
    *("instances", "inputs", "signature_name", "text", "symbols", "source", "target"),
    *("pair", "serving_default", "b64", "aGE="),
]
SEEDS = [
    b'\0{"instances": ["two", {"b64": "aGE="}], "signature_name": "text"}',
    b'\0{"instances": [{"source": "a", "target": "b"}], "signature_name": "pair"}',
    b"(S (NP (DT the) (NN cat)) (VP (VB is)))\n(X y)\n",
    b"<pad>\n<go>\n<eos>\n<space>\n<0x00>\n<0x01>\na\nb\ntwo\n",
]


def as_json(data: bytes) -> bytes:
    """The bytes behind a 0 as they are, or JSON that is built as they tell."""
    if data[:1] == b"\0":
        return data[1:]
    told = atheris.FuzzedDataProvider(data)

    def word() -> str:
        known = told.ConsumeBool()
        return told.PickValueInList(WORDS) if known else told.ConsumeUnicode(9)

    def value(depth: int) -> Any:
        kind = told.ConsumeIntInRange(0, 6 if depth < 5 else 4)
        if kind == 6 or not depth:
            return {
                word(): value(depth + 1) for _ in range(told.ConsumeIntInRange(0, 4))
            }
        if kind == 5:
            return [value(depth + 1) for _ in range(told.ConsumeIntInRange(0, 4))]
        if kind == 4:
            return told.PickValueInList([None, True, False, 1, 0, -1, 2**31])
        return told.ConsumeFloat() if kind == 3 else word()

    return json.dumps(value(0)).encode()


def requests() -> Callable[[bytes], Any]:
    """Reads a request to signatures of texts, of numbers and of pairs."""
    import tensorflow as tf

    with atheris.instrument_imports(include=["json", "neural_gpu_tf.serving.rest_api"]):
        from neural_gpu_tf.serving import rest_api

    texts = tf.TensorSpec([None], tf.string)
    numbers = tf.TensorSpec([None, None], tf.int32)
    specs = {
        "serving_default": {"text": texts},
        "text": {"text": texts},
        "symbols": {"symbols": numbers},
        "pair": {"source": texts, "target": texts},
    }

    class Version:
        signatures = specs
        inputs = staticmethod(specs.get)

    def read(data: bytes) -> None:
        try:
            request = rest_api.read_request(as_json(data), Version())
        except rest_api.RequestError as error:
            assert error.status == 400
            raise _Refused(str(error)) from error
        for name, array in request.inputs.items():
            spec = specs[request.signature][name]
            assert spec.shape.is_compatible_with(array.shape)
            if spec.dtype == tf.string:
                assert all(isinstance(x, bytes) for x in array.ravel())

    return read


def vocabulary() -> Callable[[bytes], Any]:
    """Reads a vocabulary."""
    with atheris.instrument_imports(include=["neural_gpu_tf.text.vocabulary"]):
        from neural_gpu_tf.text.vocabulary import RESERVED, Vocabulary

    head = "\n".join(RESERVED).encode()

    def read(data: bytes, path: Path) -> None:
        # Without what every vocabulary begins with, chance would find no more.
        path.write_bytes(data[1:] if data[:1] == b"\0" else head + b"\n" + data)
        found = Vocabulary.load(path)
        found.save(path)
        assert Vocabulary.load(path).fingerprint() == found.fingerprint()

    return _with_file(read)


def trees() -> Callable[[bytes], Any]:
    """Reads parse trees."""
    with atheris.instrument_imports(include=["neural_gpu_tf.parsing"]):
        from neural_gpu_tf.parsing.read_trees import read_trees

    def read(data: bytes) -> None:
        list(read_trees(data.decode(errors="replace").split("\n"), "trees"))

    return read


TARGETS = {one.__name__: one for one in (requests, vocabulary, trees)}


class _Refused(ValueError):
    """What a target refuses in its own way."""


def _with_file(read: Callable[[bytes, Path], Any]) -> Callable[[bytes], Any]:
    return lambda data: read(data, _folder() / "file")


@functools.cache
def _folder() -> Path:
    """A folder that is deleted at the end."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", choices=TARGETS, default="requests")
    parser.add_argument("--runs", type=int, default=1_000_000)
    values = parser.parse_args()
    os.environ |= {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "2"}
    read = TARGETS[values.target]()
    from neural_gpu_tf.errors import InputError

    begin, counts = time.monotonic(), {"runs": 0, "answered": 0}

    def try_one(data: bytes) -> None:
        counts["runs"] += 1
        try:
            read(data)
            counts["answered"] += 1
        except (InputError, _Refused) as error:
            assert str(error) and len(str(error).splitlines()) == 1, error

    def tell() -> None:
        took = round(time.monotonic() - begin, 1)
        print(json.dumps({"target": values.target, **counts, "seconds": took}))
        sys.stdout.flush()

    corpus = _folder() / "corpus"
    corpus.mkdir()
    for i, seed in enumerate(SEEDS):
        (corpus / str(i)).write_bytes(seed)
    atexit.register(tell)
    options = [f"-atheris_runs={values.runs}", f"-max_len={LONGEST}", "-seed=1"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], try_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
