"""Exported translators, whatever their format."""

import os
from pathlib import Path

from neural_gpu_tf.serving.exported_decoder import ExportedDecoder
from neural_gpu_tf.serving.exported_translator import ExportedTranslator
from neural_gpu_tf.serving.formats import format_of


def load_exported(
    directory: str | os.PathLike[str],
) -> ExportedTranslator | ExportedDecoder:
    """The translator in one version of an export, e.g. "RUN/export/1".

    Raises:
        InputError: it is no export of a translator.
    """
    if format_of(Path(directory)):
        return ExportedDecoder(directory)
    return ExportedTranslator(directory)
