import dataclasses
import subprocess
import sys
from types import SimpleNamespace

import pytest

from benchmarks import table1
from benchmarks.csv_rows import append, read
from benchmarks.equal_size import OWN, find_size, of_equal_size, taken
from benchmarks.table1 import (
    CONFIGS,
    Table,
    Trained,
    best_rate,
    data_flags,
    markdown,
    seconds_step,
)
from benchmarks.table1_rows import RateRow, Row
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
    "name", ["hybrid_neural_gpu", "pooled_neural_gpu", "hybrid_seq2seq", "stack_rnn"]
)
def test_a_model_of_another_kind_has_as_many_weights(name):
    options = OWN.get(name, {}) | of_equal_size(name, REFERENCE, 300) | {"model": name}
    found, wanted = (
        build_model(config, 300).count_params()
        for config in (
            ModelConfig(**NARROW | {k: x for k, x in options.items() if k in FIELDS}),
            REFERENCE,
        )
    )
    assert abs(found - wanted) < 0.05 * wanted
    assert ("units" in options) == name.endswith(("seq2seq", "rnn"))


def test_where_there_is_none_it_says_so():
    with pytest.raises(InputError, match="rnn_seq2seq: .*choose a larger reference"):
        of_equal_size("rnn_seq2seq", ModelConfig(maps=2, width=1, layers=1), 30)


def test_what_data_stands_for(tmp_path):
    assert data_flags("demo") == [f"--flagfile={CONFIGS / 'demo.flags'}"]
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
    assert taken(["--min_count=5", "--maps=4"], "neural_gpu") == ["--maps=4"]


def row(**other):
    numbers = {name: 1 for name, kind in Row.__annotations__.items() if kind is not str}
    return Row(
        **numbers | {"model": "a", "size": "maps=3", "bleu_signature": "s"}
    )._replace(**other)


def test_the_line_of_a_model_has_the_range_and_the_mean_of_its_seeds():
    rows = [
        row(perplexity=2.5, test_perplexity=float("inf"), bleu=3.0),
        row(seed=2, perplexity=2.25, test_perplexity=7.0, bleu=4.5),
        row(model="b", perplexity=9.0),
    ]
    *_, a, b = markdown(rows).splitlines()
    assert a.startswith(
        "| a | 1 | maps=3 | 2 | 1 | 1 | 2.250 to 2.500 | 7.000 to inf |"
    )
    assert "| 3.8 |" in a
    assert b.startswith("| b | 1 | maps=3 | 1 | 1 | 1 | 9.000 | 1.000 | 1.0 |")


def test_rows_are_read_as_they_were_added(tmp_path):
    rows = [row(learning_rate=0.003 * 0.5), row(seed=3, test_perplexity=float("inf"))]
    for each in rows:
        append(tmp_path / "a.csv", [each])
    assert read(tmp_path / "a.csv", Row) == rows
    assert read(tmp_path / "b.csv", Row) == []


def table_of(path, reference=REFERENCE):
    training = SimpleNamespace(learning_rate=0.004)
    run = SimpleNamespace(model=reference, training=training, vocabulary_size=300)
    return Table("demo", [], run, 10.0, path)


def test_rates_that_were_tried_are_not_tried_again(tmp_path, monkeypatch):
    tried = []

    def trained(table, run_dir, name, rate, seed, minutes):
        tried.append(rate)
        assert (seed, minutes) == (0, 1.5)
        return Trained(1.0, 90, 5.0 + rate)

    monkeypatch.setattr(table1, "trained", trained)
    table = table_of(tmp_path)
    append(tmp_path / "rates.csv", [RateRow("neural_gpu", 0.002, 1.5, 3.0)])
    assert best_rate(table, "neural_gpu", [0.5, 1.0]) == 0.002
    assert tried == [0.004]
    assert best_rate(table, "neural_gpu", [0.5, 1.0]) == 0.002
    assert tried == [0.004]
    append(tmp_path / "rates.csv", [RateRow("neural_gpu", 0.008, 1.5, 1.0)])
    assert best_rate(table, "neural_gpu", [0.5, 1.0]) == 0.002  # 0.008 is not asked for


def test_a_model_has_its_usual_rate_but_the_reference_that_of_its_flags(tmp_path):
    assert best_rate(table_of(tmp_path), "stack_rnn", [2.0]) == 0.004
    reference = ModelConfig(model="stack_rnn", units=20)
    assert best_rate(table_of(tmp_path, reference), "stack_rnn", [2.0]) == 0.008


def test_what_a_step_costs_is_not_measured_again(tmp_path):
    append(tmp_path / "table1.csv", [row(model="neural_gpu", seconds_step=0.25)])
    assert seconds_step(table_of(tmp_path), "neural_gpu") == 0.25
    known = tmp_path / "cost" / "neural_gpu" / "cost.json"
    known.parent.mkdir(parents=True)
    known.write_text('{"seconds_step": 0.25004}')  # not rounded
    assert seconds_step(table_of(tmp_path), "neural_gpu") == 0.25004


@pytest.mark.slow
def test_two_models_for_a_second_each(tmp_path):
    command = [
        *(sys.executable, "-m", "benchmarks.table1", f"--out={tmp_path}"),
        *("--minutes=0.04", "--models=neural_gpu,stack_rnn", "--rates=0.5,1", "--"),
        *("--model=neural_gpu", "--maps=40", "--layers=1", "--max_batch_size=8"),
        *("--train_examples=200", "--validation_examples=4", "--max_number=99"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, other = rows = read(tmp_path / "table1.csv", Row)
    assert first.model == "neural_gpu" and other.model == "stack_rnn"
    assert done.stdout.strip() == markdown(rows).strip()
    assert abs(other.parameters - first.parameters) < 0.05 * first.parameters
    for each in rows:
        assert each.steps == pytest.approx(60 * 0.04 / each.seconds_step, rel=0.02)
        assert each.perplexity > 1 and 0 <= each.exact <= 1
        assert each.bleu_low <= each.bleu_high and each.ms_sentence > 0
    rates = read(tmp_path / "rates.csv", RateRow)
    assert {each.learning_rate for each in rates} == {0.005, 0.0025, 0.002, 0.001}
    configs = [
        RunDirectory(tmp_path / f"{name}_0").read_config()
        for name in ("neural_gpu", "stack_rnn")
    ]
    assert len({config.vocabulary_fingerprint for config in configs}) == 1
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.stdout == done.stdout, again.stderr
    assert "step" not in again.stderr  # nothing was trained
