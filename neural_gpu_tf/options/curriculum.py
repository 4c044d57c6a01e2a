"""Options of algorithmic tasks and their curriculum."""

import dataclasses

from neural_gpu_tf.configuration import (
    check_at_least,
    check_choice,
    check_options,
    option,
)
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import TASKS, NumberTask, Task

_SHARES = (
    "threshold",
    "dropout_threshold",
    "current_share",
    "shorter_share",
    "unbalanced_share",
    "hard_share",
    "give_up_error",
)
_MOST_COLUMNS = 1_000
_LONGEST = 10**8


@dataclasses.dataclass(frozen=True)
class CurriculumConfig:
    """The options of an algorithmic task; each field's help is its documentation.

    Raises:
        InputError: a value is not legal; the message names the option.
    """

    task: str = option(
        "", f"algorithmic task to train instead of translation: {', '.join(TASKS)}"
    )
    task_batch_size: int = option(32, "examples in a batch, over all replicas")
    most_batch_size: int = option(
        0,
        "largest batch of shorter examples, which get larger batches of at most the "
        "cost of a batch of the longest; 0: --task_batch_size for all lengths",
    )
    least_bits: int = option(1, "digits of an operand (symbols of a list) at the start")
    most_bits: int = option(
        20, "maximum digits of an operand (symbols of a list) in training"
    )
    curriculum: bool = option(
        True, "lengthen the examples as short ones are learned; else use all lengths"
    )
    buckets: int = option(
        1,
        "number of length ranges; every step takes one batch of each range; more than "
        "1 only with --nocurriculum",
    )
    doublings: int = option(
        0,
        "without a curriculum: how many times the longest length doubles, each time "
        "when more than --threshold of the examples of the longest length (with "
        "--buckets: of all) are right; each time the batch size is quartered",
    )
    doubling_from: int = option(
        0, "with --doublings: the first step after which it may double"
    )
    threshold: float = option(
        0.8, "share of correct (teacher-forced) examples above which the length grows"
    )
    curriculum_dropout: float = option(
        -1.0,
        "initial dropout; it rises to --dropout in steps of 0.025 while more than "
        "--dropout_threshold of the examples of the current length (with --buckets: of "
        "all) are right and the length does not grow; -1: --dropout from the start",
    )
    dropout_threshold: float = option(
        0.9, "share of entirely correct examples above which --curriculum_dropout rises"
    )
    dropout_falls_below: float = option(
        0.0, "with --curriculum_dropout: share below which it falls again; 0: never"
    )
    blank_columns: float = option(
        0.0,
        "blank columns appended to every example, in training and afterwards, as a "
        "share of its own columns; each gives one more step to compute the answer",
    )
    evaluation_blank_columns: float = option(
        -1.0,
        "--blank_columns in validation and after training; -1: as in training",
    )
    spare_columns: float = option(
        0.0,
        "for a random half of the batches: a random number of extra blank columns, up "
        "to this share of the longest example's, so that the model learns to keep the "
        "answer over extra steps",
    )
    current_share: float = option(0.6, "share of batches of the current length")
    shorter_share: float = option(
        0.3, "share of batches of any length up to the current one"
    )
    longest_share: float = option(
        -1.0,
        "replaces --current_share once --most_bits is reached; the other batches have "
        "a length drawn uniformly; -1: --current_share",
    )
    unbalanced_share: float = option(
        0.0,
        "share of training batches whose random operands have any widths, with as "
        "many digits in total as operands of equal width",
    )
    hard_share: float = option(
        0.0,
        "share of a batch's examples that are the task's hard inputs; also their "
        "weight in the validation error, by which the best weights are chosen",
    )
    doubled_hard_share: float = option(
        -1.0,
        "with --doublings: replaces --hard_share once the longest length has doubled, "
        "and in all validations; -1: --hard_share",
    )
    validation_bits: str = option(
        "20,100", "digits of an operand at each validation, separated by commas"
    )
    validation_cases: int = option(
        64, "examples at each length of --validation_bits; half of them hard ones"
    )
    selection_cases: int = option(
        0,
        "examples at each length, half of them hard ones, on which the weights that "
        "--keep_best keeps are compared in the end; 0: the validations choose the best",
    )
    curriculum_seed: int = option(0, "seed of the examples")
    attempts: int = option(
        1,
        "maximum number of attempts: one that is given up is restarted with both seeds "
        "1,000 higher, as not every seed finds an algorithm for all lengths",
    )
    give_up_at: int = option(
        0, "step of the validation at which an attempt may be given up"
    )
    give_up_error: float = option(
        0.25,
        "an attempt is given up if its validation at --give_up_at has a higher error",
    )

    def __post_init__(self) -> None:
        check_options(self)
        check_choice("task", self.task, ("", *TASKS))
        check_at_least("task_batch_size", self.task_batch_size, 1)
        if self.most_batch_size != 0:
            least = self.task_batch_size
            check_at_least("most_batch_size", self.most_batch_size, least)
        check_at_least("least_bits", self.least_bits, 1)
        if self.most_bits < self.least_bits:
            raise InputError(
                f"most_bits={self.most_bits}: less than least_bits={self.least_bits}; "
                "raise it, or lower that"
            )
        check_at_least("buckets", self.buckets, 1)
        if self.buckets > 1 and self.curriculum:
            raise InputError(
                f"buckets={self.buckets}: not possible with a curriculum; add "
                "--nocurriculum"
            )
        if self.buckets > self.most_bits - self.least_bits + 1:
            raise InputError(
                f"buckets={self.buckets}: more than the lengths from least_bits="
                f"{self.least_bits} to most_bits={self.most_bits}"
            )
        self._check_doublings()
        self._check_shares()
        check_at_least("validation_cases", self.validation_cases, 2)
        if self.selection_cases != 0:
            check_at_least("selection_cases", self.selection_cases, 2)
        check_at_least("curriculum_seed", self.curriculum_seed, 0)
        check_at_least("attempts", self.attempts, 1)
        check_at_least("give_up_at", self.give_up_at, 0)
        if (self.attempts > 1) != (self.give_up_at > 0):
            raise InputError(
                f"attempts={self.attempts} give_up_at={self.give_up_at}: several "
                "attempts and give_up_at need each other; give both, or neither"
            )
        parse_bits("validation_bits", self.validation_bits)
        if self.curriculum_dropout != -1 and not 0 <= self.curriculum_dropout < 1:
            raise InputError(
                f"curriculum_dropout={self.curriculum_dropout}: must be -1, or in "
                "[0, 1)"
            )
        if not 0 <= self.dropout_falls_below <= self.dropout_threshold:
            raise InputError(
                f"dropout_falls_below={self.dropout_falls_below}: must be in [0, "
                f"dropout_threshold={self.dropout_threshold}]"
            )
        self._check_columns()
        self._check_unbalanced_share()
        self._check_doubled_hard_share()

    def _check_columns(self) -> None:
        check_at_least("blank_columns", self.blank_columns, 0)
        check_at_least("spare_columns", self.spare_columns, 0)
        blank = self.evaluation_blank_columns
        if blank != -1 and not blank >= 0:
            raise InputError(
                f"evaluation_blank_columns={blank}: must be -1, or at least 0"
            )
        for name in ("blank_columns", "evaluation_blank_columns", "spare_columns"):
            if getattr(self, name) > _MOST_COLUMNS:
                raise InputError(
                    f"{name}={getattr(self, name)}: must be at most {_MOST_COLUMNS}, "
                    "for each column of the problem"
                )

    def _check_doublings(self) -> None:
        check_at_least("doublings", self.doublings, 0)
        check_at_least("doubling_from", self.doubling_from, 0)
        if self.doublings and self.curriculum:
            raise InputError(
                f"doublings={self.doublings}: a curriculum grows by one digit at a "
                "time; add --nocurriculum, or give a larger --most_bits"
            )
        parts = 4 ** min(self.doublings, 99)
        if self.task_batch_size % parts:
            raise InputError(
                f"task_batch_size={self.task_batch_size}: cannot be quartered "
                f"doublings={self.doublings} times; give a multiple of {parts}"
            )

    def _check_shares(self) -> None:
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name}={getattr(self, name)}: must be in [0, 1]")
        if self.current_share + self.shorter_share > 1:
            raise InputError(
                f"current_share={self.current_share}: plus shorter_share="
                f"{self.shorter_share} exceeds 1; lower one of them"
            )
        if self.longest_share != -1 and not 0 < self.longest_share <= 1:
            raise InputError(
                f"longest_share={self.longest_share}: must be -1, or in (0, 1]"
            )
        if self.longest_share != -1 and not self.curriculum:
            raise InputError(
                f"longest_share={self.longest_share}: needs a curriculum; leave it "
                "out, or --nocurriculum"
            )

    def _check_unbalanced_share(self) -> None:
        share = self.unbalanced_share
        task = TASKS.get(self.task)
        if share and (not isinstance(task, NumberTask) or task.layout == "aligned"):
            raise InputError(
                f"unbalanced_share={share}: task={self.task} has no numbers of "
                "different widths; leave it out"
            )

    def _check_doubled_hard_share(self) -> None:
        doubled = self.doubled_hard_share
        if doubled != -1 and not 0 <= doubled <= 1:
            raise InputError(f"doubled_hard_share={doubled}: must be -1, or in [0, 1]")
        if doubled != -1 and not self.doublings:
            raise InputError(
                f"doubled_hard_share={doubled}: no length doubles; give --doublings"
            )

    @property
    def last_hard_share(self) -> float:
        """The share of hard inputs in the end."""
        doubled = self.doubled_hard_share
        return self.hard_share if doubled == -1 else doubled

    @property
    def algorithm(self) -> Task:
        """The task, with the blank columns that validation and all users have."""
        blank = self.evaluation_blank_columns
        if blank == -1:
            return self.algorithm_in_training
        return dataclasses.replace(self.algorithm_in_training, blank_columns=blank)

    @property
    def algorithm_in_training(self) -> Task:
        """The task, with the blank columns that training has."""
        return dataclasses.replace(TASKS[self.task], blank_columns=self.blank_columns)

    @property
    def unbalanced_algorithm(self) -> NumberTask:
        """The same, numbers of any widths; for --unbalanced_share."""
        task = self.algorithm_in_training
        assert isinstance(task, NumberTask)
        return dataclasses.replace(task, balanced=False)


def parse_bits(flag: str, text: str) -> list[int]:
    """Lengths as given to a flag: "20,25,100" is [20, 25, 100].

    Raises:
        InputError: they are no numbers from 1 to 10^8.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and 1 <= int(part) <= _LONGEST for part in parts):
        legal = f"numbers from 1 to {_LONGEST}, separated by commas, like 20,100"
        raise InputError(f"{flag}={text}: give {legal}")
    return [int(part) for part in parts]
