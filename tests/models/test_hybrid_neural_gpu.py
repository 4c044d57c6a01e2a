import numpy as np
import oracles
import oracles_hybrid
import pytest

from neural_gpu_tf.decoding import beam_search
from neural_gpu_tf.models import HybridNeuralGPU

VOCABULARY = 6
SIZES = np.array([5, 3, 1], "int32")


def new_model(**kwargs):
    return oracles.randomize(HybridNeuralGPU(VOCABULARY, maps=3, **kwargs))


def batch():
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, VOCABULARY, (2, 3, 5), "int32")
    return dict(source=source, target=target, size=SIZES)


@pytest.mark.parametrize("width, cutoff, layers", [(1, 1.0, 2), (4, 1.2, 1)])
def test_is_the_equation(width, cutoff, layers):
    """Logits and alignments."""
    model, inputs = new_model(width=width, cutoff=cutoff, layers=layers), batch()
    logits, alignments = model(inputs), np.array(model.alignments(**inputs))
    for b, n in enumerate(SIZES):
        source, target = inputs["source"][b, :n], inputs["target"][b, :n]
        expected, alpha = oracles_hybrid.hybrid_neural_gpu(
            source, target, model, width, cutoff
        )
        np.testing.assert_allclose(logits[b, :n], expected, atol=1e-5)
        np.testing.assert_allclose(alignments[b, :n, :n], alpha, atol=1e-5)
        assert not alignments[b, n:].any() and not alignments[b, :, n:].any()


def test_logits_see_only_the_symbols_before_them():
    model, inputs = new_model(width=2), batch() | dict(size=np.full(3, 5, "int32"))
    logits = np.array(model(inputs))
    for t in range(5):
        target = inputs["target"].copy()
        target[:, t:] = (target[:, t:] + 1) % VOCABULARY
        other = np.array(model(inputs | dict(target=target)))
        np.testing.assert_array_equal(other[:, : t + 1], logits[:, : t + 1])
        assert (np.abs(other - logits)[:, t + 1 :].max(axis=-1) > 1e-5).all()


def test_a_beam_gathers_its_state_and_punishes_what_is_not_covered():
    """By the field `attention`, which only models with attention have."""
    model, inputs = new_model(width=1, layers=1), batch()
    plain, punished = (
        beam_search(model, inputs["source"], SIZES, 3, coverage_penalty=penalty)
        for penalty in (0.0, 5.0)
    )
    assert (np.array(punished.score) <= np.array(plain.score) + 1e-5).all()
    assert np.abs(np.array(punished.score) - plain.score).max() > 0.1
