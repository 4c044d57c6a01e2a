"""How each model is trained on the tasks of the Chomsky hierarchy; all tasks alike."""

from typing import Any

TRAINED = 40
"""The longest strings of training, in symbols."""
_MACHINE = {"units": 100, "kernel_gain": 1.0, "embedding_range": 0.1}
MODELS: dict[str, dict[str, Any]] = {
    "neural_gpu": {
        "maps": 48,
        "width": 1,
        "layers": 2,
        "kernel_gain": 1.44,
        "embedding_range": 1.7,
        "dropout": 0.24,
        "dropout_by_length": True,
    },
    "diagonal_neural_gpu": {
        "maps": 96,
        "width": 1,
        "layers": 1,
        "kernel_gain": 1.0,
        "embedding_range": 0.5,
        "dropout": 0.2,
    },
    "stack_rnn": _MACHINE,
    # As in most of the experiments of Joulin & Mikolov.
    "stack_rnn_without_r": {**_MACHINE, "model": "stack_rnn", "recurrent": False},
    "neural_turing_machine": _MACHINE,
}
"""The options of each model, which is of that name unless `model` says another."""
_ADAM = {"learning_rate": 0.003, "adam_epsilon": 1e-7, "autoclip": 1.5}
_TRAINING: dict[str, dict[str, Any]] = {
    "neural_gpu": {**_ADAM, "adam_epsilon": 1e-4, "gradient_noise": 0.0005},
    # Freivalds & Liepins's optimizer. By Adam the loss leaps up now and then.
    "diagonal_neural_gpu": {
        "optimizer": "clipped_adamax",
        "learning_rate": 0.004,
        "adam_epsilon": 1e-8,
        "clip_norm": 0.0,
    },
    "stack_rnn": _ADAM,
    "stack_rnn_without_r": _ADAM,
    "neural_turing_machine": _ADAM,
}
_HOLDING: dict[str, dict[str, Any]] = {
    "diagonal_neural_gpu": {
        "curriculum_dropout": 0.025,
        "dropout_threshold": 0.95,
        "dropout_falls_below": 0.85,
        "longest_share": 0.15,
    }
}
"""Options of a model's curriculum that are to make answers hold on longer strings."""


def configuration(name: str, task: str, seed: int) -> tuple[Any, Any, Any]:
    """The options of the model, of its training and of the curriculum."""
    from neural_gpu_tf.options import CurriculumConfig, ModelConfig, TrainingConfig

    training = TrainingConfig(
        average_decay=0.995, training_seed=seed, **_TRAINING[name]
    )
    curriculum = CurriculumConfig(
        task=task,
        task_batch_size=32,
        most_batch_size=512,
        most_bits=TRAINED,
        threshold=0.9,
        curriculum_seed=seed,
        **_HOLDING.get(name, {}),
    )
    model = ModelConfig(**{"model": name} | MODELS[name])
    return model, training, curriculum
