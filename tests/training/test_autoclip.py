"""Clipping to the usual norm, and beside a fixed one."""

import numpy as np
import pytest
import tensorflow as tf
import toy

from neural_gpu_tf.training.autoclip import AutoClip


def test_the_lower_of_two_limits_counts():
    step = toy.step(optimizer="sgd", learning_rate=1.0, clip_norm=0.01, autoclip=1.5)
    before = toy.weights(step.model)
    result = step(toy.batch())
    pairs = zip(before, toy.weights(step.model), strict=True)
    moved = np.sqrt(sum(((new - old) ** 2).sum() for old, new in pairs))
    assert float(result.gradient_norm) > 0.02
    assert moved == pytest.approx(0.01, rel=1e-3)


def test_a_wild_norm_counts_as_what_it_was_clipped_to():
    autoclip = AutoClip()
    for _ in range(25):
        autoclip.clip(tf.constant(2.0), 1.5)
    for _ in range(2):
        autoclip.clip(tf.constant(0.0), 1.5)  # which says nothing of what is usual
    for _ in range(2):
        clipped = float(autoclip.clip(tf.constant(1e6), 1.5))
    assert clipped == pytest.approx(3.0, rel=0.03)
