"""The recurrent encoder and decoder with attention."""

from typing import NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.recurrent_cells import Cells
from neural_gpu_tf.layers.recurrent_state import RecurrentState
from neural_gpu_tf.models.recurrent_model import RecurrentModel
from neural_gpu_tf.types import Tensor


class AttentionState(NamedTuple):
    """What is carried from step to step; every tensor leads with the batch."""

    decoder: RecurrentState
    attention: Tensor  # [batch, n]: α_t of the last step, 0 before the first


@keras.saving.register_keras_serializable("neural_gpu_tf")
class AttentionSeq2Seq(RecurrentModel):
    """Recurrent encoder and decoder with attention to the whole source at every step.

        h, s_0   = the encoder's annotations and last states   (`RecurrentEncoder`)
        c_t, α_t = additive attention of s^l_{t-1} to h        (`MemoryAttention`)
        s_t      = the decoder's, from s_{t-1}, E' o_{t-1} and c_t
        l_t      = O maxout(U_o s_t + V_o E' o_{t-1} + C_o c_t + b_o)

    (Bahdanau et al. 2014, "Neural Machine Translation by Jointly Learning to Align and
    Translate": with a bidirectional encoder and one GRU layer it is RNNsearch, up to
    what `RecurrentEncoder` and `RecurrentDecoder` list. Two GRU layers of 1,024 units
    with embeddings of 512 are the baseline of Kaiser & Bengio 2016, "Can Active Memory
    Replace Attention?", §3.)

    Args, inputs and output: as `RecurrentModel`.

    Example:
        >>> model = AttentionSeq2Seq(vocabulary_size=32, units=24, embedding_size=16)
        >>> symbols = keras.ops.ones((2, 5), "int32")
        >>> size = keras.ops.array([5, 3])
        >>> model.alignments(symbols, symbols, size).shape
        (2, 5, 5)
    """

    attention_score = "additive"
    attends = True
    aligns = True

    def start(self, source: Tensor, size: Tensor) -> AttentionState:
        """Encodes: source [batch, n] symbols, size [batch] → the decoder's state."""
        state = super().start(source, size)
        dtype = self.decoder.attention.weight_dtype
        return AttentionState(state, ops.zeros_like(state.memory.mask, dtype=dtype))

    def step(
        self,
        state: AttentionState,
        previous: Tensor,
        t: Tensor | int,
        cells: Cells | None = None,
    ) -> tuple[AttentionState, Tensor]:
        """As `RecurrentModel.step`."""
        decoder, weights, logits = self.advance(state.decoder, previous, t, cells)
        return AttentionState(decoder, weights), logits

    def alignments(self, source: Tensor, target: Tensor, size: Tensor) -> Tensor:
        """Which source symbols a target was made of: α.

        Args:
            source: symbols [batch, n].
            target: symbols [batch, n], a gold target or the model's own output.
            size: n_b, [batch].

        Returns:
            [batch, n of the target, n of the source]; each row t < n_b sums to 1 (to 0
            if the source is empty), the others are 0.
        """
        encoded = self.encode(self.parts(), source, size)
        return self.forced_weights(target, size, *encoded)
