"""The examples in the docstrings run, and give what they say."""

import doctest
import importlib
import re
from pathlib import Path

import keras
import numpy as np
import pytest

import neural_gpu_tf as ng

PACKAGE = Path(ng.__file__).parent
MODULES = [
    ".".join(("neural_gpu_tf", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]
WITH_EXAMPLES = (
    "ActiveMemoryEncoder",
    "CGRU",
    "NeuralGPU",
    "SpellOutTokenizer",
    "beam_search",
    "greedy",
    "load",
)


class Shapes(doctest.OutputChecker):
    """TensorFlow's shapes, which are no tuples, count as the tuples they equal."""

    def check_output(self, want, got, optionflags):
        got = re.sub(r"TensorShape\(\[(.*?)\]\)", r"(\1)", got)
        return super().check_output(want, got, optionflags)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    public = {name: getattr(ng, name) for name in ng.__all__}
    names = public | {"keras": keras, "np": np} | vars(module)
    runner, said = doctest.DocTestRunner(Shapes()), []
    tests = doctest.DocTestFinder().find(module, name, globs=names)
    assert any(test.examples for test in tests)
    for test in tests:
        runner.run(test, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_what_users_meet_first_has_an_example(name):
    assert ">>> " in getattr(ng, name).__doc__
