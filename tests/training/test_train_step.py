import functools

import numpy as np
import pytest
import tensorflow as tf
import toy

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.training.strategy import mirrored_strategy

SGD = {"optimizer": "sgd", "learning_rate": 1.0, "clip_norm": 0.0}


def gradients(network, batch):
    """The gradient of the mean loss of a symbol, on the CPU of NumPy."""
    embeddings, kernel = (w.astype("float64") for w in network.get_weights())
    d_embeddings, d_kernel = np.zeros_like(embeddings), np.zeros_like(kernel)
    source, target = (batch[name].numpy() for name in ("source", "target"))
    count = (target != 0).sum()
    for i, o in zip(source[target != 0], target[target != 0], strict=True):
        p = np.exp(embeddings[i] @ kernel)
        d_logits = (p / p.sum() - np.eye(len(p))[o]) / count
        d_embeddings[i] += kernel @ d_logits
        d_kernel += np.outer(embeddings[i], d_logits)
    return d_embeddings, d_kernel


def norm(arrays):
    return np.sqrt(sum((array**2).sum() for array in arrays))


def changes(step, batch):
    """What a step adds to each weight, and its result."""
    before = toy.weights(step.model)
    result = step(batch)
    after = toy.weights(step.model)
    return [b - a for a, b in zip(before, after, strict=True)], result


def test_without_clipping_the_step_is_the_gradient():
    step, batch = toy.step(**SGD), toy.batch()
    expected = gradients(step.model, batch)
    found, result = changes(step, batch)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, -other, atol=1e-6)
    # Rows of the embedding that come twice count as their sum.
    assert float(result.gradient_norm) == pytest.approx(norm(expected), rel=1e-5)
    assert float(result.symbols) == 10 and float(result.examples) == 4


@pytest.mark.parametrize("clip_norm, clips", [(0.01, True), (100.0, False)])
def test_clipping_scales_the_whole_gradient(clip_norm, clips):
    step, batch = toy.step(**SGD | {"clip_norm": clip_norm}), toy.batch()
    expected = gradients(step.model, batch)
    scale = clip_norm / norm(expected) if clips else 1.0
    found, result = changes(step, batch)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, -scale * other, atol=1e-6)
    assert float(result.gradient_norm) == pytest.approx(norm(expected), rel=1e-5)


def test_the_loss_is_summed_over_symbols():
    step, batch = toy.step(label_smoothing=0.0), toy.batch()
    embeddings, kernel = step.model.get_weights()
    logits = embeddings[batch["source"].numpy()] @ kernel
    target = batch["target"].numpy()
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    p = np.take_along_axis(p, target[..., None], -1)[..., 0]
    result = step(batch)
    assert float(result.loss) == pytest.approx(-np.log(p[target != 0]).sum(), rel=1e-5)


def test_one_trace_serves_every_bucket():
    step = toy.step()
    for number, (rows, columns) in enumerate([(4, 5), (2, 8), (1, 1), (7, 3), (4, 6)]):
        step(toy.batch(number, rows, columns))
    step.concrete(toy.batch())
    assert step.traces == 1


@pytest.mark.parametrize("blanks_count, right, symbols", [(False, 3, 7), (True, 2, 8)])
def test_right_is_wholly_right(blanks_count, right, symbols):
    step = toy.step({"maps": toy.SYMBOLS}, blanks_count)
    step.model.set_weights(
        [np.eye(toy.SYMBOLS), np.eye(toy.SYMBOLS)]
    )  # says the source
    result = step(
        {
            "source": tf.constant([[1, 2, 0], [3, 4, 5], [1, 5, 6], [5, 0, 0]]),
            "target": tf.constant([[1, 2, 0], [3, 4, 6], [1, 0, 0], [5, 0, 0]]),
            "size": tf.constant([2, 3, 2, 1]),
        }
    )
    assert (float(result.right), float(result.examples)) == (right, 4)
    assert float(result.symbols) == symbols


@functools.cache
def large_step(gradient_noise, **options):
    """A step, and its first weights."""
    sizes = {"symbols": 40, "maps": 40}
    step = toy.step(sizes, gradient_noise=gradient_noise, **SGD | options)
    return step, toy.weights(step.model)


def noise(at=0, make=large_step, training_seed=0, **options):
    """What gradient noise adds to the weights of a step, and the share not right."""
    batch, both = toy.batch(1, symbols=40), []
    noisy = make(0.5, training_seed=training_seed, **options)
    for step, weights in (large_step(0.0, **options), noisy):
        step.model.set_weights(weights)
        step.optimizer.iterations.assign(at)
        found, result = changes(step, batch)
        both.append(found)
    clean, noisy = both
    error = 1 - float(result.right) / float(result.examples)
    return [clean - noisy for clean, noisy in zip(clean, noisy, strict=True)], error


@pytest.mark.parametrize("at", [0, 10, 30, 1000])
def test_gradient_noise_has_the_right_deviation(at):
    found, error = noise(at)
    expected = np.sqrt(error) * 0.5 * (1 + at) ** -0.275
    assert error > 0
    for values in found:  # 1,600 numbers each
        assert values.std() == pytest.approx(expected, rel=0.08)
        assert abs(values.mean()) < 4 * expected / 40
    np.testing.assert_array_less(np.corrcoef(*map(np.ravel, found))[0, 1], 0.1)


def test_gradient_noise_is_not_clipped():
    found, error = noise(clip_norm=1e-3)
    assert found[0].std() == pytest.approx(np.sqrt(error) * 0.5, rel=0.08)


def test_gradient_noise_is_a_function_of_seed_and_step():
    first = noise()[0]
    anew = noise(make=large_step.__wrapped__)[0]
    np.testing.assert_allclose(first[0], anew[0], atol=1e-6)
    for other in (noise(at=1), noise(training_seed=1)):
        assert np.abs(np.corrcoef(first[0].ravel(), other[0][0].ravel())[0, 1]) < 0.1


def test_a_gradient_that_is_no_number_changes_nothing():
    step = toy.step(average_decay=0.5)
    embeddings, kernel = step.model.get_weights()
    embeddings[6] = np.nan
    step.model.set_weights([embeddings, kernel])
    found, result = changes(step, toy.batch())
    assert np.isnan(float(result.gradient_norm))
    assert not np.nan_to_num(found[0]).any() and not found[1].any()


def test_the_average_of_the_weights():
    step = toy.step(average_decay=0.75)
    average = None
    for number in range(3):
        step(toy.batch(number))
        now = toy.weights(step.model)
        average = (
            now
            if average is None
            else [0.75 * a + 0.25 * b for a, b in zip(average, now, strict=True)]
        )
    step.optimizer.finalize_variable_values(step.model.trainable_variables)
    for one, other in zip(step.model.get_weights(), average, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert np.abs(average[0] - now[0]).max() > 1e-5


def test_the_rate_follows_the_schedule():
    step = toy.step(**SGD | {"learning_rate": 0.5}, schedule="linear", train_steps=4)
    expected = gradients(step.model, toy.batch())
    found, _ = changes(step, toy.batch())
    np.testing.assert_allclose(found[1], -0.5 * expected[1], atol=1e-6)
    step(toy.batch())
    expected = gradients(step.model, toy.batch())
    found, _ = changes(step, toy.batch())
    np.testing.assert_allclose(found[1], -0.25 * expected[1], atol=1e-6)


def test_too_many_replicas_are_refused():
    with pytest.raises(InputError, match="^replicas=99: there are "):
        mirrored_strategy(99)


def test_parts_of_a_batch_are_the_batch():
    """Also with fewer rows than parts; weights, noise and every sum are the same."""
    options = SGD | {"clip_norm": 0.5, "label_smoothing": 0.1, "gradient_noise": 0.1}
    whole, parted = steps = [toy.step(parts=parts, **options) for parts in (1, 3)]
    for rows in (1, 2, 5):
        parted.model.set_weights(whole.model.get_weights())
        answers = [changes(step, toy.batch(rows, rows)) for step in steps]
        (one, one_result), (three, three_result) = answers
        np.testing.assert_allclose(three_result, one_result, rtol=1e-5)
        for found, expected in zip(three, one, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-6)
    assert whole.traces == parted.traces == 1


def test_the_loss_of_several_buckets_is_the_mean_of_theirs():
    """Whatever their sizes: a symbol in a small batch weighs more."""
    batches = toy.batch(0, rows=2, columns=3), toy.batch(1, rows=6, columns=5)
    step = toy.step(**SGD, buckets=2)
    parts = [gradients(step.model, batch) for batch in batches]
    expected = [sum(pair) / 2 for pair in zip(*parts, strict=True)]
    alone = [toy.step(**SGD)(batch) for batch in batches]
    found, result = changes(step, batches)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, -other, atol=1e-6)
    for name in ("loss", "symbols", "examples", "right"):
        total = sum(float(getattr(other, name)) for other in alone)
        assert float(getattr(result, name)) == pytest.approx(total, rel=1e-5)


def test_equal_buckets_drop_differently_but_always_the_same():
    """Side by side too; and the seeds go on as after one bucket."""
    batch = toy.batch(0, rows=6, columns=5)
    options = dict(model_options={"dropout": 0.5, "seed": 1}, **SGD)

    def losses(step, batch):
        found = [float(step(batch).loss) for _ in range(2)]
        seeds = [v.numpy() for v in step.model.variables if "seed" in v.path]
        assert seeds
        return found, seeds

    (one, _), end = losses(toy.step(**options), batch)
    found, seeds = losses(toy.step(**options, buckets=2), (batch, batch))
    again, _ = losses(toy.step(**options, buckets=2, parts=2), (batch, batch))
    assert found == again
    assert found[0] != pytest.approx(2 * one, rel=1e-5)
    np.testing.assert_array_equal(seeds, end)


@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_the_losses_that_layers_add_count(parts):
    step, batch = toy.step({"cost": 0.3}, **SGD, parts=parts), toy.batch()
    d_embeddings, d_kernel = gradients(step.model, batch)
    embeddings, _ = toy.weights(step.model)
    source = batch["source"].numpy()
    # The mean square of the vectors, however many examples a part has.
    np.add.at(
        d_embeddings, source, 0.3 * 2 * embeddings[source] / embeddings[source].size
    )
    found, _ = changes(step, batch)
    for one, other in zip(found, (d_embeddings, d_kernel), strict=True):
        np.testing.assert_allclose(one, -other, atol=1e-6)


def test_added_losses_are_kept_small_beside_the_loss():
    """Every 200 steps the weight becomes min(1, rate · loss / added loss)."""
    options = {"optimizer": "sgd", "learning_rate": 1e-3, "clip_norm": 0.0}
    step, batch = toy.step({"cost": 5.0}, **options), toy.batch()
    losses, added = [], []

    def weight():
        return float(step.auxiliary_weight.value.read_value())

    for _ in range(200):
        assert weight() == 1
        embeddings = toy.weights(step.model)[0][batch["source"].numpy()]
        added.append(5.0 * np.mean(embeddings**2))
        result = step(batch)
        losses.append(float(result.loss / result.symbols))
    expected = 1e-3 * np.mean(losses) / np.mean(added)
    assert expected < 1
    assert weight() == pytest.approx(expected, rel=1e-3)
    step(batch)
    assert weight() == pytest.approx(expected, rel=1e-3)


def test_a_gradient_is_clipped_by_what_is_usual():
    """After 20 steps: to `autoclip` times the running geometric mean of norms."""
    options = SGD | {"learning_rate": 1e-3, "autoclip": 1.5}
    step, batch = toy.step(**options), toy.batch()
    norms = []
    for _ in range(30):
        found, result = changes(step, batch)
        norms.append(float(result.gradient_norm))
        assert norm(found) == pytest.approx(1e-3 * norms[-1], rel=1e-3)
    for weight in step.model.trainable_variables:
        weight.assign(8 * weight)  # wildly wrong
    usual = np.log(norms[:20]).mean()
    for x in norms[20:]:
        usual += max(0.02, 1 / (len(norms[:20]) + 1 + norms[20:].index(x))) * (
            np.log(x) - usual
        )
    found, result = changes(step, batch)
    assert float(result.gradient_norm) > 2 * np.exp(usual)
    assert norm(found) == pytest.approx(1.5e-3 * np.exp(usual), rel=1e-2)


def test_a_gradient_that_is_no_number_changes_nothing_usual():
    step = toy.step(**SGD, autoclip=1.5)
    for bad in (np.nan, np.inf):
        step.autoclip.clip(tf.constant(bad, tf.float32), 1.5)
    for _ in range(25):
        step.autoclip.clip(tf.constant(2.0), 1.5)
    assert float(step.autoclip.clip(tf.constant(9.0), 1.5)) == pytest.approx(3.0)
