import numpy as np

from neural_gpu_tf.data import TextFiles, bucket_table, evaluation_batches
from neural_gpu_tf.options import DataConfig

CONFIG = DataConfig(
    max_length=16, batch_cells=1_500, max_batch_size=12, smallest_bucket=4
)


def test_every_pair_once_in_order_of_size(ladder, write_files, tokenizer):
    pairs = [*ladder, ("", "empty"), ("empty", ""), ("x" * 70, "y"), ("x", "y" * 90)]
    source = TextFiles({"validation": write_files(pairs)})
    dataset = evaluation_batches(source, tokenizer, CONFIG)
    batches = list(dataset.as_numpy_iterator())
    sizes = np.concatenate([batch["size"] for batch in batches])
    expected = sorted(
        (max(len(first), len(second) + 1), first, second) for first, second in pairs
    )
    assert sizes.tolist() == [size for size, _, _ in expected]
    texts = []
    for batch in batches:
        assert batch["source"].shape == batch["target"].shape
        for first, second, size in zip(*batch.values(), strict=True):
            first, second = first[first != 0], second[second != 0]
            assert second[-1] == 2
            decoded = ["".join(chr(x - 4) for x in row) for row in (first, second[:-1])]
            texts.append((int(size), *decoded))
    assert sorted(texts) == expected
    assert len(list(dataset)) == len(batches)


def test_buckets_are_those_of_training_and_go_on_beyond(ladder, write_files, tokenizer):
    pairs = [*ladder, ("x" * 70, "y")]
    source = TextFiles({"validation": write_files(pairs)})
    table = bucket_table(CONFIG, longest=70)
    shapes = [b["source"].shape for b in evaluation_batches(source, tokenizer, CONFIG)]
    assert {size for _, size in shapes} <= {size for size, _ in table}
    assert {size for size, _ in bucket_table(CONFIG)} <= {size for _, size in shapes}
    for size, most in table:
        counts = [count for count, n in shapes if n == size]
        assert all(count == most for count in counts[:-1])
        assert all(0 < count <= most for count in counts)


def test_another_split(write_files, tokenizer):
    source = TextFiles({"train": write_files([("a", "b")])})
    (batch,) = evaluation_batches(source, tokenizer, CONFIG, split="train")
    assert batch["size"].numpy().tolist() == [2]
    assert batch["target"].numpy().tolist() == [[102, 2, 0, 0]]


def test_one_device_evaluates_what_hundreds_train_on(write_files, tokenizer):
    config = DataConfig(max_length=16, batch_cells=10**9, max_batch_size=10_000)
    source = TextFiles({"validation": write_files([("a", "b")] * 150)})
    batches = evaluation_batches(source, tokenizer, config)
    assert [len(batch["size"]) for batch in batches] == [64, 64, 22]
