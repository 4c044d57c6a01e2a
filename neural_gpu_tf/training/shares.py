"""The rows of a batch that each replica gets."""

from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from neural_gpu_tf.data import Batch


def local_replicas(strategy: tf.distribute.Strategy) -> list[int]:
    """The numbers, among all replicas, of those that this process computes."""
    numbers = strategy.experimental_distribute_values_from_function(
        lambda context: np.int32(context.replica_id_in_sync_group)
    )
    return [int(n) for n in strategy.experimental_local_results(numbers)]


def shared_out(
    strategy: tf.distribute.Strategy, batch: Mapping[str, tf.Tensor | np.ndarray]
) -> Batch:
    """This process's part of a batch: equal shares, in the order of the replicas.

    So several workers that all make the same batch train on each row of it once.

    Args:
        strategy: the replicas.
        batch: of all replicas; rows, a multiple of them.

    Returns:
        Tensors if one replica is here, else values of the strategy's, each replica's
        a share.
    """
    replicas, here = strategy.num_replicas_in_sync, local_replicas(strategy)

    def share(value: tf.Tensor | np.ndarray, replica: int) -> tf.Tensor:
        rows = len(value) // replicas
        return tf.convert_to_tensor(value[replica * rows : (replica + 1) * rows])

    if len(here) == 1:
        return {name: share(value, here[0]) for name, value in batch.items()}
    return {
        name: strategy.experimental_distribute_values_from_function(
            lambda context, value=value: share(value, context.replica_id_in_sync_group)
        )
        for name, value in batch.items()
    }
