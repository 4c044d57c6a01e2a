"""What models share whose units have no gates to set."""

from typing import Any


class WithoutGateOptions:
    """Takes `cutoff` and `gate_bias` from an `ActiveMemoryModel`.

    A subclass inherits from this class first, then from the model whose units it
    replaces. (This class is no model itself: Keras does not take two in one.)
    """

    def __init__(
        self,
        vocabulary_size: int,
        maps: int = 512,
        width: int = 4,
        layers: int = 2,
        kernel_size: int = 3,
        kernel_initializer: Any = "glorot_uniform",
        embedding_initializer: Any = "uniform",
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        checkpointing: bool = False,
        relaxations: int = 1,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(
            vocabulary_size,
            maps=maps,
            width=width,
            layers=layers,
            kernel_size=kernel_size,
            kernel_initializer=kernel_initializer,
            embedding_initializer=embedding_initializer,
            dropout=dropout,
            dropout_by_length=dropout_by_length,
            checkpointing=checkpointing,
            relaxations=relaxations,
            seed=seed,
            **kwargs,
        )
        for name in ("cutoff", "gate_bias"):
            del self._config[name]
