import numpy as np
import pytest
import tiny
from keras import ops
from scripted import BySize, Markov, State

from benchmarks.decode import (
    NeverEnds,
    _in_turns,
    measure_models,
    measure_search,
)
from neural_gpu_tf.constants import EOS
from neural_gpu_tf.decoding import SizePredictor, greedy
from neural_gpu_tf.models import SizeReadout
from neural_gpu_tf.options import DecodingConfig


def test_packed_is_one_by_one_and_predicted_less_work():
    model = tiny.new_model(8)
    predictor = SizePredictor(model, SizeReadout(2 * 8 * 2, 9, 9))
    length = np.array([3, 1, 2])
    source = np.random.default_rng(0).integers(3, 8, (3, 3)) * (
        np.arange(3) < length[:, None]
    )
    result = measure_search(
        model,
        source.astype(np.int32),
        length,
        DecodingConfig(tried_sizes=2),
        predictor,
        rounds=1,
    )
    counts = {name: row["canvases"] for name, row in result.items()}
    assert counts == {"one_by_one": 9, "packed": 9, "predicted": 6}
    for name in ("packed", "predicted"):
        ratio = result["one_by_one"]["seconds"] / result[name]["seconds"]
        assert result[name]["ratio"] == ratio
    assert 0 <= result["predicted"]["same"] <= 1
    symbols = [row["symbols_per_second"] * row["seconds"] for row in result.values()]
    assert symbols[0] == pytest.approx(symbols[1])


def test_outputs_that_differ_are_no_result():
    """A model that says something else when it decodes several canvases at once."""

    class Mixing(BySize):
        def start(self, source, size):
            return State(source, ops.zeros_like(size) + ops.shape(source)[0])

    model = Mixing({1: [(5, 0.9), (EOS, 0.9)], 2: [(6, 0.9), (EOS, 0.9)]})
    with pytest.raises(RuntimeError, match="2 of 2 outputs differ"):
        measure_search(
            model, np.full((2, 1), 3, np.int32), np.array([1, 1]), DecodingConfig()
        )


def test_models_say_as_many_symbols_as_there_are_columns():
    options = {"maps": 4, "width": 1, "layers": 1, "units": 4, "embedding_size": 4}
    names = ["neural_gpu", "rnn_seq2seq"]
    result = measure_models(names, options, [2, 4], batch=2, rounds=1)
    assert list(result) == names
    for row in result.values():
        assert row["weights"] > 0
        speed = row["symbols_per_second"]
        seconds = [2 * n / speed[n] for n in (2, 4)]
        slope = np.log(seconds[1] / seconds[0]) / np.log(2)
        assert row["exponent"] == pytest.approx(slope)


def test_a_model_that_never_ends():
    log_p = np.log(np.tile([0.01, 0.01, 0.9, 0.08], (4, 1)))  # EOS is likeliest
    canvas = np.full((1, 3), 3, np.int32), np.array([3])
    assert greedy(Markov(log_p), *canvas).symbols.numpy().tolist() == [[EOS, 0, 0]]
    never = greedy(NeverEnds(Markov(log_p)), *canvas)
    assert never.symbols.numpy().tolist() == [[3, 3, 3]]


def test_contenders_take_turns():
    calls = []
    outputs, seconds = _in_turns({x: lambda x=x: calls.append(x) or x for x in "ab"}, 2)
    assert calls == list("ababab") and outputs == {"a": "a", "b": "b"}
    assert all(s >= 0 for s in seconds.values())
