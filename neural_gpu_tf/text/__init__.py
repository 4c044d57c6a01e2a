"""Text to symbols and back: vocabulary, spell-out tokenizer, vocabulary builder.

The tokenizer is imported when it is first asked for: with it comes TensorFlow Text,
0.12 GB of libraries that the training of tasks does without.
"""

from typing import TYPE_CHECKING, Any

from neural_gpu_tf.text.build_vocabulary import build_vocabulary
from neural_gpu_tf.text.count_pieces import Counts, count_pieces
from neural_gpu_tf.text.lines import read_lines
from neural_gpu_tf.text.vocabulary import Vocabulary

__all__ = [
    "Counts",
    "SpellOutTokenizer",
    "Vocabulary",
    "build_vocabulary",
    "count_pieces",
    "read_lines",
]


if TYPE_CHECKING:
    from neural_gpu_tf.text.spell_out_tokenizer import SpellOutTokenizer
else:

    def __getattr__(name: str) -> Any:
        if name != "SpellOutTokenizer":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from neural_gpu_tf.text.spell_out_tokenizer import SpellOutTokenizer

        return SpellOutTokenizer
