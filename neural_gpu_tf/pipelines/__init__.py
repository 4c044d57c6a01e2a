"""Corpora and files on many machines, by Apache Beam (https://beam.apache.org).

Every output is a file whose name is known before anything runs, written under another
name and renamed. Its bytes are a function of its input alone, so a part of the work
that a runner does twice, or twice at the same time, changes nothing: what is done at
least once is as if it was done exactly once.
"""

from neural_gpu_tf.pipelines.pairs import PairFilter, prepare_pairs
from neural_gpu_tf.pipelines.run import Runner
from neural_gpu_tf.pipelines.translation import translate_files
from neural_gpu_tf.pipelines.vocabulary import vocabulary_of_files

__all__ = [
    "PairFilter",
    "Runner",
    "prepare_pairs",
    "translate_files",
    "vocabulary_of_files",
]
