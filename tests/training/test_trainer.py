"""What the trainer takes from its batches, and which weights it keeps."""

import numpy as np
import toy

from neural_gpu_tf.training.run_directory import load_weights


def test_each_step_has_the_dropout_that_the_batches_say(tmp_path):
    given, used = [None, 0.1, 0.1, None], []
    one = toy.trainer(tmp_path, train_steps=4)

    class Changing(toy.Batches):
        @property
        def dropout(self):
            return given[self.number]

    one.batches = Changing()
    one.train_step.use_dropout = used.append
    one.train()
    assert used == given


def test_of_equal_validations_the_last_is_the_best(tmp_path):
    judged = {2: 0.5, 4: 0.25, 6: 0.25, 8: 0.75}
    seen = {}

    def validate(step):
        seen[step] = toy.weights(one.model)
        return {"perplexity_symbol": judged[step]}

    one = toy.trainer(tmp_path, validate, train_steps=8, validate_every=2, keep_best=2)
    one.train()
    assert [best.step for best in one.best_weights.best()] == [6, 4]
    load_weights(one.model, one.directory.weights("best"))
    assert toy.equal(toy.weights(one.model), seen[6])
    assert not np.array_equal(seen[6][0], seen[4][0])
