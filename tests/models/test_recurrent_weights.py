"""Weights files of the recurrent models stay readable: what stands where in them."""

import h5py
import pytest

from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq
from neural_gpu_tf.models.rnn_seq2seq import RNNSeq2Seq

ENCODER, DECODER = "layers/recurrent_encoder", "layers/recurrent_decoder"


def cell(where, *shapes):
    """W, U and b."""
    return {f"{where}/vars/{i}": shape for i, shape in enumerate(shapes)}


COMMON = {
    "layers/embedding/vars/0": (7, 2),
    "layers/embedding_1/vars/0": (7, 2),
    "layers/dense/vars/0": (2, 7),
    f"{DECODER}/maxout/vars/1": (4,),
}
ATTENTION = COMMON | {
    **cell(f"{ENCODER}/forward_rnns/rnn/cell", (2, 9), (3, 9), (9,)),
    **cell(f"{ENCODER}/forward_rnns/rnn_1/cell", (6, 9), (3, 9), (9,)),
    **cell(f"{ENCODER}/backward_rnns/rnn/cell", (2, 9), (3, 9), (9,)),
    **cell(f"{ENCODER}/backward_rnns/rnn_1/cell", (6, 9), (3, 9), (9,)),
    **cell(f"{ENCODER}/bridges/dense", (6, 3), (3,)),
    **cell(f"{ENCODER}/bridges/dense_1", (6, 3), (3,)),
    **cell(f"{DECODER}/cells/gru_cell", (8, 9), (3, 9), (9,)),
    **cell(f"{DECODER}/cells/gru_cell_1", (3, 9), (3, 9), (9,)),
    **cell(f"{DECODER}/attention", (3, 3), (6, 3), (3, 1)),
    f"{DECODER}/maxout/vars/0": (11, 4),
}
LSTM = COMMON | {
    **cell(f"{ENCODER}/forward_rnns/rnn/cell", (2, 12), (3, 12), (12,)),
    **cell(f"{DECODER}/cells/lstm_cell", (2, 12), (3, 12), (12,)),
    f"{DECODER}/maxout/vars/0": (5, 4),
}
CASES = {
    "attention": (AttentionSeq2Seq, dict(layers=2, bidirectional=True), ATTENTION),
    "lstm": (RNNSeq2Seq, dict(layers=1, cell="lstm"), LSTM),
}


@pytest.mark.parametrize("name", CASES)
def test_a_weights_file_has_these_arrays(name, tmp_path):
    cls, options, expected = CASES[name]
    model = cls(7, units=3, embedding_size=2, **options)
    model.before_readout()
    model.save_weights(tmp_path / "it.weights.h5")
    found = {}

    def note(where, what):
        if isinstance(what, h5py.Dataset) and "seed" not in where:
            found[where] = what.shape

    with h5py.File(tmp_path / "it.weights.h5") as file:
        file.visititems(note)
    assert found == expected
