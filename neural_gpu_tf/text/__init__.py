"""Text to symbols and back: vocabulary, spell-out tokenizer, vocabulary builder."""

from neural_gpu_tf.text.build_vocabulary import VocabularyConfig, build_vocabulary
from neural_gpu_tf.text.count_pieces import Counts, count_pieces
from neural_gpu_tf.text.lines import read_lines
from neural_gpu_tf.text.spell_out_tokenizer import SpellOutTokenizer
from neural_gpu_tf.text.vocabulary import EOS, GO, PAD, SPACE, Vocabulary

__all__ = [
    "EOS",
    "GO",
    "PAD",
    "SPACE",
    "Counts",
    "SpellOutTokenizer",
    "Vocabulary",
    "VocabularyConfig",
    "build_vocabulary",
    "count_pieces",
    "read_lines",
]
