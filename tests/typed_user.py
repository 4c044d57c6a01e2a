"""What type checkers know of the package; `make lint` checks it, nothing runs it."""

from typing import assert_type

import numpy as np

import neural_gpu_tf as ng
from neural_gpu_tf import SpellOutTokenizer, greedy, load
from neural_gpu_tf.tasks import BinaryAddition

solver, translator = load("badd"), load("enfr", beam=4, n_best=2)
assert_type(solver, ng.TrainedSolver)
assert_type(solver.solve("1 + 1"), str)
assert_type(solver.solve(b"1 + 1"), str)
assert_type(solver.solve({"1 + 1"}), list[str])
assert_type(translator, ng.TrainedTranslator)
assert_type(translator.translate("A dog."), str)
assert_type(translator.translate(text for text in ["A dog."]), list[str])
translator.translate(np.array(["A dog."]))
assert_type(translator.n_best("A dog."), list[tuple[float, str]])
assert_type(translator.n_best(["A dog."]), list[list[tuple[float, str]]])
assert_type(translator.tokenizer, SpellOutTokenizer)

ng.load("runs/mine").translate("A dog.")  # which of the two, its files say
ng.load("runs/mine").solve("1 + 1")
assert_type(ng.tasks.TASKS["badd"].parse("1 + 1").size, int)
BinaryAddition("binary-addition").parse("1 + 1")
greedy(ng.NeuralGPU(9), [[3, 4]], [2])

_ = ng.greedi  # type: ignore[attr-defined]
_ = ng.build_model  # type: ignore[attr-defined]
_ = ng.text.nonsense  # type: ignore[attr-defined]
