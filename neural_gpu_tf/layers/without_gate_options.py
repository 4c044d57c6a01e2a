"""What encoders and decoders share whose units have no gates to set."""

from typing import Any

from neural_gpu_tf.layers.active_memory_encoder import ActiveMemoryEncoder


class WithoutGateOptions(ActiveMemoryEncoder):
    """`ActiveMemoryEncoder` without `cutoff` and `gate_bias`."""

    unit_options = ()

    def __init__(
        self,
        maps: int,
        layers: int = 2,
        kernel_size: tuple[int, int] = (3, 3),
        kernel_initializer: Any = "glorot_uniform",
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        checkpointing: bool = False,
        relaxations: int = 1,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(
            maps,
            layers=layers,
            kernel_size=kernel_size,
            kernel_initializer=kernel_initializer,
            dropout=dropout,
            dropout_by_length=dropout_by_length,
            checkpointing=checkpointing,
            relaxations=relaxations,
            seed=seed,
            **kwargs,
        )
