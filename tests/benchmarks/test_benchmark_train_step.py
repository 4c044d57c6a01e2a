import pytest

from benchmarks.formulas import convolution_flops
from benchmarks.json_process import ProcessEnded
from benchmarks.train_step import OPTIONS, Contender, measure
from benchmarks.worker import model_options
from neural_gpu_tf.options import ModelConfig


@pytest.mark.slow
def test_every_contender_has_its_turns():
    small = {"maps": 4, "width": 2, "layers": 1, "length": 4, "batch": 3}
    result = measure(OPTIONS | small, ["naive"], rounds=2, steps=2)
    for name in ("ceiling", "convolutions", "package", "naive"):
        one = result[name]
        low, high = one["quartiles"]
        assert 0 < low <= one["median"] <= high < one["first"]
        assert one["memory"] > 1e8
    ratio = result["naive"]["median"] / result["package"]["median"]
    assert result["naive"]["ratio"] == ratio
    speed = result["gflop"]["needed"] / result["package"]["median"]
    expected = speed / result["ceiling"]["gflop_per_second"]
    assert result["share_of_ceiling"] == pytest.approx(expected)
    convolutions = result["convolutions"]
    flops, _ = convolution_flops("neural_gpu", 4, 2, 1, 4, 3)
    alone = flops / 1e9 / convolutions["median"]
    assert convolutions["gflop_per_second"] == pytest.approx(alone)
    assert result["share_of_convolutions"] == pytest.approx(speed / alone)
    assert result["convolutions_of_ceiling"] == pytest.approx(
        alone / result["ceiling"]["gflop_per_second"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("lengths", [[3], [3, 5]])
def test_a_step_takes_a_batch_of_each_length(lengths):
    small = {"maps": 6, "width": 1, "layers": 1, "batch": 3, "dropout": 0.1}
    text = ",".join(map(str, lengths))
    model = {"model": "diagonal_neural_gpu", "lengths": text}
    result = measure(OPTIONS | small | model, [], rounds=1, steps=2)
    flops = [convolution_flops("neural_gpu", 6, 1, 1, n, 3)[0] for n in lengths]
    assert result["gflop"]["needed"] == pytest.approx(sum(flops) / 1e9)
    speed = sum(flops) / result["package"]["median"]
    share = speed / 1e9 / result["ceiling"]["gflop_per_second"]
    assert result["share_of_ceiling"] == pytest.approx(share)
    assert "convolutions" not in result


@pytest.mark.slow
def test_a_recurrent_model_by_the_processors_seconds():
    small = {"maps": 4, "layers": 1, "length": 4, "batch": 3, "bidirectional": 1}
    model = {"model": "attention_seq2seq", "cores": 1}
    result = measure(OPTIONS | small | model, [], rounds=2, steps=2)
    clock = result["package"]["processor"]
    low, high = clock["quartiles"]
    assert 0 < low <= clock["median"] <= high
    assert "ceiling" not in result and "share_of_ceiling" not in result


def test_a_recurrent_model_has_units_for_maps():
    given = OPTIONS | {"model": "rnn_seq2seq", "maps": 6, "bidirectional": 1}
    config = ModelConfig(**model_options(given))
    assert (config.units, config.embedding_size, config.bidirectional) == (6, 6, 1)
    canvas = ModelConfig(**model_options(OPTIONS | {"maps": 6}))
    assert (canvas.maps, canvas.units) == (6, 0)


@pytest.mark.slow
def test_a_contender_that_fails_is_named():
    broken = Contender("naive", OPTIONS | {"maps": 0})
    with pytest.raises(ProcessEnded, match="naive: the process ended"):
        broken.answer()


def test_the_formulas_count_multiplications_and_additions():
    """By a sum over the taps, cells and steps of one example, forward."""
    m, w, layers, n = 5, 4, 2, 7
    taps = 3 * 3
    forward = n * layers * n * w * 3 * taps * m * m * 2
    assert convolution_flops("neural_gpu", m, w, layers, n, 1) == (3 * forward,) * 2
    written, needed = convolution_flops("extended_neural_gpu", m, w, layers, n, 1)
    assert written == 3 * (forward + 2 * forward)
    assert needed == 3 * (forward + forward)
    narrow = convolution_flops("neural_gpu", m, 1, layers, n, 1)[0]
    assert narrow == 3 * forward / w / 3
