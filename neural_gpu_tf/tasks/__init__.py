"""Algorithmic tasks: exact answers, generators of any length, hard inputs."""

from neural_gpu_tf.tasks.addition import Addition
from neural_gpu_tf.tasks.bcd_multiplication import BcdMultiplication
from neural_gpu_tf.tasks.carry_length import carry_length
from neural_gpu_tf.tasks.duplicate import Duplicate
from neural_gpu_tf.tasks.identity import Identity
from neural_gpu_tf.tasks.increment import Increment
from neural_gpu_tf.tasks.key_value_sort import KeyValueSort
from neural_gpu_tf.tasks.list_task import ListTask
from neural_gpu_tf.tasks.multiplication import Multiplication
from neural_gpu_tf.tasks.ngrams import DynamicNGrams
from neural_gpu_tf.tasks.ntm_copy import NtmCopy
from neural_gpu_tf.tasks.number_task import NumberTask
from neural_gpu_tf.tasks.pick import Pick
from neural_gpu_tf.tasks.repeat_copy import RepeatCopy
from neural_gpu_tf.tasks.reverse import Reverse
from neural_gpu_tf.tasks.reverse_pairs import ReversePairs
from neural_gpu_tf.tasks.search import Search
from neural_gpu_tf.tasks.shift import Shift
from neural_gpu_tf.tasks.sort import Sort
from neural_gpu_tf.tasks.strings import (
    BinaryAddition,
    BinaryMultiplication,
    BucketSort,
    ComputeSqrt,
    CycleNavigation,
    DuplicateString,
    EvenPairs,
    MissingDuplicate,
    ModularArithmetic,
    ModularBrackets,
    OddsFirst,
    ParityCheck,
    ReverseString,
    SolveEquation,
    StackManipulation,
    StringTask,
)
from neural_gpu_tf.tasks.task import Task

TASKS: dict[str, Task] = {
    # Addition and multiplication in base 2 (b), 4 (q) and 10. At the end, z: numbers
    # without leading zeros; e: one operand above the other (Price et al. 2016); r:
    # operands backwards.
    "badd": Addition("badd", base=2),
    "qadd": Addition("qadd", base=4),
    "add": Addition("add", base=10),
    "bmul": Multiplication("bmul", base=2),
    "qmul": Multiplication("qmul", base=4),
    "mul": Multiplication("mul", base=10),
    "mulbcd": BcdMultiplication("mulbcd"),
    "incr": Increment("incr"),
    "baddz": Addition("baddz", base=2, layout="bare"),
    "qaddz": Addition("qaddz", base=4, layout="bare"),
    "addz": Addition("addz", base=10, layout="bare"),
    "bmulz": Multiplication("bmulz", base=2, layout="bare"),
    "qmulz": Multiplication("qmulz", base=4, layout="bare"),
    "mulz": Multiplication("mulz", base=10, layout="bare"),
    "badde": Addition("badde", base=2, layout="aligned"),
    "qadde": Addition("qadde", base=4, layout="aligned"),
    "adde": Addition("adde", base=10, layout="aligned"),
    "bmule": Multiplication("bmule", base=2, layout="aligned"),
    "qmule": Multiplication("qmule", base=4, layout="aligned"),
    "mule": Multiplication("mule", base=10, layout="aligned"),
    "baddr": Addition("baddr", base=2, layout="reversed"),
    "bmulr": Multiplication("bmulr", base=2, layout="reversed"),
    "3badd": Addition("3badd", base=2, operands=3),
    "3qadd": Addition("3qadd", base=4, operands=3),
    "3add": Addition("3add", base=10, operands=3),
    # Lists.
    "id": Identity("id"),
    "rev": Reverse("rev"),
    "rev2": ReversePairs("rev2"),
    "sort": Sort("sort"),
    "bsort": Sort("bsort", values=2),
    "kvsort": KeyValueSort("kvsort"),
    "dup": Duplicate("dup"),
    "search": Search("search"),
    "left": Pick("left", place=0),
    "right": Pick("right", place=-1),
    "left-shift": Shift("left-shift", by=-1),
    "right-shift": Shift("right-shift", by=1),
    # The Neural Turing Machine's.
    "copy": NtmCopy("copy"),
    "repeat-copy": RepeatCopy("repeat-copy"),
    # Strings: regular, deterministic context-free and context-sensitive functions
    # (Delétang et al. 2022).
    "even-pairs": EvenPairs("even-pairs"),
    "modular-arithmetic": ModularArithmetic("modular-arithmetic"),
    "parity-check": ParityCheck("parity-check"),
    "cycle-navigation": CycleNavigation("cycle-navigation"),
    "stack-manipulation": StackManipulation("stack-manipulation"),
    "reverse-string": ReverseString("reverse-string"),
    "modular-brackets": ModularBrackets("modular-brackets"),
    "solve-equation": SolveEquation("solve-equation"),
    "duplicate-string": DuplicateString("duplicate-string"),
    "missing-duplicate": MissingDuplicate("missing-duplicate"),
    "odds-first": OddsFirst("odds-first"),
    "binary-addition": BinaryAddition("binary-addition"),
    "binary-multiplication": BinaryMultiplication("binary-multiplication"),
    "compute-sqrt": ComputeSqrt("compute-sqrt"),
    "bucket-sort": BucketSort("bucket-sort"),
}

__all__ = [
    "TASKS",
    "Addition",
    "BcdMultiplication",
    "BinaryAddition",
    "BinaryMultiplication",
    "BucketSort",
    "ComputeSqrt",
    "CycleNavigation",
    "Duplicate",
    "DuplicateString",
    "DynamicNGrams",
    "EvenPairs",
    "Identity",
    "Increment",
    "KeyValueSort",
    "ListTask",
    "MissingDuplicate",
    "ModularArithmetic",
    "ModularBrackets",
    "Multiplication",
    "NtmCopy",
    "NumberTask",
    "OddsFirst",
    "ParityCheck",
    "Pick",
    "RepeatCopy",
    "Reverse",
    "ReversePairs",
    "ReverseString",
    "Search",
    "Shift",
    "SolveEquation",
    "Sort",
    "StackManipulation",
    "StringTask",
    "Task",
    "carry_length",
]
