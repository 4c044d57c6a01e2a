"""How to draw translations at random."""

import dataclasses
from collections.abc import Iterable

from neural_gpu_tf.configuration import (
    check_at_least,
    check_options,
    check_seed,
    option,
)
from neural_gpu_tf.errors import InputError

_OF_SEARCH = ("beam", "n_best", "length_penalty", "coverage_penalty")


@dataclasses.dataclass(frozen=True)
class SamplingConfig:
    """The sampling options; each field's help text is its documentation.

    Raises:
        InputError: a value is not legal; the message names the option.
    """

    sample: bool = option(
        False,
        "sample each translation at random, e.g. for back-translation, instead of "
        "searching for the best; on the canvas size that greedy decoding finds best",
    )
    temperature: float = option(
        1.0, "with --sample: divides the logits; less than 1: likelier symbols"
    )
    top_k: int = option(
        0, "with --sample: draw from this many of the likeliest symbols; 0: from all"
    )
    top_p: float = option(
        1.0,
        "with --sample: draw from the nucleus, the fewest of the likeliest symbols "
        "that have this probability together",
    )
    sample_seed: int = option(
        0,
        "with --sample: the seed; with the same seed, a text always gets the same "
        "translation, wherever it occurs",
    )

    def __post_init__(self) -> None:
        check_options(self)
        if not 0 < self.temperature < float("inf"):
            raise InputError(
                f"temperature={self.temperature}: must exceed 0, and be finite"
            )
        check_at_least("top_k", self.top_k, 0)
        if not 0 < self.top_p <= 1:
            raise InputError(f"top_p={self.top_p}: must be in (0, 1]")
        check_seed("sample_seed", self.sample_seed)

    def check_flags(self, given: Iterable[str]) -> None:
        """Raises InputError if a flag contradicts `sample`, or its absence.

        Args:
            given: the names of all flags of decoding and of sampling that were given.
        """
        own = {field.name for field in dataclasses.fields(self)} - {"sample"}
        for name in given:
            if self.sample and name in _OF_SEARCH:
                raise InputError(
                    f"--{name} and --sample contradict each other: sampling does not "
                    "search; leave one of them out"
                )
            if not self.sample and name in own:
                raise InputError(f"--{name}: only with --sample; give it too")
