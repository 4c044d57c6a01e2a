"""Prediction of the canvas sizes that are worth decoding on."""

from typing import Protocol

from keras import ops

from neural_gpu_tf.decoding.packs import in_packs
from neural_gpu_tf.types import Tensor


class Encodes(Protocol):
    """Protocol of a model whose encoder makes a canvas."""

    def encode(self, source: Tensor, size: Tensor) -> Tensor:
        """s_n: source [h, n] symbols, size n_b [h] → canvas [h, n, w, m]."""


class Readout(Protocol):
    """Protocol of a model of log p(n - |source|), like `models.SizeReadout`."""

    features: int
    choices: int

    def __call__(self, inputs: dict[str, Tensor]) -> Tensor:
        """features [batch, features] and length [batch] → log p [batch, choices]."""


class SizePredictor:
    """Predicts how likely each canvas size gives the best output.

        log p(n | source) = readout(h, |source|)[n - |source|]
        h                 = concat(s[0], 1/|source| Σ_k s[k]),  s = s_{|source|}

    where s is the encoder's canvas of the smallest size there is, |source| columns,
    after as many steps, and s[k] its whole column k. (In its first column alone,
    where the first symbol of the output will stand, is little more than the length.)

    It is fitted to the share that a size's output has of the probability of the outputs
    on all sizes (`compare_sizes`), so that the likeliest of few sizes give what all of
    them would.

    What comes out for a source does not depend on the batch. Sources are encoded in
    packs of about `cells` columns (`in_packs`), for TensorFlow only.

    Args:
        model: with a canvas.
        readout: fitted to this model's encoder.
    """

    def __init__(self, model: Encodes, readout: Readout):
        self.model = model
        self.readout = readout

    def __call__(self, source: Tensor, length: Tensor, cells: int | None) -> Tensor:
        """log p of |source|, |source| + 1, …: float32 [batch, choices].

        Args:
            source: symbols [batch, n], PAD behind the source.
            length: |source|, int [batch].
            cells: columns that are encoded at a time, at most, unless one has more;
                None: all.
        """
        length = ops.cast(length, "int32")
        h = self.features(source, length, cells)
        return self.readout({"features": h, "length": length})

    def features(self, source: Tensor, length: Tensor, cells: int | None) -> Tensor:
        """h, float32 [batch, 2wm]; 0 for an empty source."""

        def of_pack(which: Tensor, size: Tensor, widest: Tensor) -> tuple[Tensor]:
            rows = ops.take(source, which, axis=0)[:, :widest]
            canvas = ops.cast(self.model.encode(rows, size), "float32")
            wide = (*ops.shape(rows), canvas.shape[2] * canvas.shape[3])
            columns = ops.reshape(canvas, wide)
            mean = ops.sum(columns, axis=1) / ops.cast(size, "float32")[:, None]
            return (ops.concatenate([columns[:, 0], mean], axis=-1),)

        length = ops.cast(length, "int32")
        shape = ops.shape(length)[0], self.readout.features
        nothing = ops.zeros(shape, dtype="float32")
        return in_packs(of_pack, length, cells, [nothing])[0]
