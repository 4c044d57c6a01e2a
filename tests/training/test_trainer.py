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


def test_the_chief_alone_removes_weights_of_several_sets(tmp_path, monkeypatch):
    """Workers share the directory."""
    one = toy.trainer(tmp_path, train_steps=1, validate_every=1)
    one.train()
    kept = one.validation._best_weights
    monkeypatch.setattr(one.pull, "observe", lambda *_: True)
    for chief in (False, True):
        monkeypatch.setattr(one.workers, "chief", chief)
        one._draw_together(True)
        assert [best.step for best in kept.best()] == ([] if chief else [1])
