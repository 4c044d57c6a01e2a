"""Constituency parsing as a sequence task: trees, their lines, their scores."""

from neural_gpu_tf.parsing.bracket_constraint import BracketConstraint
from neural_gpu_tf.parsing.clean import clean
from neural_gpu_tf.parsing.evalb import BracketScores, evalb
from neural_gpu_tf.parsing.linearize import delinearize, linearize
from neural_gpu_tf.parsing.pairs import from_pairs, is_tree, to_pair, write_lines
from neural_gpu_tf.parsing.read_trees import read_trees
from neural_gpu_tf.parsing.spelling import (
    plain_words,
    read_symbols,
    read_words,
    spell_symbols,
    spell_words,
)
from neural_gpu_tf.parsing.tree import Tree

__all__ = [
    "BracketConstraint",
    "BracketScores",
    "Tree",
    "clean",
    "delinearize",
    "evalb",
    "from_pairs",
    "is_tree",
    "linearize",
    "plain_words",
    "read_symbols",
    "read_trees",
    "read_words",
    "spell_symbols",
    "spell_words",
    "to_pair",
    "write_lines",
]
