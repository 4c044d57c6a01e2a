"""The diagonal Neural GPU."""

from typing import Any

import keras

from neural_gpu_tf.layers import DiagonalCGRU, DiagonalEncoder
from neural_gpu_tf.models.active_memory_model import (
    EMBEDDINGS,
    KERNELS,
    ActiveMemoryModel,
)
from neural_gpu_tf.models.all_at_once import AllAtOnce


@keras.saving.register_keras_serializable("neural_gpu_tf")
class DiagonalNeuralGPU(AllAtOnce, ActiveMemoryModel):
    """The Neural GPU of diagonal CGRUs: hard nonlinearities, and maps that move.

        s_n = the encoder's canvas after n steps   (`DiagonalEncoder`)
        l_k = O s_n[k, 0]

    (Freivalds & Liepins 2017, "Improving the Neural GPU Architecture for Algorithm
    Learning".) `losses` holds the cost of saturation.

    Args, inputs and output: as `ActiveMemoryModel`; the
        published settings are w = 1, l = 1, m = 96 for binary multiplication.

    Example:
        >>> model = DiagonalNeuralGPU(vocabulary_size=17)
        >>> source = keras.ops.ones((2, 5), "int32")
        >>> model.solve(source, keras.ops.array([5, 3])).shape
        (2, 5, 17)
    """

    encoder_class = DiagonalEncoder

    def __init__(
        self,
        vocabulary_size: int,
        maps: int = 512,
        width: int = 4,
        layers: int = 2,
        kernel_size: int = 3,
        kernel_initializer: Any = KERNELS,
        embedding_initializer: Any = EMBEDDINGS,
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        checkpointing: bool = False,
        relaxations: int = 1,
        seed: int | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        super().__init__(
            vocabulary_size,
            DiagonalCGRU,
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
            dtype=dtype,
            unit_options={},
            **kwargs,
        )
