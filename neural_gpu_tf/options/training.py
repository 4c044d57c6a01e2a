"""How to train."""

import dataclasses

from neural_gpu_tf.configuration import (
    check_at_least,
    check_options,
    check_seed,
    option,
)
from neural_gpu_tf.errors import InputError

_DAY = 86_400


@dataclasses.dataclass(frozen=True)
class TrainingConfig:
    """The training options; each field's help text is its documentation.

    Raises:
        InputError: a value is not legal; the message names the option.
    """

    train_steps: int = option(100_000, "steps of training in all")
    train_minutes: float = option(
        0.0,
        "minutes of training in all, including validations, after which it ends as "
        "if --train_steps were reached; 0: no limit",
    )
    patience: int = option(
        0,
        "end training, as if --train_steps were done, after this many validations in a "
        "row without a new best; 0: no limit",
    )
    init_from: str = option(
        "",
        "start a new run from the best weights of this run directory or model of the "
        "package, e.g. to continue with more dropout, or from addition in base 2 to "
        "base 4; the model and the vocabulary must be the same, but the symbols of "
        "another task may be others: those that both have keep their weights",
    )
    imports: str = option(
        "",
        "your own modules or .py files, with commas between, imported first: they add "
        "to neural_gpu_tf.MODELS and neural_gpu_tf.TASKS; kept with the run",
    )
    optimizer: str = option(
        "adam",
        "the optimizer; clipped_adamax clips each weight's gradient by its own "
        "running maximum",
        choices=("adam", "adamax", "clipped_adamax", "sgd"),
    )
    learning_rate: float = option(1e-3, "highest learning rate")
    schedule: str = option(
        "constant",
        "learning rate after the warm-up: constant; down to 0 at --train_steps along a "
        "line or a cosine; or with the inverse square root of the step",
        choices=("constant", "linear", "cosine", "inverse_sqrt"),
    )
    warmup_steps: int = option(0, "steps in which the learning rate rises from 0")
    decay_from: int = option(
        0,
        "step until which the learning rate stays highest, before it falls; not with "
        "--schedule=constant",
    )
    adam_beta_1: float = option(0.9, "decay of Adam's running mean of the gradient")
    adam_beta_2: float = option(0.999, "decay of Adam's running mean of its square")
    adam_epsilon: float = option(1e-4, "Adam's epsilon")
    clip_norm: float = option(
        1.0, "clip the gradient, over all replicas, to this global norm; 0: no clipping"
    )
    autoclip: float = option(
        0.0,
        "clip the gradient to this many times the running geometric mean of its norm "
        "(AutoClip); 0: no clipping",
    )
    label_smoothing: float = option(
        0.0, "share of the probability that is spread evenly over the vocabulary"
    )
    gradient_noise: float = option(
        0.0,
        "s, scale of Gaussian noise added to the gradient: standard deviation s (1 + "
        "step)^-0.275 times the square root of the share of examples with an error",
    )
    relaxation_pull: float = option(
        5e-4,
        "with --relaxations: initial weight of the penalty on the sets' squared "
        "distance from their mean; grows with the curriculum, until they are merged",
    )
    average_decay: float = option(
        0.0,
        "decay of the running average of the weights that is validated and exported; "
        "0: no average",
    )
    precision: str = option(
        "float32",
        "what layers compute in; weights and optimizer stay float32",
        choices=("float32", "bfloat16"),
    )
    distribution: str = option(
        "mirrored",
        "mirrored: this process's devices, see --replicas; one_device: one, without "
        "the code for several; multi_worker: all processes that TF_CONFIG names, each "
        "started with the same flags and the same --run_dir on a shared disk",
        choices=("mirrored", "multi_worker", "one_device"),
    )
    worker_deadline: float = option(
        60.0,
        "with --distribution=multi_worker, seconds in which all workers must appear",
    )
    replicas: int = option(
        0, "devices to train on; 0: every visible GPU, or one CPU where there are none"
    )
    batch_parts: int = option(
        0,
        "parts of a replica's batch that are computed in parallel; 0: one per core, "
        "or one on a GPU",
    )
    log_every: int = option(20, "steps between progress lines")
    validate_every: int = option(500, "steps between validations")
    validation_sentences: int = option(
        200, "validation sentences that are translated; the loss is taken on all"
    )
    checkpoint_every: int = option(500, "steps between checkpoints")
    keep_checkpoints: int = option(3, "checkpoints kept")
    keep_best: int = option(
        3,
        "best validated weights kept, for neural-gpu-average --best and "
        "--selection_cases",
    )
    training_seed: int = option(0, "seed of weights, dropout and gradient noise")

    def __post_init__(self) -> None:
        check_options(self)
        for name in (
            "train_steps",
            "log_every",
            "validate_every",
            "checkpoint_every",
            "keep_checkpoints",
            "worker_deadline",
        ):
            check_at_least(name, getattr(self, name), 1)
        for name in (
            "train_minutes",
            "patience",
            "learning_rate",
            "warmup_steps",
            "decay_from",
            "clip_norm",
            "autoclip",
            "gradient_noise",
            "relaxation_pull",
            "replicas",
            "batch_parts",
            "validation_sentences",
            "keep_best",
        ):
            check_at_least(name, getattr(self, name), 0)
        if 0 < self.autoclip <= 1:
            raise InputError(
                f"autoclip={self.autoclip}: the limit would shrink itself to 0; give "
                "more than 1, or 0 for no such clipping"
            )
        check_at_least("adam_epsilon", self.adam_epsilon, 1e-30)  # 0: NaN, of 0/0
        if self.worker_deadline > _DAY:
            raise InputError(
                f"worker_deadline={self.worker_deadline}: at most {_DAY} seconds are "
                "possible"
            )
        check_seed("training_seed", self.training_seed, bits=32)
        for name in ("label_smoothing", "average_decay", "adam_beta_1", "adam_beta_2"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(
                    f"{name}={getattr(self, name)}: must be at least 0, less than 1"
                )


CADENCE = (
    "imports",
    "train_steps",
    "train_minutes",
    "patience",
    "distribution",
    "worker_deadline",
    "replicas",
    "batch_parts",
    "log_every",
    "validate_every",
    "validation_sentences",
    "checkpoint_every",
    "keep_checkpoints",
    "keep_best",
)
"""Options that may be changed when a run is resumed."""
