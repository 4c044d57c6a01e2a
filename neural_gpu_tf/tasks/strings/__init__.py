"""The tasks on strings of "Neural Networks and the Chomsky Hierarchy"."""

from neural_gpu_tf.tasks.strings.binary_addition import BinaryAddition
from neural_gpu_tf.tasks.strings.binary_multiplication import BinaryMultiplication
from neural_gpu_tf.tasks.strings.bucket_sort import BucketSort
from neural_gpu_tf.tasks.strings.compute_sqrt import ComputeSqrt
from neural_gpu_tf.tasks.strings.cycle_navigation import CycleNavigation
from neural_gpu_tf.tasks.strings.duplicate_string import DuplicateString
from neural_gpu_tf.tasks.strings.even_pairs import EvenPairs
from neural_gpu_tf.tasks.strings.missing_duplicate import MissingDuplicate
from neural_gpu_tf.tasks.strings.modular_arithmetic import ModularArithmetic
from neural_gpu_tf.tasks.strings.modular_brackets import ModularBrackets
from neural_gpu_tf.tasks.strings.odds_first import OddsFirst
from neural_gpu_tf.tasks.strings.parity_check import ParityCheck
from neural_gpu_tf.tasks.strings.reverse_string import ReverseString
from neural_gpu_tf.tasks.strings.solve_equation import SolveEquation
from neural_gpu_tf.tasks.strings.stack_manipulation import StackManipulation
from neural_gpu_tf.tasks.strings.string_task import StringTask

__all__ = [
    "BinaryAddition",
    "BinaryMultiplication",
    "BucketSort",
    "ComputeSqrt",
    "CycleNavigation",
    "DuplicateString",
    "EvenPairs",
    "MissingDuplicate",
    "ModularArithmetic",
    "ModularBrackets",
    "OddsFirst",
    "ParityCheck",
    "ReverseString",
    "SolveEquation",
    "StackManipulation",
    "StringTask",
]
