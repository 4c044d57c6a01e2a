import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import neural_gpu_tf as ng
from neural_gpu_tf import layers, models


def said_by(program, *arguments):
    """What a program prints in a process of its own."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_every_name_is_there():
    for name in ng.__all__:
        assert getattr(ng, name) is not None
    assert set(ng.__all__) <= set(dir(ng))
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        ng.Nonsense  # noqa: B018


def test_type_checkers_are_told_the_same_names():
    tree = ast.parse(Path(ng.__file__).read_text("utf-8"))
    imports = [x for x in ast.walk(tree) if isinstance(x, ast.ImportFrom)]
    told = {name.name for x in imports for name in x.names if name.asname == name.name}
    assert not {"*"} & {name.name for x in imports for name in x.names}
    rooms = {path.parent.name for path in Path(ng.__file__).parent.glob("*/*.py")}
    assert told == {*ng.__all__, *rooms} - {"__version__", "bin"}


def test_every_subpackage_is_there():
    """In a new process, which has imported none; light ones stand for all."""
    program = (
        "import neural_gpu_tf as ng\n"
        "for name in 'tasks', 'options', 'curriculum':\n"
        "    assert name in dir(ng), name\n"
        "    assert getattr(ng, name).__name__ == f'neural_gpu_tf.{name}'\n"
        "print(*dir(ng))\n"
    )
    shown = set(said_by(program))
    rooms = {path.parent.name for path in Path(ng.__file__).parent.glob("*/*.py")}
    assert rooms <= shown and not {"pretrained", "weights"} & shown


def test_public_layers_and_models_are_among_them():
    classes = {n for n in layers.__all__ if isinstance(getattr(layers, n), type)}
    states = {n for n in classes if n.endswith("State") or n == "Memory"}
    assert classes - states <= set(ng.__all__)
    assert {cls.__name__ for cls in models.MODELS.values()} <= set(ng.__all__)


def test_a_new_process_loads_what_keras_saved(tmp_path):
    """Having imported the package and nothing of it; Keras first."""
    model = ng.NeuralGPU(9, maps=4, width=1, layers=1)
    model.compile(ng.optimizers.FusedAdam(0.01))
    model.save(tmp_path / "model.keras")
    program = (
        "import sys, keras, neural_gpu_tf\n"
        "model = keras.models.load_model(sys.argv[1])\n"
        "print(type(model).__name__, type(model.optimizer).__name__)\n"
    )
    path = tmp_path / "model.keras"
    assert said_by(program, path) == ["NeuralGPU", "FusedAdam"]


def test_the_first_model_of_a_seed_is_the_next_one_too():
    """Although it is made as its module is imported."""
    program = (
        "import numpy as np, neural_gpu_tf as ng, keras\n"
        "models = []\n"
        "for _ in range(2):\n"
        "    keras.utils.set_random_seed(1)\n"
        "    models.append(ng.ResidualNeuralGPU(9, maps=4, width=1, layers=1))\n"
        "pairs = zip(*(model.get_weights() for model in models))\n"
        "print(all(np.array_equal(*pair) for pair in pairs))\n"
    )
    assert said_by(program) == ["True"]


def test_import_is_light():
    program = "import sys, neural_gpu_tf; print(*{'keras', 'numpy'} & set(sys.modules))"
    assert not said_by(program)


def test_a_pretrained_model_solves():
    trained = ng.load("badd")
    assert trained.solve("1011 + 110") == "10001"
    several = ["1 + 1", "1011 + 110", "1111111 + 1", "0 + 0"]
    assert trained.solve(several) == ["10", "10001", "10000000", "0"]
    assert trained.solve(np.array(several[1])) == "10001" and trained.solve([]) == []
    with pytest.raises(ng.InputError, match="question=5: must be a string, or several"):
        trained.solve(5)
    with pytest.raises(ng.InputError, match="question 2 is 5: must be a string"):
        trained.solve(["1 + 1", 5])
    with pytest.raises(ng.InputError, match="^question 3: badd: '2' has"):
        trained.solve([*several[:2], "2"])
    assert trained.task.name == "badd" and isinstance(
        trained.model, ng.DiagonalNeuralGPU
    )


@pytest.fixture(scope="module")
def trained(run_dir):
    return ng.load(run_dir)


def test_a_run_translates_one_text_or_several(trained):
    several = trained.translate(["two", "five six"])
    assert trained.translate(b"two") == several[0]
    assert trained.translate("two") == several[0] and isinstance(several[0], str)
    with pytest.raises(ng.InputError, match="text 2 is 3: must be a"):
        trained.translate(["two", 3])
    assert trained.tokenizer.tokenize(["two"]).shape[0] == 1
    assert trained.translator.translate("two")["text"].numpy().decode() == several[0]


@pytest.mark.slow
def test_a_run_is_exported(trained, tmp_path):
    path = trained.export(tmp_path)
    assert (path / "saved_model.pb").exists()


def test_a_run_is_not_exported_over_another(trained, tmp_path):
    (tmp_path / "1").mkdir()
    with pytest.raises(ng.InputError, match="1: this version is there already"):
        trained.export(tmp_path, version=1)
    assert not list((tmp_path / "1").iterdir())


def test_no_such_run():
    with pytest.raises(ng.InputError, match="not a run directory"):
        ng.load("no/such/run")


@pytest.mark.parametrize(
    "run, options, message",
    [
        ("badd", {"beam": 7}, "badd: decoding of a task's model: unknown key 'beam'"),
        ("enfr", {"wich": "best"}, "decoding: unknown key 'wich'; legal .* beam, "),
        ("enfr", {"beam": "3"}, "decoding: beam is '3'; it must be of type int"),
        ("badd", {"which": "x"}, "which=x: not a legal value; choose one of best, "),
        ("badd", {"which": "last"}, "model of the package has its best weights alone"),
    ],
)
def test_what_load_does_not_know(run, options, message):
    with pytest.raises(ng.InputError, match=message):
        ng.load(run, **options)


def test_numbers_of_numpy_are_options(run_dir):
    given = dict(beam=np.int64(2), length_penalty=np.float64(0.5), sizes=np.str_("all"))
    config = ng.load(run_dir, **given).translator.config
    assert (config.beam, config.length_penalty, config.sizes) == (2, 0.5, "all")


@pytest.mark.parametrize("text", [None, 3])
def test_what_is_no_text(text, trained):
    with pytest.raises(ng.InputError, match=f"text={text}: must be a string, or"):
        trained.translate(text)


@pytest.mark.parametrize(
    "text",
    [
        lambda: tf.constant(["two", "five six"]),
        lambda: np.array(["two", "five six"]),
        lambda: np.array(["two", "five six"], object),
        lambda: [tf.constant("two"), b"five six"],
        lambda: (x for x in ("two", "five six")),
    ],
)
def test_texts_of_any_kind(text, trained):
    assert trained.translate(text()) == trained.translate(["two", "five six"])


@pytest.mark.parametrize("text", [lambda: tf.constant("two"), lambda: np.array("two")])
def test_one_text_of_any_kind(text, trained):
    assert trained.translate(text()) == trained.translate("two")


def test_a_text_that_is_no_utf_8(trained):
    with pytest.raises(ng.InputError, match=r"text 2 .* can't be written in UTF-8"):
        trained.translate(["two", "caf\udce9"])


def test_a_text_whose_end_is_cut_is_told(trained, caplog):
    with caplog.at_level("WARNING", "absl"):
        trained.translate(["two"])
        assert not caplog.text
        trained.translate(["two", "six " * 10])
    assert "the end of 1 of 2 texts was not translated" in caplog.text


def test_the_n_best_of_one_text_or_of_several(run_dir):
    trained = ng.load(run_dir, beam=3, n_best=2)
    several = trained.n_best(["two", "six"])
    assert trained.n_best("two") == several[0] and len(several) == 2
    found = trained.translator.translate("two")
    expected = zip(
        found["n_best_score"].numpy(), found["n_best_text"].numpy(), strict=True
    )
    assert several[0] == [(score, text.decode()) for score, text in expected]
    assert several[0][0][1] == trained.translate("two")
    with pytest.raises(ng.InputError, match="n_best=1: give load more"):
        ng.load(run_dir, n_best=1).n_best("two")


@pytest.mark.parametrize("options", [{"run": None}, {"imports": ["a.py"]}])
def test_what_is_no_name(options):
    (name,) = options
    with pytest.raises(ng.InputError, match=f"^{name}=.*must be a string"):
        ng.load(**{"run": "badd"} | options)


def test_typed():
    assert os.path.exists(os.path.join(os.path.dirname(ng.__file__), "py.typed"))
