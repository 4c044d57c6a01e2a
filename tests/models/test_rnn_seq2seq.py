import numpy as np
import oracles

from neural_gpu_tf.models.rnn_seq2seq import RNNSeq2Seq

SYMBOLS = np.array([[4, 5, 3, 2]], "int32")
SIZE = np.array([4], "int32")


def test_the_source_is_known_by_the_encoders_last_states_alone():
    model = oracles.randomize(RNNSeq2Seq(7, units=3, embedding_size=2))
    state = model.start(SYMBOLS, SIZE)
    assert state.memory == () and not hasattr(state, "attention")
    assert [[x.shape for x in cell] for cell in state.cells] == [[(1, 3)], [(1, 3)]]
    exists = model.source_mask(SYMBOLS, SIZE)
    _, first = model.encoder(model.source_embedding(SYMBOLS), exists)
    for cell, expected in zip(state.cells, first, strict=True):
        np.testing.assert_array_equal(cell[0], expected[0])
