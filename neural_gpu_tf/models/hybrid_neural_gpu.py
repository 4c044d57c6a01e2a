"""The Extended Neural GPU with attention."""

import keras

from neural_gpu_tf.layers import AttentiveDecoder
from neural_gpu_tf.models.extended_neural_gpu import ExtendedNeuralGPU
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class HybridNeuralGPU(ExtendedNeuralGPU):
    """Active memory whose decoder also reads the encoder's canvas by attention.

        s_n      = the encoder's canvas after n steps   (`ActiveMemoryModel`)
        d_0      = s_n, p_0 = 0
        a_t, α_t = attention of d_t[t, 0] to s_n[k, 0]
        d_{t+1}  = CGRU^d(d_t, p_t with R a_t in column t)   (`AttentiveDecoder`)
        l_t      = O d_{t+1}[t, 0]
        p_{t+1}  = p_t with p_{t+1}[t, 0] = R a_t + E' o_t

    It is for a question that "Can Active Memory Replace Attention?" (Kaiser & Bengio
    2016) leaves open: whether both together are better than either alone.

    Args, inputs and output: as `GatedModel`.

    Example:
        >>> model = HybridNeuralGPU(vocabulary_size=32, maps=24)
        >>> symbols = keras.ops.ones((2, 5), "int32")
        >>> size = keras.ops.array([5, 3])
        >>> model.alignments(symbols, symbols, size).shape
        (2, 5, 5)
    """

    decoder_class = AttentiveDecoder
    attends = True
    aligns = True

    def alignments(self, source: Tensor, target: Tensor, size: Tensor) -> Tensor:
        """Which columns of the encoder's canvas each symbol was made of: α.

        Column k of the canvas is where the source's symbol k entered it; the columns
        behind the source may be read too.

        Args:
            source: symbols [batch, n].
            target: symbols [batch, n], a gold target or the model's own output.
            size: n_b, [batch].

        Returns:
            [batch, n of the target, n of the canvas]; each row t < n_b sums to 1, the
            others are 0.
        """
        vectors = self.target_embedding(target)
        return self.decoder.alignments(self.encode(source, size), vectors, size)
