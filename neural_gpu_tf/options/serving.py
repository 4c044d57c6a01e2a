"""Limits of an export."""

import dataclasses

from neural_gpu_tf.configuration import check_at_least, check_options, option
from neural_gpu_tf.constants import INT32_MAX
from neural_gpu_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class ServingConfig:
    """The limits of an export; each field's help text is its documentation.

    With `max_source_length` or `max_columns` they bound the work for a request, so no
    request can hang a server.

    Raises:
        InputError: a value is not legal; the message names the option.
    """

    max_text_bytes: int = option(
        16_384,
        "longest text that an export reads, in bytes of UTF-8; a longer text is first "
        "cut to this length and counts as too long; a longer question of a task is "
        "not cut but gets no answer",
    )
    max_texts: int = option(
        1_024, "maximum texts in a request to an export; more give an error"
    )
    max_request_columns: int = option(
        400_000,
        "maximum columns of all canvases of a request to an export, summed over all "
        "sizes that are tried; more give an error (64 sources of 60 symbols take "
        "351,360)",
    )
    max_request_steps: int = option(
        4_194_304,
        "for exported models of tasks: maximum columns × steps of a request, n² for a "
        "question of n columns; more give an error (4 questions of 1,024 columns take "
        "4,194,304)",
    )

    def __post_init__(self) -> None:
        check_options(self)
        check_at_least("max_text_bytes", self.max_text_bytes, 4)
        check_at_least("max_texts", self.max_texts, 1)
        for name, most in (
            ("max_texts", INT32_MAX),
            ("max_text_bytes", INT32_MAX // 3),
        ):
            if getattr(self, name) > most:
                raise InputError(
                    f"{name}={getattr(self, name)}: must be at most {most}"
                )
        check_at_least("max_request_columns", self.max_request_columns, 1)
        check_at_least("max_request_steps", self.max_request_steps, 1)
