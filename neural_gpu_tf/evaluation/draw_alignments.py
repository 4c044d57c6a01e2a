"""Pictures of what a model looked at while it translated."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tensorflow as tf
from PIL import Image

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.alignment_picture import alignment_frame
from neural_gpu_tf.files import replacing
from neural_gpu_tf.inference import Translator
from neural_gpu_tf.inference.translate_all import Translation
from neural_gpu_tf.models import MODELS
from neural_gpu_tf.text.vocabulary import VISIBLE_SPACE

_SYMBOLS = tf.TensorSpec([None, None], tf.int32)


class AlignmentPictures:
    """Draws the `alignments` of a model on translations of its own.

    The rows are the symbols of the translation as the tokenizer spells it, and EOS.
    The columns are the source's symbols; of a model with a canvas (`sized`) they are
    its columns, which may be more than the source has symbols.

    Args:
        translator: whose model looks and whose tokenizer tells the symbols.

    Raises:
        InputError: the model has no `alignments`.
    """

    def __init__(self, translator: Translator):
        model = translator.model
        if not model.aligns:
            able = [name for name, cls in MODELS.items() if cls.aligns]
            raise InputError(
                f"--alignments: {type(model).__name__} has no attention to draw; name "
                f"one run of model={', '.join(able)}"
            )
        self.sized = model.sized
        self.tokenizer = translator.tokenizer
        self.longest = translator.config.max_source_length
        self.alignments = tf.function(
            model.alignments,
            input_signature=[_SYMBOLS, _SYMBOLS, tf.TensorSpec([None], tf.int32)],
            autograph=False,
        )

    def frame(self, text: str | bytes, translation: Translation) -> np.ndarray:
        """The picture of one sentence, see `alignment_frame`; not of an empty one.

        Args:
            text: the source.
            translation: what the translator made of it.
        """
        source, target = (
            self.tokenizer.tokenize([x])[0].numpy() for x in (text, translation.text)
        )
        source = source[: self.longest]
        target = np.append(target, EOS)[: translation.size]
        size = max(translation.size, len(source))
        on_canvas = [
            np.pad(x, (0, size - len(x)))[None].astype(np.int32)
            for x in (source, target)
        ]
        weights = self.alignments(*on_canvas, np.array([size], np.int32))[0]
        columns = size if self.sized else len(source)
        above, beside = self._names(source), self._names(target)
        above += [""] * (columns - len(above))
        weights = np.asarray(weights, np.float32)[: len(target), :columns]
        return alignment_frame(weights, above, beside)

    def writer(
        self, directory: str | os.PathLike[str]
    ) -> Callable[[int, bytes, Translation], None]:
        """What writes the pictures of `translate_stream` into a folder.

        Sentence 12 becomes 00012.png; of an empty one there is none.

        Raises:
            InputError: the folder can't be made, or later: can't be written to.
        """
        folder = Path(directory)

        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"alignments={directory}: can't write there ({error.strerror}); name "
                "another folder"
            ) from error

        def write(number: int, text: bytes, translation: Translation) -> None:
            if not translation.size:
                return
            picture = Image.fromarray(self.frame(text, translation))
            with replacing(folder / f"{number:05}.png") as beside:
                picture.save(beside)

        return write

    def _names(self, symbols: np.ndarray) -> list[str]:
        names = self.tokenizer.vocabulary.symbols
        return [names[i].replace(VISIBLE_SPACE, " ").strip() for i in symbols]
