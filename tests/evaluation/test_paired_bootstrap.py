import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from neural_gpu_tf.evaluation.paired_bootstrap import paired_bootstrap


def noisy(rng, references, rate):
    """References, some words of which are wrong."""
    return [
        " ".join("bad" if rng.random() < rate else word for word in text.split())
        for text in references
    ]


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    references = [" ".join(f"w{i}" for i in rng.integers(0, 9, 12)) for _ in range(60)]
    return references, [noisy(rng, references, rate) for rate in (0.3, 0.3, 0.1)]


def test_a_better_model_is_told_from_an_equal_one(texts):
    references, outputs = texts
    results, signature = paired_bootstrap(outputs, references, 100)
    assert "bs:100" in signature and "seed:12345" in signature
    for result, output in zip(results, outputs, strict=True):
        score = BLEU().corpus_score(output, [references]).score
        assert result.bleu == pytest.approx(score)
        assert 0 < result.interval < 10
        assert abs(result.mean - score) < result.interval
    first, equal, better = results
    assert first.p_value is None
    assert equal.p_value > 0.05
    assert better.p_value == pytest.approx(1 / 101)  # the least there is


def test_mean_and_interval_are_those_of_the_resamples(texts):
    references, (output, *_) = texts
    ((_, mean, interval, _),), _ = paired_bootstrap([output], references, 40)
    drawn = np.random.default_rng(12345).choice(60, size=(40, 60), replace=True)
    scores = sorted(
        BLEU()
        .corpus_score([output[i] for i in rows], [[references[i] for i in rows]])
        .score
        for rows in drawn
    )
    assert mean == pytest.approx(np.mean(scores), abs=1e-3)
    assert interval == pytest.approx((scores[38] - scores[1]) / 2, abs=1e-3)


def test_the_same_again(texts):
    references, outputs = texts
    one, two = (paired_bootstrap(outputs, references, 9) for _ in "ab")
    assert one == two


def p_value(one, other, references):
    (_, result), _ = paired_bootstrap([one, other], references, 50)
    return result.p_value


def test_what_cannot_be_told_apart_is_by_chance(texts):
    references, (output, *_) = texts
    wrong = [f"no {i}" for i in range(60)]
    assert p_value(output, output, references) == 1
    # Other words, as wrong as the first ones: not one resample differs.
    other = [text.replace("bad", "worse") for text in output]
    assert other != output and p_value(output, other, references) == 1
    # BLEU is 0, and the texts differ.
    assert p_value(wrong, ["nothing"] * 60, references) == 1
    # One sentence is no sample, however often it stands there.
    for times in (1, 2, 5):
        some, right = output[:1] * times, references[:1] * times
        assert some != right and p_value(some, right, right) == 1


def test_what_always_differs_is_not_by_chance(texts):
    references, _ = texts
    wrong = [f"no {i}" for i in range(60)]
    assert p_value(wrong, references, references) == 1 / 51
