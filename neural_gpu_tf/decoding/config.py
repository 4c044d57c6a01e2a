"""How to decode."""

import dataclasses

from neural_gpu_tf.configuration import check_at_least, option
from neural_gpu_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class DecodingConfig:
    """The decoding options; each field's help text is its documentation.

    Raises:
        InputError: a value is not legal; the message names the flag.
    """

    sizes: str = option(
        "all",
        "canvas sizes to try for a sentence: all, or a number N from 2: at most N of "
        "them, spread evenly, the smallest and the largest among them",
    )
    max_size_ratio: float = option(
        2.0, "largest canvas, in lengths of the source (but for --size_margin)"
    )
    size_margin: int = option(
        0, "symbols that the largest canvas has more, for outputs of short sources"
    )
    max_source_length: int = option(
        60, "longest source, symbols; the end of a longer one is cut off"
    )
    decode_cells: int = option(
        8_192,
        "memory budget: canvases of n symbols are decoded decode_cells / n at a time",
    )

    def __post_init__(self) -> None:
        is_number = self.sizes.isascii() and self.sizes.isdecimal()
        if self.sizes != "all" and not (is_number and int(self.sizes) >= 2):
            raise InputError(
                f"--sizes={self.sizes}: not a legal value; choose all or a whole "
                "number, at least 2"
            )
        check_at_least("max_size_ratio", self.max_size_ratio, 1)
        check_at_least("size_margin", self.size_margin, 0)
        for name in ("max_source_length", "decode_cells"):
            check_at_least(name, getattr(self, name), 1)
