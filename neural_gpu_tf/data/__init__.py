"""Sentence pairs: sources, and the pipeline from them to batches."""

from neural_gpu_tf.data.buckets import bucket_table
from neural_gpu_tf.data.epoch_counts import EpochCounts
from neural_gpu_tf.data.evaluation_batches import evaluation_batches
from neural_gpu_tf.data.numbers_and_dates import NumbersAndDates
from neural_gpu_tf.data.pipeline import BATCH_SPEC, Batch
from neural_gpu_tf.data.read_pairs import read_pairs
from neural_gpu_tf.data.sequence_copy import SequenceCopy
from neural_gpu_tf.data.source import Source, open_source
from neural_gpu_tf.data.text_files import TextFiles
from neural_gpu_tf.data.tfds_pairs import TfdsPairs
from neural_gpu_tf.data.training_batches import check_fills_a_batch, training_batches

__all__ = [
    "BATCH_SPEC",
    "Batch",
    "EpochCounts",
    "NumbersAndDates",
    "SequenceCopy",
    "Source",
    "TextFiles",
    "TfdsPairs",
    "bucket_table",
    "evaluation_batches",
    "open_source",
    "read_pairs",
    "check_fills_a_batch",
    "training_batches",
]
