"""neural-gpu-build-vocab: builds a vocabulary from text files, plain or .gz.

neural-gpu-build-vocab --vocab_size=32768 --output=vocab.txt train.en train.fr.gz
"""

import dataclasses
import os
from collections.abc import Sequence

from absl import flags, logging

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import VocabularyConfig

flags.DEFINE_string("output", "vocab.txt", "the vocabulary file to write")
config_flags.define(VocabularyConfig)


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.text import build_vocabulary

    config = config_flags.read(VocabularyConfig)
    output = flags.FLAGS.output
    folder = os.path.dirname(output) or "."
    if not output or os.path.isdir(output) or not os.access(folder, os.W_OK):
        raise InputError(f"--output={output}: can't write there; name another file")
    size, max_characters, min_count = dataclasses.astuple(config)
    vocabulary = build_vocabulary(argv, size, max_characters, min_count)
    vocabulary.save(output)
    logging.info(
        "%s: %d symbols: %d characters, %d pieces",
        output,
        len(vocabulary),
        len(vocabulary.characters),
        len(vocabulary.pieces),
    )


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
