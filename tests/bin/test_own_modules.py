"""A user's own models and tasks, by --imports."""

import json
import textwrap

import pytest

import neural_gpu_tf as ng
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.own_modules import absolute, import_own

OWN = """
    import dataclasses, itertools
    import keras
    import neural_gpu_tf as ng
    from neural_gpu_tf.tasks import ListTask

    @keras.saving.register_keras_serializable("mine")
    class Wide(ng.NeuralGPU):
        def __init__(self, vocabulary_size, maps=6, width=2, **kwargs):
            super().__init__(vocabulary_size, maps=maps, width=width, **kwargs)

    @dataclasses.dataclass(frozen=True)
    class RunningMaximum(ListTask):
        def spec(self, symbols):
            return list(itertools.accumulate(symbols, max))

    @keras.saving.register_keras_serializable("mine")
    class NoGraph(keras.Model):
        # Built when it is called; with a weight of its own.
        sized = attends = aligns = answers_at_once = False

        def __init__(self, vocabulary_size, units=4, seed=None, dtype=None):
            super().__init__(dtype=dtype)
            self.embedding = keras.layers.Embedding(vocabulary_size, units)
            self.readout = keras.layers.Dense(vocabulary_size)
            self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

        def call(self, inputs):
            target = inputs["target"]
            return self.said(keras.ops.pad(target, [[0, 0], [1, 0]])[:, :-1])

        def said(self, symbols):
            return self.readout(self.scale * self.embedding(symbols))

        def start(self, source, size):
            return source

        def step(self, state, previous, t):
            return state, self.said(previous)

        def stepper(self):
            return self.step

    ng.MODELS["wide"] = Wide
    ng.MODELS["no_graph"] = NoGraph
    ng.TASKS["maximum"] = RunningMaximum("maximum")
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "mine.py"
    path.write_text(textwrap.dedent(OWN))
    yield path
    for known in (ng.MODELS, ng.TASKS):
        known.pop("wide", None)
        known.pop("no_graph", None)
        known.pop("maximum", None)


def test_own_model_and_task_train_and_answer(run_binary, own, tmp_path, monkeypatch):
    monkeypatch.chdir(own.parent)
    run = tmp_path / "run"
    flags = ["--imports=mine.py", "--model=wide", "--task=maximum", "--maps=4"]
    flags += ["--train_steps=1", "--validation_bits=3", "--validation_cases=2"]
    answer = run_binary("train", *flags, f"--run_dir={run}")
    assert answer.status == 0, answer.err
    monkeypatch.chdir(tmp_path)  # the run knows where the file is
    config = json.loads((run / "config.json").read_text())
    assert config["training"]["imports"] == str(own)
    imports = f"--imports={own}"
    measure = ["evaluate", f"--run_dir={run}", "--bits=3", "--examples=2", "--json"]
    answer = run_binary(*measure, imports)
    assert json.loads(answer.out.splitlines()[-1])["lengths"][0]["bits"] == 3
    answer = run_binary("solve", f"--run_dir={run}", imports, "3 1 4")
    assert answer.out and (answer.status == 0 or "wrong: 3 1 4 is 334" in answer.err)
    loaded = ng.load(run, imports=str(own))
    assert type(loaded.model).__name__ == "Wide" and loaded.task.answer("314") == "334"
    resume = ["train", f"--run_dir={run}", imports, "--train_steps=2"]
    answer = run_binary(*resume)
    assert answer.status == 0, answer.err


def test_a_model_that_is_no_graph_trains_and_is_loaded(run_binary, own, tmp_path):
    run, imports = tmp_path / "run", f"--imports={own}"
    flags = ["--model=no_graph", "--task=rev", "--units=3", "--train_steps=1"]
    flags += ["--validation_bits=3", "--validation_cases=2"]
    answer = run_binary("train", *flags, imports, f"--run_dir={run}")
    assert answer.status == 0, answer.err
    model = ng.load(run, imports=str(own)).model
    assert model.scale.numpy() != 1  # it was trained
    measure = ["--bits=3", "--examples=2", f"--run_dir={run}", imports]
    assert run_binary("evaluate", *measure).status == 0


def test_what_a_run_names_is_never_run_by_itself(run_binary, tmp_path):
    """A run may be a stranger's."""
    (tmp_path / "theirs.py").write_text("raise SystemExit('run')")
    config = {"training": {"imports": str(tmp_path / "theirs.py")}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    for binary, *flags in (("solve", "1+1"), ("evaluate", "--bits=3"), ("train",)):
        answer = run_binary(binary, f"--run_dir={tmp_path}", *flags)
        assert answer.status == 2, answer
        assert "code that would run here; if you trust it: --imports=" in answer.err
    with pytest.raises(InputError, match="theirs.py, code that would run here"):
        ng.load(tmp_path)


def test_a_task_of_no_own_module_is_no_task(run_binary, tmp_path):
    answer = run_binary("train", "--task=nosuch", f"--run_dir={tmp_path}/run")
    assert answer.status == 2 and "--task=nosuch: not a legal value" in answer.err
    answer = run_binary("train", "--model=nosuch", f"--run_dir={tmp_path}/run")
    assert answer.status == 2 and "--model=nosuch: not a legal value" in answer.err


@pytest.mark.parametrize(
    "content, message",
    [
        (None, "broken.py: no such file; put it back"),
        ("def", "broken.py: can't be imported: SyntaxError"),
        ("nothing", "broken.py: can't be imported: NameError"),
    ],
)
def test_what_can_not_be_imported_is_told_in_a_line(tmp_path, content, message):
    path = tmp_path / "broken.py"
    if content:
        path.write_text(content)
    for _ in range(2):
        with pytest.raises(InputError, match=message) as error:
            import_own(str(path))
        assert "\n" not in str(error.value)


def test_a_comma_in_a_path_is_refused_at_once(tmp_path, monkeypatch):
    """A run could not be read again: commas stand between modules."""
    (tmp_path / "a,b").mkdir()
    monkeypatch.chdir(tmp_path / "a,b")
    with pytest.raises(InputError, match="a,b/mine.py: a comma, which stands between"):
        absolute("mine.py")


def test_a_module_that_python_does_not_find():
    with pytest.raises(InputError, match="imports=no.such: .* see PYTHONPATH"):
        import_own("no.such")
