import pytest

from neural_gpu_tf.training import progress
from neural_gpu_tf.training.progress import Progress, duration


@pytest.mark.parametrize(
    "seconds, text",
    [(0, "0:00"), (59.6, "1:00"), (123, "2:03"), (3600, "1:00:00"), (3723, "1:02:03")],
)
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_line(monkeypatch):
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    line = Progress(step=50, steps=150)
    now += 10  # 20 steps in 10 s, 80 to go
    assert line.line(70, 2.5, 12_000) == (
        "step 70/150  loss 2.5000  1,200 symbols/s  0:40 left",
        1200,
    )
    now += 15  # speed since the line before, time left by all steps
    assert line.line(100, 0.12345, 1_500) == (
        "step 100/150  loss 0.1235  100 symbols/s  0:25 left",
        100,
    )
    with line.left_out():
        now += 9  # a validation: of the time, but of no step
    now += 1
    assert line.line(101, 1.0, 100)[0].endswith("100 symbols/s  0:34 left")
    now += 1  # never more than what is left of the time to train
    assert line.line(102, 1.0, 100, most=7)[0].endswith("100 symbols/s  0:07 left")
    assert line.line(101, 1.0, 100, most=-3)[0].endswith("0:00 left")
