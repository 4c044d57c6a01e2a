"""Recurrent layers that read a memory at every step, with a gradient by hand.

What can be done for all steps at once stands outside the loops: the products with the
vectors before, the gradients of the matrices and of the memory after.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import keras
from keras import ops
from keras.tree import map_structure

from neural_gpu_tf.layers.attentive_tensors import AttentiveTensors
from neural_gpu_tf.layers.cell_steps import CellSteps
from neural_gpu_tf.layers.loops import own_gradient, record_loop, stack
from neural_gpu_tf.layers.memory_reader import MemoryReader
from neural_gpu_tf.layers.operations import transposed_product
from neural_gpu_tf.types import Tensor

Body = Callable[[Tensor, Any, Any], tuple[Any, Any]]


class _Kept(NamedTuple):
    """What is kept of the forward steps."""

    weights: Any  # α_t
    matched: Any  # what the scores are made of
    inputs: list[Any]  # of each cell but the lowest
    residuals: list[list[Any]]  # of each cell


class _Found(NamedTuple):
    """What is found in the backward steps."""

    context: Any  # ∂L/∂c_t
    scores: Any  # ∂L/∂e_t
    asked: Any
    given: list[list[Any]]  # of each cell, by the parts of a


class AttentiveLoop:
    """The steps s_t, c_t, α_t of `RecurrentDecoder` and their gradient.

    Args:
        steps: of the cells, which are all of one kind.
        reader: what reads the memory.
        mask: bool [batch, r], which rows exist.
        drops: what each cell's input is multiplied by, of the lowest c alone, each
            [n, batch, …]; empty if nothing is dropped.
        training: whether the gradient is that by hand; without, nothing is kept for
            it, and it is the backend's own.
    """

    def __init__(
        self,
        steps: CellSteps,
        reader: MemoryReader,
        mask: Tensor,
        drops: Sequence[Tensor] = (),
        training: bool = True,
    ):
        self.steps = steps
        self.reader = reader
        self.mask = mask
        self.drops = list(drops)
        self.training = training

    def __call__(self, tensors: AttentiveTensors) -> tuple[Tensor, Tensor, Tensor]:
        """Of all steps the top cell's h, c and α, each [n, batch, …]."""
        if not self.training:
            outputs, contexts, kept = self._forward(tensors)
            return outputs, contexts, stack(kept.weights)

        def run(*flat: Tensor) -> tuple[Any, Any]:
            given = keras.tree.pack_sequence_as(tensors, list(flat))
            outputs, contexts, kept = self._forward(given)
            told = outputs, contexts, stack(kept.weights)

            def gradient(*upstream: Tensor) -> tuple[Tensor, ...]:
                gradients = self._backward(given, contexts, kept, upstream)
                return tuple(keras.tree.flatten(gradients))

            return told, gradient

        return own_gradient(run)(*keras.tree.flatten(tensors))

    def _forward(self, tensors: AttentiveTensors) -> tuple[Tensor, Tensor, _Kept]:
        """h and c of all steps, and the records of what is kept."""
        cells, h = len(tensors.start), tensors.start[0][0]

        def like(size: Any, dtype: Any = h.dtype) -> keras.KerasTensor:
            return keras.KerasTensor((h.shape[0], size), dtype)

        asked = like(tensors.reading[0].shape[-1])
        kept = self._needed(
            _Kept(
                like(tensors.rows.shape[1], self.reader.weight_dtype),
                self.reader.like_matched(asked, tensors.keys),
                [h] * (cells - 1),
                [[h] * self.steps.residuals] * cells,
            )
        )
        _, (outputs, contexts, kept) = record_loop(
            self._forward_body(tensors),
            tensors.start,
            ops.shape(tensors.given[0])[0],
            (h, like(tensors.rows.shape[-1]), kept),
            (tensors.given, self.drops),
        )
        return stack(outputs), stack(contexts), kept

    def _needed(self, kept: _Kept) -> _Kept:
        """All of it, or what is asked for without a gradient by hand."""
        return kept if self.training else _Kept(kept.weights, (), [], [])

    def _forward_body(self, tensors: AttentiveTensors) -> Body:
        query, *others = tensors.reading

        def body(t: Tensor, states: list, now: tuple) -> tuple[list, tuple]:
            given, drops = now
            asked = ops.matmul(states[-1][0], query)
            matched = self.reader.match(asked, tensors.keys)
            scores = self.reader.scores(matched, tensors.keys, others)
            weights = self.reader.normalize(scores, self.mask)
            context = self.reader.weighted(weights, tensors.rows)
            x = context * drops[0] if drops else context
            pairs = zip(given, tensors.context, strict=True)
            given = [a + ops.matmul(x, w) for a, w in pairs]
            inputs, residuals = [], []
            for i, state in enumerate(states):
                if i:
                    x = x * drops[i] if drops else x
                    pairs = zip(
                        tensors.kernels[i - 1], tensors.biases[i - 1], strict=True
                    )
                    given = [ops.matmul(x, w) + b for w, b in pairs]
                    inputs.append(x)
                states[i], residual = self.steps.forward(
                    tensors.recurrent[i], given, tuple(state)
                )
                residuals.append(residual)
                x = states[i][0]
            kept = self._needed(_Kept(weights, matched, inputs, residuals))
            return states, (x, context, kept)

        return body

    def _backward(
        self,
        tensors: AttentiveTensors,
        contexts: Tensor,
        kept: _Kept,
        upstream: Sequence[Tensor],
    ) -> AttentiveTensors:
        """The gradients, in the order of the tensors."""
        nothing = map_structure(ops.zeros_like, tensors.start)
        (by_start, sums), found = record_loop(
            self._backward_body(tensors),
            (nothing, self.reader.no_sums(tensors.keys)),
            ops.shape(contexts)[0],
            self._found_like(tensors),
            (upstream, self.drops, kept),
            reverse=True,
        )
        found, kept = stack((found, kept))
        by_keys, by_others = self.reader.sums_backward(
            kept.matched, tensors.reading[1:], found.scores, sums
        )
        weights = ops.cast(ops.transpose(kept.weights, (1, 2, 0)), contexts.dtype)
        read = contexts * self.drops[0] if self.drops else contexts
        upper = list(zip(kept.inputs, found.given[1:], strict=True))
        return AttentiveTensors(
            given=found.given[0],
            start=by_start,
            rows=ops.matmul(weights, ops.swapaxes(found.context, 0, 1)),
            keys=by_keys,
            reading=[
                transposed_product(kept.residuals[-1][0], found.asked),
                *by_others,
            ],
            context=[transposed_product(read, x) for x in found.given[0]],
            recurrent=[
                self.steps.by_recurrent(*pair)
                for pair in zip(kept.residuals, found.given, strict=True)
            ],
            kernels=[[transposed_product(x, y) for y in by] for x, by in upper],
            biases=[[ops.sum(y, axis=(0, 1)) for y in by] for _, by in upper],
        )

    def _found_like(self, tensors: AttentiveTensors) -> _Found:
        batch, dtype = tensors.rows.shape[0], tensors.rows.dtype

        def like(size: Any, dtype: Any = dtype) -> keras.KerasTensor:
            return keras.KerasTensor((batch, size), dtype)

        parts = [like(x.shape[-1]) for x in tensors.context]
        return _Found(
            like(tensors.rows.shape[-1]),
            like(tensors.rows.shape[1]),
            like(tensors.reading[0].shape[-1]),
            [parts] * len(tensors.start),
        )

    def _backward_body(self, tensors: AttentiveTensors) -> Body:
        query, *others = tensors.reading
        recurrent, kernels, query = map_structure(
            ops.transpose,
            [tensors.recurrent, [tensors.context, *tensors.kernels], query],
        )

        def body(t: Tensor, carry: tuple, now: tuple) -> tuple[tuple, _Found]:
            by_states, sums = carry
            (by_output, by_context, by_weights), dropped, kept = now
            weights, matched, _, residuals = kept
            by_x = by_output
            by_given: list[list[Tensor]] = []
            for i in reversed(range(len(by_states))):
                by_states[i][0] = by_states[i][0] + by_x
                parts, by_states[i] = self.steps.backward(
                    recurrent[i], residuals[i], tuple(by_states[i])
                )
                by_given.insert(0, parts)
                pairs = zip(parts, kernels[i], strict=True)
                by_x = functools.reduce(ops.add, (ops.matmul(y, w) for y, w in pairs))
                by_x = by_x * dropped[i] if dropped else by_x
            by_context = by_context + by_x
            by_weights = by_weights + ops.cast(
                self.reader.weighted_backward(by_context, tensors.rows),
                by_weights.dtype,
            )
            by_scores = ops.cast(
                self.reader.normalize_backward(weights, by_weights), by_context.dtype
            )
            by_asked, sums = self.reader.scores_backward(
                matched, tensors.keys, others, by_scores, sums
            )
            h, *c = by_states[-1]
            by_states[-1] = [h + ops.matmul(by_asked, query), *c]
            found = _Found(by_context, by_scores, by_asked, by_given)
            return (by_states, sums), found

        return body
