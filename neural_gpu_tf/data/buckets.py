"""Sizes of canvases and how many of each fit in a batch."""

import math

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig


def bucket_table(
    config: DataConfig, replicas: int = 1, longest: int | None = None
) -> list[tuple[int, int]]:
    """The buckets: canvas size (symbols) and batch size (pairs, over all replicas).

    Sizes grow geometrically from `smallest_bucket` and end with the larger of
    `max_length` and `longest` exactly. An example costs n steps on n columns, so a
    batch holds as many as n^2 goes into `batch_cells`, at most `max_batch_size`,
    rounded down to a multiple of the replicas, but at least one for each replica. The
    defaults make:

         n  batch    cells x steps
         8    256    16,384    (max_batch_size)
        10    256    25,600
        13    236    39,884
        17    138    39,882
        22     82    39,688
        28     51    39,984
        35     32    39,200
        44     20    38,720
        55     13    39,325
        60     11    39,600

    Args:
        config: the data options.
        replicas: devices that share a batch, each getting an equal part.
        longest: the last size; `max_length` if not given. A larger one goes on where
            the table to `max_length` ends (for evaluation).

    Returns:
        (n, batch size), n increasing.

    Raises:
        InputError: `max_batch_size` is less than the number of replicas.
    """
    if config.max_batch_size < replicas:
        raise InputError(
            f"max_batch_size={config.max_batch_size}: less than one pair for each of "
            f"the {replicas} replicas; raise it to {replicas} at least"
        )
    sizes = [min(config.smallest_bucket, config.max_length)]
    for last in (config.max_length, longest or config.max_length):
        while sizes[-1] < last:
            grown = min(sizes[-1] * config.bucket_growth, last)
            sizes.append(max(sizes[-1] + 1, math.ceil(grown)))
    table = []
    for size in sizes:
        fitting = min(config.batch_cells // size**2, config.max_batch_size)
        table.append((size, max(fitting // replicas, 1) * replicas))
    return table
