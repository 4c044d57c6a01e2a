import csv
import dataclasses
import subprocess
import sys

import pytest

from benchmarks.table1 import (
    DEMO,
    OWN,
    Row,
    data_flags,
    find_size,
    markdown,
    of_equal_size,
    taken,
)
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import build_model
from neural_gpu_tf.options import ModelConfig
from neural_gpu_tf.runs import RunDirectory

NARROW = dict(width=1, layers=1)
REFERENCE = ModelConfig(maps=40, **NARROW)
FIELDS = {field.name for field in dataclasses.fields(ModelConfig)}


@pytest.mark.parametrize(
    "wanted, nearest", [(1, 1), (63, 8), (65, 8), (72, 8), (73, 9), (10**6, 1000)]
)
def test_the_nearest_size_is_found(wanted, nearest):
    assert find_size(lambda x: x * x, wanted) == nearest
    assert find_size(lambda x: 7 * x * x + 3 * x + 11, 7 * 49 + 3 * 7 + 12) == 7


@pytest.mark.parametrize(
    "name", ["hybrid_neural_gpu", "fixed_memory_seq2seq", "stack_rnn"]
)
def test_a_model_of_another_kind_has_as_many_weights(name):
    options = OWN.get(name, {}) | of_equal_size(name, REFERENCE, 300) | {"model": name}
    found, wanted = (
        build_model(config, 300).count_params()
        for config in (
            ModelConfig(**{k: x for k, x in options.items() if k in FIELDS} | NARROW),
            REFERENCE,
        )
    )
    assert abs(found - wanted) < 0.05 * wanted
    assert ("maps" in options) == (name == "hybrid_neural_gpu")


def test_where_there_is_none_it_says_so():
    with pytest.raises(InputError, match="rnn_seq2seq: .*choose a larger reference"):
        of_equal_size("rnn_seq2seq", ModelConfig(maps=2, width=1, layers=1), 30)


def test_what_data_stands_for(tmp_path):
    assert data_flags("demo") == [f"--flagfile={DEMO}"]
    assert data_flags("my.flags") == ["--flagfile=my.flags"]
    for name in ("train.source", "train.target.gz"):
        (tmp_path / name).touch()
    found = data_flags(str(tmp_path))
    assert {
        "--data=files",
        f"--data_dir={tmp_path}",
        "--train_source=train.source",
        "--train_target=train.target.gz",
        "--validation_source=validation.source.gz",
    } < set(found)


def test_flags_of_the_reference_that_a_model_does_not_take_are_left_out():
    given = ["--flagfile=F", "--layers=1", "--maps=4", "--learning_rate=0.1"]
    assert taken(given, "stack_rnn") == ["--flagfile=F", "--learning_rate=0.1"]
    assert taken(given, "neural_gpu") == given


def test_an_infinite_perplexity_has_a_line_too():
    text = markdown([Row("a", 1234, "maps=3", 5, None, None, 1.25, 0.5)], 3)
    assert "| a | 1,234 | maps=3 | 5 | infinite | infinite | 1.2 | 50.0% |" in text


@pytest.mark.slow
def test_two_models_for_a_second_each(tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.table1", f"--out={tmp_path}"),
            *("--minutes=0.01", "--models=stack_rnn", "--"),
            *("--model=neural_gpu", "--maps=40", "--layers=1", "--batch_parts=1"),
            *("--train_examples=200", "--validation_examples=4", "--max_number=99"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == (tmp_path / "table1.md").read_text().strip()
    with open(tmp_path / "table1.csv", newline="") as file:
        reference, other = csv.DictReader(file)
    assert reference["model"] == "neural_gpu"
    assert reference["size"] == "maps=40" and other["model"] == "stack_rnn"
    weights = [int(row["parameters"]) for row in (reference, other)]
    assert abs(weights[1] - weights[0]) < 0.05 * weights[0]
    for row in (reference, other):
        assert int(row["steps"]) > 0
        assert float(row["perplexity"]) > 1 and 0 <= float(row["exact"]) <= 1
    configs = [
        RunDirectory(tmp_path / name).read_config()
        for name in ("reference", "stack_rnn")
    ]
    assert [config.training.learning_rate for config in configs] == [0.005, 0.002]
    assert len({config.vocabulary_fingerprint for config in configs}) == 1
