"""One step of training, on every replica."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from neural_gpu_tf.data import BATCH_SPEC, Batch
from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.training.autoclip import AutoClip
from neural_gpu_tf.training.auxiliary_weight import AuxiliaryWeight
from neural_gpu_tf.training.batch_loss import BatchLoss
from neural_gpu_tf.training.gradient_noise import noise_deviation, with_noise
from neural_gpu_tf.training.relaxation_pull import RelaxationPull
from neural_gpu_tf.training.seeds import is_seed
from neural_gpu_tf.training.shares import local_replicas

_BETWEEN_BUCKETS = 1_500_000_007
"""What the first numbers of two buckets' seeds differ by."""


class StepResult(NamedTuple):
    """What a step reports; scalars over all replicas."""

    loss: tf.Tensor  # summed over symbols, float32
    symbols: tf.Tensor  # float32
    gradient_norm: tf.Tensor  # before clipping, float32
    right: tf.Tensor  # examples with every symbol right (teacher-forced), float32
    examples: tf.Tensor  # float32


class _Graphs(NamedTuple):
    """Graph functions of a step, at one rate of dropout."""

    step: Any
    on_replica: Callable[..., StepResult]


def _on_own_replicas(
    specs: dict[str, tf.TensorSpec], strategy: tf.distribute.Strategy
) -> dict[str, tf.TypeSpec]:
    """The specs of batches of which each replica here has one of these."""
    count = len(local_replicas(strategy))
    if count == 1:
        return specs
    # The type is not public, but that of a value is.
    values = strategy.experimental_distribute_values_from_function(
        lambda _: tf.zeros([])
    )
    per_replica = type(tf.type_spec_from_value(values))
    return {name: per_replica(*[spec] * count) for name, spec in specs.items()}


class TrainStep:
    """Loss, gradient, clipping and update; call it with a distributed batch.

    The loss of a symbol has the same weight wherever it stands: it is divided by the
    symbols of the whole batch. What the model's layers add as losses is weighed by
    `AuxiliaryWeight`. Gradients are summed over the replicas, what draws sets of
    weights together is added (`RelaxationPull`), then they are clipped:
    min(1, c/‖g‖) g, c being `clip_norm` and, if given, `autoclip` times the usual
    norm (`AutoClip`). A gradient that is not finite is replaced by 0, so no weight
    becomes NaN, and the caller sees it in `gradient_norm`.

    Args:
        model: made under `strategy.scope()`.
        optimizer: the same.
        config: the training options.
        strategy: tells the replicas.
        compiled: compile with XLA, once for each shape of batch, if there is one
            replica; for GPUs. On a CPU XLA's convolutions are slow, and one trace
            serves every shape.
        blanks_count: PAD within the canvas is a symbol like any other, as in the
            algorithmic tasks.
        buckets: how many batches a step takes; with more than 1 it is called with a
            tuple of them, and the loss is the mean of theirs, a mean over symbols each.
        parts: how many parts of a replica's batch, or how many buckets, to compute side
            by side. On a CPU a part a core, every operation on one thread, is up to
            twice as fast as all cores on one small operation after another (see
            `use_cores`).
    """

    def __init__(
        self,
        model: keras.Model,
        optimizer: keras.optimizers.Optimizer,
        config: TrainingConfig,
        strategy: tf.distribute.Strategy,
        compiled: bool = False,
        blanks_count: bool = False,
        buckets: int = 1,
        parts: int = 1,
    ):
        self.model = model
        self.optimizer = optimizer
        self.config = config
        self.strategy = strategy
        self.buckets = buckets
        # Keras would sum over the replicas what is summed before it is clipped.
        optimizer._all_reduce_sum_gradients = list
        self.compiled = compiled and strategy.num_replicas_in_sync == 1
        self.side_by_side = parts
        parts = parts if buckets == 1 else 1
        # Of several GPUs too the logits are made whole: the other way is untried there.
        self.loss = BatchLoss(
            model, config.label_smoothing, blanks_count, parts, compiled
        )
        with strategy.scope():
            self.auxiliary_weight = AuxiliaryWeight()
            self.autoclip = AutoClip()
            self.pull = RelaxationPull(model, config.relaxation_pull)
        self.weights = [v.value for v in model.trainable_variables]
        layers = [layer for layer in model.layers if hasattr(layer, "dropout")]
        self._own_rates = sorted({layer.dropout for layer in layers})
        self._graphs: dict[tuple[float, ...], _Graphs] = {}
        self.use_dropout(None)

    def _make_graphs(self) -> _Graphs:
        """The graph functions, not yet traced."""
        strategy, buckets = self.strategy, self.buckets
        # A signature without sizes: one trace serves every bucket. Where what is traced
        # depends on the batches before, a resumed run can differ in the last bit.
        batch = _on_own_replicas(BATCH_SPEC, strategy)
        spec = batch if buckets == 1 else (batch,) * buckets
        step = tf.function(
            self._on_replicas,
            input_signature=None if self.compiled else [spec],
            autograph=False,
        )
        on_replica = (
            tf.function(self._replica_step, jit_compile=True, autograph=False)
            if self.compiled
            else self._replica_step
        )
        return _Graphs(step, on_replica)

    def __call__(self, batch: Batch | tuple[Batch, ...]) -> StepResult:
        return self._now.step(batch)

    def use_dropout(self, rate: float | None) -> None:
        """Trains with at most so much dropout from here on; None: the model's own.

        A graph is traced for each rate, once: TensorFlow never frees one.
        """
        own = self._own_rates  # what they come to decides
        rates = tuple(own if rate is None else (min(one, rate) for one in own))
        if rates not in self._graphs:
            self._graphs[rates] = self._make_graphs()
        self._dropout, self._now = rate, self._graphs[rates]

    def concrete(
        self, batch: Batch | tuple[Batch, ...]
    ) -> tf.types.experimental.ConcreteFunction:
        """The traced step, for its graph."""
        return self._now.step.get_concrete_function(batch)

    @property
    def traces(self) -> int:
        """How many times the step was traced."""
        steps = [graphs.step for graphs in self._graphs.values()]
        return sum(step.experimental_get_tracing_count() for step in steps)

    def _on_replicas(self, batch: Batch | tuple[Batch, ...]) -> StepResult:
        results = self.strategy.run(self._now.on_replica, args=(batch,))
        # Every replica has the same sums.
        return StepResult(
            *(self.strategy.experimental_local_results(x)[0] for x in results)
        )

    def _replica_step(self, batch: Batch | tuple[Batch, ...]) -> StepResult:
        config = self.config
        context = tf.distribute.get_replica_context()
        sum_over_replicas = tf.distribute.ReduceOp.SUM
        buckets = batch if isinstance(batch, tuple) else (batch,)
        examples = sum(tf.shape(bucket["target"])[0] for bucket in buckets)
        counted = [tf.cast(self.loss.counted(b), tf.float32) for b in buckets]
        counts = [tf.reduce_sum(one) for one in counted]
        counts = context.all_reduce(sum_over_replicas, counts)
        one_by_one = self.compiled or len(buckets) == 1
        sums = (self._one_by_one if one_by_one else self._in_a_loop)(buckets, counts)
        loss, mean, auxiliary, right, *gradients = sums
        right, examples, loss, mean, auxiliary, *gradients = context.all_reduce(
            sum_over_replicas,
            [
                right,
                tf.cast(examples, tf.float32),
                loss,
                mean,
                auxiliary,
                *gradients,
            ],
        )
        symbols = tf.add_n(counts)
        gradients = self.pull.add_gradients(gradients, self.weights)
        norm = tf.linalg.global_norm(gradients)
        finite = tf.math.is_finite(norm)
        clipped = tf.minimum(norm, config.clip_norm) if config.clip_norm else norm
        if config.autoclip:
            clipped = self.autoclip.clip(clipped, config.autoclip)
        scale = tf.where(finite, clipped / tf.maximum(norm, 1e-12), 0.0)
        gradients = [tf.math.multiply_no_nan(g, scale) for g in gradients]
        if config.gradient_noise:
            t = tf.cast(self.optimizer.iterations, tf.int64)
            deviation = noise_deviation(
                config.gradient_noise, t, 1.0 - right / examples
            )
            gradients = with_noise(gradients, deviation, t, config.training_seed)
        self.auxiliary_weight.observe(
            mean, auxiliary, tf.convert_to_tensor(self.optimizer.learning_rate)
        )
        self.optimizer.apply_gradients(
            zip(gradients, self.model.trainable_variables, strict=True)
        )
        return StepResult(loss, symbols, norm, right, examples)

    def _one_by_one(
        self, buckets: Sequence[Batch], counts: Sequence[tf.Tensor]
    ) -> list[tf.Tensor]:
        """The sums of what `_bucket_gradients` returns, over the buckets."""
        pairs = zip(buckets, counts, strict=True)
        results = [self._bucket_gradients(bucket, count) for bucket, count in pairs]
        return [tf.add_n(one) for one in zip(*results, strict=True)]

    def _in_a_loop(
        self, buckets: Sequence[Batch], counts: Sequence[tf.Tensor]
    ) -> list[tf.Tensor]:
        """The same, of a graph as large as that of one bucket.

        The last bucket, the longest, is begun first, and as many as `parts` are made
        side by side; they are added in order. So none may wait for what another
        changes: each has the seeds of the step, and its own place among them.
        """
        arrays = {
            name: tf.TensorArray(
                spec.dtype, len(buckets), element_shape=spec.shape, infer_shape=False
            )
            for name, spec in BATCH_SPEC.items()
        }
        for j, bucket in enumerate(reversed(buckets)):
            arrays = {name: a.write(j, bucket[name]) for name, a in arrays.items()}
        counts = tf.stack(counts[::-1])
        kept = self.model.non_trainable_variables  # the seeds among them
        start = [tf.convert_to_tensor(variable.value) for variable in kept]

        def moved(values: list, j: tf.Tensor, sign: int) -> list[tf.Tensor]:
            """The values, but the first number of seeds moved to a bucket's place."""
            place = tf.stack([sign * _BETWEEN_BUCKETS * tf.cast(j, tf.int64), 0])
            return [
                value + tf.cast(place, value.dtype) if is_seed(variable) else value
                for value, variable in zip(values, kept, strict=True)
            ]

        def add(j: tf.Tensor, sums: list, _: list) -> tuple[tf.Tensor, list, list]:
            bucket = {name: a.read(j) for name, a in arrays.items()}
            mapping = list(zip(kept, moved(start, j, 1), strict=True))
            with keras.StatelessScope(mapping, collect_losses=True) as scope:
                added = self._bucket_gradients(bucket, counts[j])
            ends = moved([scope.get_current_value(x) for x in kept], j, -1)
            # A gradient may have forgotten its shape, which the loop would not take.
            pairs = zip(sums, added, strict=True)
            return j + 1, [a + tf.ensure_shape(b, a.shape) for a, b in pairs], ends

        zeros = [tf.zeros([]) for _ in range(4)]
        zeros += [tf.zeros(x.shape, x.dtype) for x in self.weights]
        _, sums, ends = tf.while_loop(
            lambda j, *_: j < len(buckets),
            add,
            (tf.constant(0), zeros, start),
            parallel_iterations=self.side_by_side,
            maximum_iterations=len(buckets),
        )
        for variable, end in zip(kept, ends, strict=True):
            variable.assign(end)
        return sums

    def _bucket_gradients(self, batch: Batch, count: tf.Tensor) -> list[tf.Tensor]:
        """What a bucket adds to the gradients and to the sums.

        Args:
            batch: the bucket.
            count: its symbols, over all replicas.

        Returns:
            The loss summed over symbols; what it adds to the mean loss and to the mean
            auxiliary loss; wholly right examples; the gradients.
        """
        with tf.GradientTape() as tape:
            loss, auxiliary, right = self.loss(batch, self._dropout)
            mean = loss / tf.maximum(count, 1.0) / self.buckets
            replicas = self.strategy.num_replicas_in_sync
            auxiliary = auxiliary / (self.buckets * replicas)
            total = mean + self.auxiliary_weight.value * auxiliary
        # A model of one's own may have weights that the loss does not depend on.
        none = tf.UnconnectedGradients.ZERO
        gradients = tape.gradient(total, self.weights, unconnected_gradients=none)
        # An embedding's gradient has repeated rows: its norm is that of their sums.
        gradients = [tf.convert_to_tensor(g) for g in gradients]
        return [loss, mean, auxiliary, right, *gradients]
