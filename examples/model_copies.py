"""Copies of one model, each with weights of its own, trained side by side under JAX."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import keras
import numpy as np
from jax import numpy as jnp

from neural_gpu_tf.models import build_model
from neural_gpu_tf.optimizers import build_optimizer, learning_rate
from neural_gpu_tf.options import ModelConfig, TrainingConfig
from neural_gpu_tf.weights import load_weights

Batch = Mapping[str, np.ndarray]

AUXILIARY_STEPS = 200
"""After how many the weight of the auxiliary losses is set anew."""


class ModelCopies:
    """A model in several copies, whose steps are one program (`jax.vmap`).

    The loops of a small model are many short operations, one after the other, too short
    for an accelerator if they are one copy's. A step is that of the package's
    `TrainStep`: the loss is a mean over the symbols of each bucket, then over
    the buckets; auxiliary losses weigh as `AuxiliaryWeight` tells.

    Args:
        model, training: the options.
        vocabulary_size: number of symbols.
        seeds: one for each copy, of its first weights and its dropout.
        starts: for each copy a file of weights to start with; none: new weights.
    """

    def __init__(
        self,
        model: ModelConfig,
        training: TrainingConfig,
        vocabulary_size: int,
        seeds: Sequence[int],
        starts: Sequence[str] = (),
    ):
        self.training = training
        self.copies = len(seeds)
        networks = []
        for seed in seeds:
            keras.utils.set_random_seed(seed)
            networks.append(build_model(model, vocabulary_size, seed=seed))
        for network, start in zip(networks, starts, strict=bool(starts)):
            load_weights(network, Path(start))
        self.network = networks[0]
        self.rate = learning_rate(training)
        self.optimizer = build_optimizer(training)
        self.optimizer.build(self.network.trainable_variables)
        self.weights = stacked([x.trainable_variables for x in networks])
        self.seeds = stacked([x.non_trainable_variables for x in networks])
        self.state = stacked([self.optimizer.variables] * self.copies)
        # The weight, and what `observed` sums up.
        self.auxiliary = jnp.tile(jnp.array([1.0, 0.0, 0.0, 0.0]), (self.copies, 1))
        self._bucket = jax.jit(jax.vmap(self._add_bucket))
        self._update = jax.jit(jax.vmap(self._apply, in_axes=(0, 0, 0, 0, None)))
        self._answers = jax.jit(jax.vmap(answered(self.network)))

    def step(self, buckets: Sequence[Batch]) -> jax.Array:
        """One step of every copy.

        Args:
            buckets: source, target and size, each [copies, batch, …]; an example of
                size 0 does not count.

        Returns:
            Of each copy the mean loss, the share of wholly right examples and the norm
            of the gradient, [copies, 3]; it is not waited for.
        """
        sums = None
        for bucket in buckets:
            given = (self.weights, self.seeds, self.auxiliary[:, 0], bucket, sums)
            self.seeds, sums = self._bucket(*given)
        assert sums is not None
        given = (self.weights, self.state, self.auxiliary, sums, 1.0 / len(buckets))
        self.weights, self.state, self.auxiliary, told = self._update(*given)
        return told

    def answers(self, source: np.ndarray, size: np.ndarray) -> jax.Array:
        """What the averaged weights answer, [copies, batch, n], free-running."""
        return self._answers(self.averaged, source, size)

    @property
    def averaged(self) -> list[jax.Array]:
        """The running averages of the weights; without one the weights themselves."""
        if not self.training.average_decay:
            return self.weights
        places = {id(x): i for i, x in enumerate(self.optimizer.variables)}
        averages = self.optimizer._model_variables_moving_average
        return [self.state[places[id(x)]] for x in averages]

    def _loss(self, weights: Any, seeds: Any, share: Any, batch: Batch) -> Any:
        """The loss of one copy's bucket, and its new seeds and sums."""
        logits, seeds, losses = self.network.stateless_call(
            weights, seeds, batch, training=True, return_losses=True
        )
        target, size = batch["target"], batch["size"]
        counted = jnp.arange(target.shape[1])[None] < size[:, None]
        likely = jax.nn.log_softmax(jnp.asarray(logits, "float32"))
        likely = jnp.take_along_axis(likely, target[:, :, None], axis=-1)[:, :, 0]
        mean = -jnp.sum(likely * counted) / jnp.maximum(jnp.sum(counted), 1)
        wrong = jnp.any(counted & (jnp.argmax(logits, -1) != target), axis=1)
        # Means over all rows: those of size 0, where another copy has more, add 0.
        rows = len(size) / jnp.maximum(jnp.sum(size > 0), 1)
        sums = {
            "loss": mean,
            "auxiliary": rows * sum(losses, jnp.zeros(())),
            "right": jnp.sum((size > 0) & ~wrong),
            "examples": jnp.sum(size > 0),
        }
        sums = {name: jnp.asarray(x, "float32") for name, x in sums.items()}
        return mean + share * sums["auxiliary"], (seeds, sums)

    def _add_bucket(
        self, weights: Any, seeds: Any, share: Any, batch: Any, sums: Any
    ) -> Any:
        """The new seeds of one copy, and its gradients and sums with a bucket's."""
        gradient = jax.grad(self._loss, has_aux=True)
        gradients, (seeds, told) = gradient(weights, seeds, share, batch)
        new = (gradients, told)
        return seeds, new if sums is None else jax.tree.map(jnp.add, sums, new)

    def _apply(
        self, weights: Any, state: Any, auxiliary: Any, sums: Any, share: Any
    ) -> Any:
        """Clips one copy's gradients and applies them; see `step`."""
        gradients, told = sums
        gradients = [share * g for g in gradients]
        norm = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients))
        limit = self.training.clip_norm or jnp.inf
        scale = jnp.minimum(norm, limit) / jnp.maximum(norm, 1e-12)
        finite = jnp.isfinite(norm)
        gradients = [jnp.where(finite, scale * g, 0.0) for g in gradients]
        loss, more = share * told["loss"], share * told["auxiliary"]
        iterations = [x is self.optimizer.iterations for x in self.optimizer.variables]
        rate = self.rate(state[iterations.index(True)])
        auxiliary = observed(auxiliary, loss, more, rate)
        weights, state = self.optimizer.stateless_apply(state, gradients, weights)
        right = told["right"] / told["examples"]
        return weights, state, auxiliary, jnp.stack([loss, right, norm])


def answered(network: keras.Model) -> Callable[..., jax.Array]:
    """What a model answers with given weights: of weights, source and size."""

    def answer(weights: Sequence[jax.Array], source: Any, size: Any) -> jax.Array:
        pairs = list(zip(network.trainable_variables, weights, strict=True))
        with keras.StatelessScope(pairs):
            return jnp.argmax(network.solve(source, size), -1)

    return answer


def stacked(copies: Sequence[Sequence[Any]]) -> list[jax.Array]:
    """Variables of each copy as arrays [copies, …]."""
    return [
        jnp.stack([jnp.asarray(x.value) for x in same])
        for same in zip(*copies, strict=True)
    ]


def observed(auxiliary: Any, loss: Any, more: Any, rate: Any) -> Any:
    """`AuxiliaryWeight.observe`: its weight, the two sums and the steps, [4]."""
    weight, *sums = auxiliary
    loss, more, steps = sums[0] + loss, sums[1] + more, sums[2] + 1.0
    due = steps >= AUXILIARY_STEPS
    new = jnp.minimum(1.0, rate * loss / jnp.maximum(more, 1e-30))
    kept = jnp.where(due, 0.0, 1.0)
    return jnp.stack(
        [jnp.where(due, new, weight), kept * loss, kept * more, kept * steps]
    )
