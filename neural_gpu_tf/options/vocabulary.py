"""Options of building a vocabulary."""

import dataclasses

from neural_gpu_tf.configuration import check_at_least, check_options, option
from neural_gpu_tf.constants import RESERVED_SYMBOLS


@dataclasses.dataclass(frozen=True)
class VocabularyConfig:
    """What a vocabulary takes from the text.

    Raises:
        InputError: a value is not legal; the message names the option.
    """

    vocab_size: int = option(
        32_768, "maximum number of symbols, including 260 for control and bytes"
    )
    max_characters: int = option(
        1_000, "maximum characters with their own symbol; others are spelled in bytes"
    )
    min_count: int = option(1, "leave out what occurs fewer times than this")

    def __post_init__(self) -> None:
        check_options(self)
        check_at_least("vocab_size", self.vocab_size, RESERVED_SYMBOLS)
        check_at_least("max_characters", self.max_characters, 0)
        check_at_least("min_count", self.min_count, 1)
