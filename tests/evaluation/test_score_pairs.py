import functools

import numpy as np
import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.decoding import beam_search
from neural_gpu_tf.decoding.size_search import candidate_sizes
from neural_gpu_tf.evaluation.score_pairs import PairScorer, score_pairs
from neural_gpu_tf.models import Ensemble
from neural_gpu_tf.options import DataConfig, DecodingConfig

SOURCES = ["two thousand, five", "six two five", "", "two six five two"]
TARGETS = ["two", "", "six", "six five two five six"]


def scores(data=None, decoding=None, model=None):
    model = model or tiny.model()
    data = data or DataConfig()
    return score_pairs(model, tiny.tokenizer(), SOURCES, TARGETS, data, decoding)


@functools.cache
def on_own_canvas():
    return scores()


@functools.cache
def on_best_canvas():
    return scores(decoding=DecodingConfig())


def test_no_pairs():
    assert score_pairs(tiny.model(), tiny.tokenizer(), [], [], DataConfig()) == []


def test_a_pairs_score_does_not_depend_on_its_batch():
    alone = scores(DataConfig(max_batch_size=1), DecodingConfig())
    for one, other in zip(on_best_canvas(), alone, strict=True):
        np.testing.assert_allclose(
            one.log_probability, other.log_probability, atol=1e-4
        )
        assert one[1:] == other[1:]


def test_the_canvas_that_was_best_is_told():
    training, best = on_own_canvas(), on_best_canvas()
    assert [one.size for one in training] == [4, 3, 2, 6]
    assert any(other.size > one.size for one, other in zip(training, best, strict=True))
    for one, other in zip(training, best, strict=True):
        assert other.log_probability >= one.log_probability
        if other.size == one.size:
            assert other == one


class Likes:
    """A model whose every symbol is likelier, the nearer the size to a favourite."""

    sized = True

    def __init__(self, favourite):
        self.favourite = favourite

    def __call__(self, batch, training=False):
        far = tf.abs(batch["size"] - self.favourite)
        sure = 9.0 - tf.cast(far, tf.float32)
        return tf.one_hot(batch["target"], 300) * sure[:, None, None]


@pytest.mark.parametrize("which", range(3))
def test_every_canvas_of_a_search_is_tried(which):
    """The smallest, one between and the largest."""
    decoding = DecodingConfig()
    rows = tiny.tokenizer().tokenize(SOURCES[:1]).to_list()
    sizes = np.array(candidate_sizes(np.array([len(rows[0])]), decoding))[0].tolist()
    favourite = sizes[[0, len(sizes) // 2, -1][which]]
    assert len({*sizes}) > 2
    (found,) = score_pairs(
        Likes(favourite), tiny.tokenizer(), SOURCES[:1], [""], DataConfig(), decoding
    )
    assert found.size == max(favourite, len(rows[0]))


def test_a_model_without_a_size_has_one_score():
    ensemble = Ensemble([tiny.model()])
    ensemble.sized = False
    assert [x.size for x in scores(decoding=DecodingConfig(), model=ensemble)] == [
        x.size for x in on_own_canvas()
    ]


def test_what_a_beam_says_of_its_hypotheses_is_what_scoring_says():
    random = np.random.default_rng(0)
    size = np.array([3, 5, 1], np.int32)
    source = random.integers(260, 274, (3, 5)) * (np.arange(5) < size[:, None])
    source = source.astype(np.int32)
    for model in (tiny.model(), Ensemble([tiny.model(), tiny.model()])):
        found = beam_search(model, source, size, 4, 4, length_penalty=0.6)
        scorer = PairScorer(model)
        for rank in range(4):
            batch = {"source": source, "target": found.symbols[:, rank], "size": size}
            np.testing.assert_allclose(
                scorer(batch), found.log_probability[:, rank], atol=1e-4
            )
