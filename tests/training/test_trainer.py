"""What the trainer takes from its batches."""

import toy


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
