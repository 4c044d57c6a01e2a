"""The Transformer that is measured against, made from pairs of texts if it is absent.

The processes that need PyTorch and CTranslate2 run in a Python that has them; this one
reads the texts and spells them out, so that both models see the same symbols.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.errors import InputError

PACKAGES = ("torch", "ctranslate2", "numpy")
PAIRS, WEIGHTS, TYPES = "pairs.npz", "transformer.pt", ("float32", "int8")


def missing(python: str, packages: Sequence[str] = PACKAGES) -> list[str]:
    """Which packages a Python does not find.

    Raises:
        InputError: there is no such Python.
    """
    code = (
        "import importlib.util, json, sys; print(json.dumps([name for name in "
        "sys.argv[1:] if importlib.util.find_spec(name) is None]))"
    )
    try:
        told = subprocess.run(
            [python or sys.executable, "-c", code, *packages],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise InputError(f"peers_python={python}: {error}") from error
    return json.loads(told.stdout)


def make_transformer(
    where: Path, data_dir: Path, vocabulary: Path, python: str
) -> dict[str, Path]:
    """Trains and converts the Transformer, each unless it is there.

    Args:
        where: its folder. A training that was ended early goes on.
        data_dir: with train.en.gz, train.fr.gz, val.en.gz and val.fr.gz.
        vocabulary: of source and target.
        python: has `PACKAGES`; "": this one.

    Returns:
        The folders of CTranslate2, by the type of their numbers.

    Raises:
        InputError: the training or the conversion fails.
    """
    where.mkdir(parents=True, exist_ok=True)
    folders = {kind: where / kind for kind in TYPES}
    if not (where / WEIGHTS).exists():
        if not (where / PAIRS).exists():
            write_pairs(where / PAIRS, data_dir, vocabulary)
        print("training the Transformer, resumable", file=sys.stderr, flush=True)
        run = (str(where / PAIRS), str(where), "{}")
        _run(python, "textbook_torch_transformer", *run)
    if not all((path / "model.bin").exists() for path in folders.values()):
        _run(python, "peers_convert", str(where), str(vocabulary))
    return folders


def write_pairs(path: Path, data_dir: Path, vocabulary: Path) -> None:
    """Keeps the symbols of all pairs, EOS behind each side, PAD behind that."""
    from neural_gpu_tf.files import replacing
    from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary
    from neural_gpu_tf.text.lines import read_lines

    tokenizer = SpellOutTokenizer(Vocabulary.load(vocabulary))
    found: dict[str, Any] = {}
    for file, name in (("train", "train"), ("val", "validation")):
        for language, side in (("en", "source"), ("fr", "target")):
            texts = list(read_lines(data_dir / f"{file}.{language}.gz"))
            rows = tokenizer.tokenize(texts).to_list()
            table = np.zeros((len(rows), max(map(len, rows)) + 1), np.int16)
            for line, row in zip(table, rows, strict=True):
                line[: len(row) + 1] = [*row, EOS]
            found[f"{name}_{side}"] = table
    with replacing(path) as beside, beside.open("wb") as file:
        np.savez_compressed(file, **found)


def _run(python: str, module: str, *arguments: str) -> None:
    command = [python or sys.executable, "-m", f"benchmarks.{module}", *arguments]
    status = subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode
    if status:
        raise InputError(f"`{' '.join(command)}` ended with status {status}")
