import numpy as np
import oracles
import pytest

from neural_gpu_tf.models import ExtendedNeuralGPU

VOCABULARY = 6
SIZES = np.array([5, 3, 1], "int32")


def new_model(**kwargs):
    return oracles.randomize(ExtendedNeuralGPU(VOCABULARY, maps=3, **kwargs))


def batch():
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, VOCABULARY, (2, 3, 5), "int32")
    return dict(source=source, target=target, size=SIZES)


@pytest.mark.parametrize(  # every pair of values is there
    "width, kernel_size, cutoff, layers",
    [
        (1, 3, 1.0, 1),
        (1, 5, 1.2, 2),
        (1, 3, 1.2, 3),
        (2, 5, 1.2, 1),
        (2, 3, 1.0, 2),
        (2, 5, 1.0, 3),
        (4, 3, 1.2, 1),
        (4, 5, 1.0, 2),
        (4, 3, 1.2, 3),
    ],
)
def test_is_the_equation(width, kernel_size, cutoff, layers):
    model = new_model(
        width=width, kernel_size=kernel_size, cutoff=cutoff, layers=layers
    )
    weights, inputs = oracles.model_weights(model), batch()
    logits = np.array(model(inputs))
    for b, n in enumerate(SIZES):
        source, target = inputs["source"][b, :n], inputs["target"][b, :n]
        expected = oracles.extended_neural_gpu(source, target, weights, width, cutoff)
        np.testing.assert_allclose(logits[b, :n], expected, atol=1e-5)


def test_logits_see_only_the_symbols_before_them():
    model, inputs = new_model(), batch() | dict(size=np.full(3, 5, "int32"))
    logits = np.array(model(inputs))
    for t in range(5):
        target = inputs["target"].copy()
        target[:, t:] = (target[:, t:] + 1) % VOCABULARY
        other = np.array(model(inputs | dict(target=target)))
        np.testing.assert_array_equal(other[:, : t + 1], logits[:, : t + 1])
        assert (np.abs(other - logits)[:, t + 1 :].max(axis=-1) > 1e-5).all()


def test_the_first_symbol_is_not_seen_by_the_first_step():
    model, inputs = new_model(), batch()
    state = model.start(inputs["source"], SIZES)
    got = [model.step(state, np.full(3, symbol), 0)[1] for symbol in range(VOCABULARY)]
    for logits in got:
        np.testing.assert_array_equal(logits, got[0])


def test_finished_examples_hold_their_canvas():
    model, inputs = new_model(), batch()
    state = model.start(inputs["source"], SIZES)
    canvases = []
    for t in range(5):
        state, _ = model.step(state, inputs["target"][:, t - 1], t)
        canvases.append(np.array(state.canvas))
    for b, n in enumerate(SIZES):
        for t in range(1, 5):
            if t < n:
                assert (canvases[t][b] != canvases[t - 1][b]).any()
            else:
                np.testing.assert_array_equal(canvases[t][b], canvases[t - 1][b])
            assert not canvases[t][b, :, n:].any()


def test_every_tensor_of_the_state_leads_with_the_batch():
    """A beam gathers examples by their first axis."""
    model, inputs = new_model(), batch()
    order = np.array([2, 0, 0, 1])

    def gather(x):
        if isinstance(x, tuple):
            parts = [gather(part) for part in x]
            return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
        return np.array(x)[order]

    state = model.start(inputs["source"], SIZES)
    state, _ = model.step(state, inputs["target"][:, 0], 0)
    _, expected = model.step(state, inputs["target"][:, 0], 1)
    _, got = model.step(gather(state), inputs["target"][order, 0], 1)
    np.testing.assert_allclose(got, np.array(expected)[order], atol=1e-6)


def test_encoder_and_decoder_drop_different_cells():
    model = new_model(dropout=0.3, seed=5)
    drawn = [part.seed_generator.next() for part in (model.encoder, model.decoder)]
    assert (np.array(drawn[0]) != np.array(drawn[1])).any()
