"""The score by which a beam search ranks outputs."""

from typing import Any, NamedTuple

from keras import ops

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.types import Tensor

_UNSEEN = 1e-10  # least attention of a source symbol, whose logarithm is finite


class Score(NamedTuple):
    """s(y), what a beam search ranks outputs by.

        s(y)   = log p(y) / lp(y) + cp(y)
        lp(y)  = ((5 + |y|) / 6)^α
        cp(y)  = β Σ_i log min(Σ_j p_ij, 1)

    where |y| counts EOS, and p_ij is the weight that source symbol i has in the
    attention of step j (Wu et al. 2016, "Google's Neural Machine Translation System",
    eq. 14). With α = β = 0 the score is the log-probability, as `greedy` defines it.
    """

    source: Tensor  # [h, n]
    length_penalty: float  # α
    coverage_penalty: float  # β

    def __call__(self, log_p: Tensor, length: Tensor, coverage: Any) -> Tensor:
        """s(y), [h, k]: log p [h, k], |y| that broadcasts to it, Σ_j p_ij [h, k, n]."""
        value = log_p / length_divisor(length, self.length_penalty)
        if self.coverage_penalty:
            seen = ops.log(ops.clip(coverage, _UNSEEN, 1.0))
            seen = ops.where(ops.expand_dims(self.source != PAD, 1), seen, 0.0)
            value = value + self.coverage_penalty * ops.sum(seen, axis=-1)
        return value


def length_divisor(length: Tensor, alpha: float) -> Tensor | float:
    """lp = ((5 + |y|) / 6)^α, float32 of the length's shape; 1 if α = 0."""
    if not alpha:
        return 1.0
    return ops.power((5.0 + ops.cast(length, "float32")) / 6.0, alpha)
