import pytest

from neural_gpu_tf.data import bucket_table
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig


def test_the_table_of_the_docstring():
    lines = [line.split() for line in bucket_table.__doc__.splitlines()]
    rows = [(int(x[0]), int(x[1])) for x in lines if x and x[0].isdigit()]
    assert len(rows) == 10
    assert bucket_table(DataConfig()) == rows


@pytest.mark.parametrize("replicas", [1, 2, 3, 8])
@pytest.mark.parametrize(
    ("max_length", "growth", "smallest"), [(60, 1.25, 8), (7, 1.01, 2), (301, 2.0, 400)]
)
def test_sizes_grow_to_max_length_within_the_budget(
    replicas, max_length, growth, smallest
):
    config = DataConfig(
        max_length=max_length,
        bucket_growth=growth,
        smallest_bucket=smallest,
        batch_cells=30_000,
        max_batch_size=100,
    )
    table = bucket_table(config, replicas)
    sizes = [size for size, _ in table]
    assert sizes[-1] == max_length
    assert sizes == sorted(set(sizes))
    for size, batch in table:
        assert batch % replicas == 0
        assert batch <= 100
        assert batch * size**2 <= 30_000 or batch == replicas
        more = batch + replicas  # would break a bound
        assert more > 100 or more * size**2 > 30_000


def test_a_pair_for_each_replica_even_over_the_budget():
    config = DataConfig(max_length=100, batch_cells=1, smallest_bucket=100)
    assert bucket_table(config, replicas=4) == [(100, 4)]


def test_a_longer_table_keeps_the_buckets_of_the_shorter():
    config = DataConfig(max_length=20)
    table, longer = bucket_table(config), bucket_table(config, longest=90)
    assert longer[: len(table)] == table
    assert longer[-1][0] == 90
    assert bucket_table(config, longest=3) == bucket_table(config)


def test_any_finite_growth():
    sizes = [size for size, _ in bucket_table(DataConfig(bucket_growth=1e308))]
    assert sizes == [DataConfig().smallest_bucket, DataConfig().max_length]


def test_too_few_pairs_for_the_replicas():
    with pytest.raises(InputError, match="^max_batch_size=3: .* 4 replicas"):
        bucket_table(DataConfig(max_batch_size=3), replicas=4)
