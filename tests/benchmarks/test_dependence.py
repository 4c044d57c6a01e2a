import json
import math

import numpy as np
import pytest

from benchmarks.dependence import (
    FIRST_PART,
    LENGTH,
    MODELS,
    SEPARATOR,
    SYMBOLS,
    VOCABULARY,
    floor,
    generate,
    measure,
    of_one_mode,
)
from benchmarks.dependence_figure import draw


def test_a_sentence_has_one_mode_and_a_coin_chooses_it():
    sentences = generate(np.random.default_rng(0), 400)
    source, target = sentences["source"], sentences["target"]
    assert target.shape == (400, SYMBOLS) and target.max() < VOCABULARY
    assert of_one_mode(source, target).all()
    modes = (target[:, :-1].reshape(400, LENGTH, 3)[:, :, :2] - FIRST_PART) % 2
    assert (modes == modes[:, :1, :1]).all()
    assert 0.4 < modes[:, 0, 0].mean() < 0.6


@pytest.mark.parametrize("column", [0, 1, 2, 16, 18])
def test_one_wrong_symbol_is_seen(column):
    sentences = generate(np.random.default_rng(0), 20)
    symbols = sentences["target"].copy()
    other = symbols[:, column] ^ 1  # of the other mode, if it is part of a word
    symbols[:, column] = np.where(symbols[:, column] == SEPARATOR, 2, other)
    assert not of_one_mode(sentences["source"], symbols).any()


def test_floors_are_those_of_fair_coins():
    """The mean surprisal of the best independent, Markovian and full predictors."""
    for model, coins in (
        ("neural_gpu", 12),
        ("diagonal_neural_gpu", 12),
        ("markovian_neural_gpu", 6),
    ):
        assert math.isclose(floor(model) ** SYMBOLS, 2**coins)
    assert math.isclose(floor("extended_neural_gpu") ** SYMBOLS, 2)
    assert math.isclose(floor("attention_seq2seq") ** SYMBOLS, 2)


def test_a_model_is_measured():
    *_, last = measure("markovian_neural_gpu", 0.05, batch=4, held_out=20)
    assert last["floor"] == 1.2447
    assert last["perplexity_symbol"] > 1.2 and 0 <= last["one_mode"] <= 1
    assert abs(last["weights"] - 300_000) < 15_000


def test_the_figure_has_a_line_a_seed_and_the_floors():
    rows = [
        dict(model="neural_gpu", seed=seed, minutes=x, loss=0.5 / x)
        for seed in (0, 1)
        for x in (1.0, 2.0, 4.0)
    ]
    rows.append(dict(model="neural_gpu", seed=0, minutes=5, perplexity_symbol=1.6))
    (axes,) = draw([json.dumps(row) for row in rows]).axes
    drawn = [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines]
    assert [x for x, _ in drawn[:2]] == [[1, 2, 4]] * 2
    assert drawn[0][1] == [math.exp(0.5), math.exp(0.25), math.exp(0.125)]
    floors = {floor(name) for name in MODELS}
    assert [y[0] for _, y in drawn[2:]] == sorted(floors) and len(floors) == 3
