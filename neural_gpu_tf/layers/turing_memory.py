"""Memory operations of the Neural Turing Machine, equations 1 to 9 of its paper.

Graves, Wayne & Danihelka (2014), "Neural Turing Machines", §3. The memory M is
[batch, N, M]: N rows (locations) of M numbers. A weighting w is [batch, heads, N]: how
much of each row a head reads or writes,

    Σ_i w_t(i) = 1,   0 ≤ w_t(i) ≤ 1                         (1)

All of it holds for any number of heads, each of which has its own parameters. `d_x`
stands for dL/dx. The gradients are written by hand: a step is many small operations,
mostly overhead, and the backend's own take 12 to 17% longer (a whole training step on
one core, batches of 32 and of 1).
"""

from typing import NamedTuple

from keras import ops

from neural_gpu_tf.layers.operations import softmax
from neural_gpu_tf.types import Tensor

_LEAST_LENGTH = 1e-8  # under the root: the cosine of a row of zeros is 0
_LEAST_WEIGHT = 1e-20  # before the logarithm: 0 stays next to 0 for every γ ≥ 1


class Addressing(NamedTuple):
    """Parameters of a head's addressing; [batch, heads, …] each (§3.3)."""

    key: Tensor  # [.., M]: k_t
    strength: Tensor  # [.., 1]: β_t > 0
    gate: Tensor  # [.., 1]: g_t in (0, 1)
    shifts: Tensor  # [.., 2r + 1]: s_t(-r) … s_t(r), which sum to 1
    sharpness: Tensor  # [.., 1]: γ_t ≥ 1


def read(memory: Tensor, weighting: Tensor) -> Tensor:
    """The read vectors.

        r_t = Σ_i w_t(i) M_t(i)                              (2)

    Args:
        memory: M_t, [batch, N, M].
        weighting: w_t, [batch, heads, N].

    Returns:
        [batch, heads, M].
    """
    return ops.matmul(weighting, memory)


def read_gradient(
    memory: Tensor, weighting: Tensor, d_reads: Tensor
) -> tuple[Tensor, Tensor]:
    """d_M_t and d_w_t."""
    return _outer(weighting, d_reads), _matched(d_reads, memory)


def write(memory: Tensor, weighting: Tensor, erase: Tensor, add: Tensor) -> Tensor:
    """The memory after all heads have erased and then added.

        M̃_t(i) = M_{t-1}(i) [1 - w_t(i) e_t]                 (3)
        M_t(i) = M̃_t(i) + w_t(i) a_t                         (4)

    Several heads erase one after the other, and add one after the other; the order does
    not matter.

    Args:
        memory: M_{t-1}, [batch, N, M].
        weighting: w_t, [batch, heads, N].
        erase: e_t, [batch, heads, M], in (0, 1).
        add: a_t, [batch, heads, M].

    Returns:
        M_t, [batch, N, M].
    """
    for kept in kept_by_each(weighting, erase):
        memory = memory * kept
    return memory + _outer(weighting, add)


def write_gradient(
    memory: Tensor, weighting: Tensor, erase: Tensor, add: Tensor, d_after: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """d_M_{t-1}, d_w_t, d_e_t and d_a_t from d_M_t."""
    kept = kept_by_each(weighting, erase)
    d_add = read(d_after, weighting)
    d_weighting = _matched(add, d_after)
    d_erase, erased = [], []
    for h, one in enumerate(_heads(weighting)):
        d_kept = d_after * memory
        for other in kept[:h] + kept[h + 1 :]:
            d_kept = d_kept * other
        d_erase.append(-read(d_kept, one))
        erased.append(_matched(_heads(erase)[h], d_kept))
    for other in kept:
        d_after = d_after * other
    return d_after, d_weighting - _joined(erased), _joined(d_erase), d_add


def address(memory: Tensor, before: Tensor, parameters: Addressing) -> list[Tensor]:
    """Where each head goes, from where it was: equations 5 to 9, one after the other.

    Args:
        memory: [batch, N, M].
        before: w_{t-1}, [batch, heads, N].
        parameters: of this step.

    Returns:
        K, w^c_t, w^g_t, w̃_t and w_t, [batch, heads, N] each.
    """
    key, strength, gate, shifts, sharpness = parameters
    similarity = cosine(key, memory)
    content = by_content(similarity, strength)
    gated = interpolate(content, before, gate)
    shifted = shift(gated, shifts)
    return [similarity, content, gated, shifted, sharpen(shifted, sharpness)]


def address_gradient(
    memory: Tensor,
    before: Tensor,
    parameters: Addressing,
    steps: list[Tensor],
    d_weighting: Tensor,
) -> tuple[Tensor, Tensor, Addressing]:
    """d_M, d_w_{t-1} and those of the parameters from d_w_t.

    Args:
        steps: what `address` returned.
    """
    key, strength, gate, shifts, sharpness = parameters
    similarity, content, gated, shifted, weighting = steps
    # (9): a softmax of γ log w̃
    d_power = _softmax_gradient(weighting, d_weighting)
    shifted = shifted + _LEAST_WEIGHT
    d_sharpness = _sum(d_power * ops.log(shifted))
    d_shifted = d_power * sharpness / shifted
    # (8)
    back = _rolled(d_shifted, shifts.shape[-1], -1)
    d_shifts = ops.einsum("bhsn,bhn->bhs", back, gated)
    d_gated = ops.einsum("bhsn,bhs->bhn", back, shifts)
    # (7)
    d_gate = _sum(d_gated * (content - before))
    d_content = gate * d_gated
    # (5)
    d_scores = _softmax_gradient(content, d_content)
    d_strength = _sum(d_scores * similarity)
    d_similarity = d_scores * strength
    # (6): the length of a vector v has the gradient v/‖v‖
    of_key, of_rows = _inverse_lengths(key, memory)
    d_products = d_similarity * of_key * of_rows
    along = d_similarity * similarity
    d_key = read(memory, d_products) - key * ops.square(of_key) * _sum(along)
    along = ops.sum(along, axis=1, keepdims=True) * ops.square(of_rows)
    along = ops.swapaxes(along, 1, 2)
    d_memory = _outer(d_products, key) - memory * along
    d_parameters = Addressing(d_key, d_strength, d_gate, d_shifts, d_sharpness)
    return d_memory, d_gated - d_content, d_parameters


def by_content(similarity: Tensor, strength: Tensor) -> Tensor:
    """The weighting by content: how well each row matches a key.

        w^c_t(i) = exp(β_t K[k_t, M_t(i)]) / Σ_j exp(β_t K[k_t, M_t(j)])   (5)

    Args:
        similarity: K[k_t, M_t(i)], see `cosine`; [batch, heads, N].
        strength: β_t > 0, [batch, heads, 1].
    """
    return softmax(strength * similarity)


def cosine(key: Tensor, memory: Tensor) -> Tensor:
    """The cosine of each key and each row.

        K[u, v] = u·v / (‖u‖ ‖v‖)                            (6)

    A length is √(‖u‖² + ε), ε = 1e-8: a vector of zeros has cosine 0, and a gradient;
    one much shorter than 1e-4, like 20 numbers of 1e-6, has hardly more than 0.

    Args:
        key: u, [batch, heads, M].
        memory: v, [batch, N, M].

    Returns:
        [batch, heads, N].
    """
    of_key, of_rows = _inverse_lengths(key, memory)
    return _matched(key, memory) * of_key * of_rows


def interpolate(content: Tensor, before: Tensor, gate: Tensor) -> Tensor:
    """By content, or where the head was before.

        w^g_t = g_t w^c_t + (1 - g_t) w_{t-1}                (7)

    Args:
        content: w^c_t, [batch, heads, N].
        before: w_{t-1}, [batch, heads, N].
        gate: g_t in (0, 1), [batch, heads, 1].
    """
    return before + gate * (content - before)


def shift(weighting: Tensor, shifts: Tensor) -> Tensor:
    """Moves a weighting by each of the allowed shifts, and mixes.

        w̃_t(i) = Σ_j w^g_t(j) s_t(i - j),   indices modulo N (8)

    Args:
        weighting: w^g_t, [batch, heads, N].
        shifts: s_t(-r) … s_t(r); all others are 0; [batch, heads, 2r + 1].
    """
    moved = _rolled(weighting, shifts.shape[-1])
    return ops.einsum("bhsn,bhs->bhn", moved, shifts)


def sharpen(weighting: Tensor, sharpness: Tensor) -> Tensor:
    """Undoes the blur that shifting leaves.

        w_t(i) = w̃_t(i)^γ_t / Σ_j w̃_t(j)^γ_t                 (9)

    As a softmax of γ log w̃, which no γ makes 0/0.

    Args:
        weighting: w̃_t, [batch, heads, N].
        sharpness: γ_t ≥ 1, [batch, heads, 1].
    """
    return softmax(sharpness * ops.log(weighting + _LEAST_WEIGHT))


def kept_by_each(weighting: Tensor, erase: Tensor) -> list[Tensor]:
    """1 - w_t(i) e_t of each head, [batch, N, M]."""
    pairs = zip(_heads(weighting), _heads(erase), strict=True)
    return [1.0 - _outer(w, e) for w, e in pairs]


def _inverse_lengths(key: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
    """1/‖u‖ of the keys, [batch, heads, 1], and of the rows, [batch, 1, N]."""
    of_key = _sum(ops.square(key))
    ones = ops.ones_like(memory[0, 0])  # a product is quicker than a sum of rows
    of_rows = ops.einsum("bnm,m->bn", ops.square(memory), ones)[:, None, :]
    return ops.rsqrt(of_key + _LEAST_LENGTH), ops.rsqrt(of_rows + _LEAST_LENGTH)


def _softmax_gradient(softmax: Tensor, d_softmax: Tensor) -> Tensor:
    """dL/dx of softmax(x)."""
    product = softmax * d_softmax
    return product - softmax * _sum(product)


def _rolled(x: Tensor, shifts: int, direction: int = 1) -> Tensor:
    """x [batch, heads, N] moved by -r … r, or r … -r: [batch, heads, shifts, N]."""
    reach = direction * (shifts // 2)
    by = range(-reach, reach + direction, direction)
    return ops.stack([ops.roll(x, i, axis=-1) for i in by], axis=2)


def _outer(weighting: Tensor, vectors: Tensor) -> Tensor:
    """Σ_h w_h(i) v_h: [batch, heads, N], [batch, heads, M] → [batch, N, M]."""
    return ops.einsum("bhn,bhm->bnm", weighting, vectors)


def _matched(vectors: Tensor, memory: Tensor) -> Tensor:
    """v_h·M(i): [batch, heads, M], [batch, N, M] → [batch, heads, N]."""
    return ops.einsum("bhm,bnm->bhn", vectors, memory)


def _heads(x: Tensor) -> list[Tensor]:
    """[batch, heads, …] → [batch, 1, …] of each head."""
    return [x] if x.shape[1] == 1 else ops.split(x, x.shape[1], axis=1)


def _joined(heads: list[Tensor]) -> Tensor:
    """[batch, 1, …] of each head → [batch, heads, …]."""
    return heads[0] if len(heads) == 1 else ops.concatenate(heads, axis=1)


def _sum(x: Tensor) -> Tensor:
    """Over the last axis, which stays."""
    return ops.sum(x, axis=-1, keepdims=True)
