import logging

import pytest
import toy

from neural_gpu_tf.training.progress import Progress


@pytest.mark.parametrize("days, warns", [(3.1, True), (0.9, False)])
def test_more_than_a_day_on_a_cpu_is_warned_of_once(
    days, warns, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(Progress, "seconds_left", lambda self, step: 86_400 * days)
    trainer = toy.trainer(tmp_path, train_steps=3, log_every=1)
    with caplog.at_level(logging.WARNING):
        trainer.train()
    warnings = [text for text in caplog.messages if "days more" in text]
    assert len(warnings) == warns
    if warns:
        assert "takes 3 days more; --config=small trains in minutes" in warnings[0]
