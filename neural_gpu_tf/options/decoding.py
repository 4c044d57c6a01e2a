"""How to decode."""

import dataclasses
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from neural_gpu_tf.configuration import (
    check_at_least,
    check_options,
    from_dict,
    option,
    plain,
)
from neural_gpu_tf.constants import INT32_MAX
from neural_gpu_tf.errors import InputError

_DENOMINATOR = 10_000  # int32 has room for sources of 100,000 symbols twice


@dataclasses.dataclass(frozen=True)
class DecodingConfig:
    """The decoding options; each field's help text is its documentation.

    Raises:
        InputError: a value is not legal; the message names the option.
    """

    sizes: str = option(
        "all",
        "canvas sizes to try for a sentence: all; predicted: the --tried_sizes "
        "likeliest according to neural-gpu-fit-sizes; or a number N, at least 2: up "
        "to N evenly spaced sizes, including the smallest and the largest",
    )
    tried_sizes: int = option(
        4, "with --sizes=predicted: how many sizes to try for a sentence"
    )
    max_size_ratio: float = option(
        2.0, "size of the largest canvas relative to the source, before --size_margin"
    )
    size_margin: int = option(
        0, "symbols added to the largest canvas, for outputs of short sources"
    )
    max_source_length: int = option(
        60, "longest source, symbols; the end of a longer one is cut off"
    )
    decode_cells: int = option(
        8_192,
        "memory budget: canvases of n symbols are decoded decode_cells / (beam n) at "
        "a time",
    )
    beam: int = option(
        1, "hypotheses that are kept at each step of decoding; 1: greedy decoding"
    )
    n_best: int = option(
        1,
        "translations per sentence, at most --beam; neural-gpu-translate writes this "
        "many lines for each, best first (those that end before those that fill their "
        "canvas, whatever their scores): score, tab, translation; if there are fewer "
        "different ones, the rest have the score -inf and no text",
    )
    length_penalty: float = option(
        0.0,
        "alpha: log-probabilities are divided by ((5 + symbols) / 6)^alpha before they "
        "are compared; 0: not at all",
    )
    coverage_penalty: float = option(
        0.0,
        "beta, for models with attention: weight of the penalty for source symbols "
        "that a translation did not attend to; 0: no penalty",
    )

    def largest_size(self, length: Any) -> Any:
        """The columns of the largest canvas of a source.

        ⌊max_size_ratio · length⌋ + size_margin, where the ratio is the decimal that was
        given: in floats 1.15 · 100 is less than 115.

        Args:
            length: symbols of the source, an int or integers of any backend.
        """
        ratio = self._ratio()
        return length * ratio.numerator // ratio.denominator + self.size_margin

    def _ratio(self) -> Fraction:
        return Fraction(str(self.max_size_ratio)).limit_denominator(_DENOMINATOR)

    def changed(self, options: Mapping[str, Any]) -> "DecodingConfig":
        """These options but for some.

        Raises:
            InputError: one is not known or not legal, or does nothing without another.
        """
        given = {name: plain(value) for name, value in options.items()}
        values = dataclasses.asdict(self) | given
        changed = from_dict(DecodingConfig, values, "decoding")
        if "tried_sizes" in given and changed.sizes != "predicted":
            raise InputError(
                f"tried_sizes={changed.tried_sizes}: does nothing with sizes="
                f"{changed.sizes}; give sizes=predicted too, or leave it out"
            )
        return changed

    def __post_init__(self) -> None:
        check_options(self)
        is_number = self.sizes.isascii() and self.sizes.isdecimal()
        by_name = self.sizes in ("all", "predicted")
        if not by_name and not (is_number and int(self.sizes) >= 2):
            raise InputError(
                f"sizes={self.sizes}: not a legal value; choose all or predicted or "
                "a whole number, at least 2"
            )
        check_at_least("max_size_ratio", self.max_size_ratio, 1)
        check_at_least("size_margin", self.size_margin, 0)
        for name in (
            "tried_sizes",
            "max_source_length",
            "decode_cells",
            "beam",
            "n_best",
        ):
            check_at_least(name, getattr(self, name), 1)
        for name in ("length_penalty", "coverage_penalty"):
            check_at_least(name, getattr(self, name), 0)
        for name in ("max_size_ratio", "length_penalty", "coverage_penalty"):
            if math.isinf(getattr(self, name)):
                raise InputError(f"{name}=inf: must be finite")
        largest = self.max_source_length * self._ratio().numerator + self.size_margin
        if largest > INT32_MAX:
            raise InputError(
                f"max_source_length={self.max_source_length}: canvases would have more "
                f"columns than can be counted, with max_size_ratio="
                f"{self.max_size_ratio} and size_margin={self.size_margin}"
            )
        if self.n_best > self.beam:
            raise InputError(
                f"n_best={self.n_best}: more than beam={self.beam}; widen the beam"
            )
