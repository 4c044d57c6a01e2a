"""What an export takes on."""

import dataclasses

from neural_gpu_tf.configuration import check_at_least, option


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
        "longest text that an export reads, in bytes of UTF-8; the end of a longer "
        "one is cut off before anything else is done, and the text counts as too "
        "long; a question of a task is not cut but gets no answer",
    )
    max_texts: int = option(
        1_024, "most texts in a request to an export; more of them get an error"
    )
    max_request_columns: int = option(
        400_000,
        "most columns of all canvases that a request to an export takes, all sizes "
        "that are tried counted; beyond them it gets an error (64 sources of 60 "
        "symbols take 351,360)",
    )
    max_request_steps: int = option(
        4_194_304,
        "most steps of columns that a request to an export of a model of a task takes, "
        "n² for a question of n columns; beyond them it gets an error (4 questions of "
        "1,024 columns take 4,194,304)",
    )

    def __post_init__(self) -> None:
        check_at_least("max_text_bytes", self.max_text_bytes, 4)
        check_at_least("max_texts", self.max_texts, 1)
        check_at_least("max_request_columns", self.max_request_columns, 1)
        check_at_least("max_request_steps", self.max_request_steps, 1)
