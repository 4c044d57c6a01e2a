import dataclasses

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.options.training import CADENCE


@pytest.mark.parametrize(
    "options",
    [
        {"optimizer": "adagrad"},
        {"schedule": "exponential"},
        {"train_steps": 0},
        {"checkpoint_every": 0},
        {"learning_rate": -1.0},
        {"learning_rate": float("nan")},
        {"label_smoothing": 1.0},
        {"average_decay": -0.1},
        {"training_seed": 2**32},
        {"replicas": -1},
        {"decay_from": -1},
        {"autoclip": -1.0},
        {"autoclip": 1.0},  # it would shrink itself
        {"adam_epsilon": 0.0},
        {"relaxation_pull": -1.0},
        {"train_minutes": -0.5},
        {"worker_deadline": 9e6},
    ],
)
def test_an_illegal_value_names_its_flag(options):
    ((name, value),) = options.items()
    with pytest.raises(InputError, match=f"^{name}={value}: ") as error:
        TrainingConfig(**options)
    assert "\n" not in str(error.value)


def test_a_bad_choice_names_the_legal_values():
    with pytest.raises(InputError, match="choose one of adam, adamax, clipped_adamax"):
        TrainingConfig(optimizer="adagrad")


def test_what_may_change_is_there():
    assert set(CADENCE) < {field.name for field in dataclasses.fields(TrainingConfig)}
