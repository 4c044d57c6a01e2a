import numpy as np
import oracles

from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq

SOURCE = np.array([[3, 0, 5, 6], [2, 4, 0, 0], [0, 0, 0, 0]], "int32")
TARGET = np.array([[4, 5, 3, 2], [6, 2, 0, 0], [2, 0, 0, 0]], "int32")
SIZES = np.array([4, 3, 1], "int32")


def test_the_state_carries_the_last_row_of_the_alignments():
    """So that a search can sum them."""
    model = oracles.randomize(
        AttentionSeq2Seq(7, units=3, embedding_size=2, bidirectional=True)
    )
    alignments = np.array(model.alignments(SOURCE, TARGET, SIZES))
    exists = (SOURCE != 0) & (np.arange(4) < SIZES[:, None])
    inside = np.arange(4) < SIZES[:, None]
    np.testing.assert_allclose(
        alignments.sum(axis=2), inside * exists.any(axis=1)[:, None], atol=1e-6
    )
    assert (alignments[~np.broadcast_to(exists[:, None], (3, 4, 4))] == 0).all()
    state = model.start(SOURCE, SIZES)
    assert state.attention.shape == (3, 4) and not np.any(state.attention)
    for t in range(4):
        state, _ = model.step(state, TARGET[:, t - 1], t)
        for b, n in enumerate(SIZES):
            if t < n:
                np.testing.assert_allclose(
                    state.attention[b], alignments[b, t], atol=1e-6
                )
