"""SavedModels that translate, for TensorFlow Serving."""

import dataclasses
import os
from pathlib import Path

import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.inference import Translator
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.serving.limits import legal_texts
from neural_gpu_tf.serving.metadata import write_metadata
from neural_gpu_tf.serving.saved_model import (
    answer_in_session,
    write_endpoints,
    write_version,
)
from neural_gpu_tf.serving.translator_signatures import TranslatorSignatures
from neural_gpu_tf.serving.warmup import write_warmup

_SAMPLES = ("", "two", "Two thousand, three hundred and forty-five.")


def export(
    translator: Translator,
    directory: str | os.PathLike[str],
    version: int | None = None,
    limits: ServingConfig | None = None,
) -> Path:
    """Writes `directory`/`version`/, all of it or nothing.

    The SavedModel holds weights, vocabulary and decoding, all in core TensorFlow ops,
    so that a stock server loads it. Its signatures are those of `TranslatorSignatures`:

        translate, serving_default
                        text string [batch] → text string [batch],
                        log_probability float32 [batch], size int32 [batch]
        translate_nbest text string [batch] → text string [batch, b], log_probability
                        and score float32 [batch, b], size int32 [batch, b],
                        finished bool [batch, b], too_long bool [batch]
        score           source, target string [batch] → log_probability float32 [batch],
                        size int32 [batch], too_long bool [batch]
        tokenize        text string [batch] → symbols int32 [batch, n], length int32
                        [batch], too_long bool [batch]
        detokenize      symbols int32 [batch, n] → text string [batch]
        too_long        text string [batch] → too_long bool [batch]
        explain         text string [batch] → what `explanation.explain` returns

    Beside it, in assets.extra/, are its description (export.json) and requests that a
    server warms up with. Before it appears it is loaded in a session and compared with
    `translator` on a few texts.

    Args:
        translator: what to export.
        directory: the folder that a server watches; made if it isn't there.
        version: a positive number; the one after the highest there, from 1, if None.
        limits: of a request; those of `ServingConfig` if None.

    Returns:
        The folder that was written.

    Raises:
        InputError: the version is there already, `directory` can't be written, or the
            longest source is beyond the limits.
        RuntimeError: what was written does not answer as `translator` does.
    """

    legal = limits or ServingConfig()

    def write(path: Path) -> None:
        _write(translator, path, legal)
        _check(translator, path, legal)

    return write_version(directory, version, write)


def _write(translator: Translator, path: Path, limits: ServingConfig) -> None:
    signatures = TranslatorSignatures(translator, limits)
    endpoints = signatures.endpoints()
    write_endpoints(path, [translator.tokenizer], endpoints)  # which has a table
    about = {
        "vocabulary_size": len(translator.tokenizer.vocabulary),
        "decoding": dataclasses.asdict(translator.config),
        "longest_source_columns": signatures.longest_source_columns,
    }
    write_metadata(path, endpoints, limits, about)
    samples = legal_texts(_SAMPLES, limits)
    of_pairs = {"score", "detokenize"}
    texts = [name for name in endpoints if name not in of_pairs]
    write_warmup(
        path,
        [
            *((name, {"text": [text]}) for name in texts for text in samples),
            *(("score", {"source": [text], "target": [text]}) for text in samples),
            ("detokenize", {"symbols": np.array([[EOS]], np.int32)}),
        ],
    )


def _check(translator: Translator, path: Path, limits: ServingConfig) -> None:
    """Raises RuntimeError unless the export answers, in a session, as it should."""
    samples = legal_texts(_SAMPLES, limits)
    expected = translator.translate(tf.constant(samples))
    answer = answer_in_session(path, samples)
    same = expected.keys() == answer.keys() and all(
        np.array_equal(answer[name], expected[name].numpy())
        for name in ("text", "size")
    )
    if not same or not np.allclose(
        answer["log_probability"], expected["log_probability"], rtol=1e-3, atol=1e-3
    ):
        raise RuntimeError(f"{path}: the export answers {answer}, the model {expected}")
