import keras
import numpy as np
import oracles

from neural_gpu_tf.models.fixed_memory_seq2seq import FixedMemorySeq2Seq

TARGET = np.array([[4, 5, 3, 2, 6, 4, 4, 5, 6]], "int32")
SIZE = np.array([9], "int32")


def new_model(**kwargs):
    model = FixedMemorySeq2Seq(7, units=3, embedding_size=2, contexts=4, **kwargs)
    return oracles.randomize(model)


def test_the_decoder_never_touches_the_sources_states():
    """Nothing in its state is as long as the source."""
    state = new_model().start(TARGET, SIZE)
    shapes = [x.shape for x in keras.tree.flatten(state)]
    assert state.memory.rows.shape == (1, 4, 3)
    assert not any(9 in shape for shape in shapes)


def test_alignments_are_how_the_contexts_read_are_made_of_annotations():
    model = new_model(position_encoding=True)
    alignments = model.alignments(TARGET, TARGET, SIZE)
    exists = model.source_mask(TARGET, SIZE)
    annotations, first = model.encoder(model.source_embedding(TARGET), exists)
    state = model.decoder.start(first, model.fixed_memory(annotations, exists), SIZE)
    vectors = model.target_embedding(np.array([[1, *TARGET[0, :-1]]]))
    contexts = model.decoder.run(vectors, state).context
    np.testing.assert_allclose(np.matmul(alignments, annotations), contexts, atol=1e-5)


def test_position_encoding_matters():
    inputs = dict(source=TARGET, target=TARGET, size=SIZE)
    with_, without = (new_model(position_encoding=x)(inputs) for x in (True, False))
    assert np.abs(with_ - without).max() > 1e-3
