from pathlib import Path

import pytest
import tensorflow as tf
import tiny

from benchmarks import serve
from neural_gpu_tf.errors import InputError


@pytest.mark.slow
def test_the_session_answers_and_is_timed(exported):
    texts = ["six", "five two", "", "one"]
    answers = []

    class Spy(serve.Server):
        def __call__(self, batch):
            answer = super().__call__(batch)
            answers.append((batch, answer))
            return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serve, "Server", Spy)
        result = serve.measure(exported, texts, [1, 2], batch=3, rounds=1)
    assert [batch for batch, _ in answers[:4]] == [
        [""],
        ["two"],
        answers[2][0],
        ["one"],
    ]
    warm, answers = answers[:8], answers[8:]
    assert [len(batch) for batch, _ in answers] == 2 * 2 * [1, 1, 1, 1, 3, 1]
    for batch, answer in answers:
        expected = tiny.translator().translate(tf.constant(batch))["text"].numpy()
        assert answer["text"] == [text.decode() for text in expected]
    assert list(result) == ["1", "2"]
    for i, row in enumerate(result.values()):
        timed = [answer["seconds"] for _, answer in answers[12 + 6 * i :][:6]]
        assert row["latency"] == serve.percentiles(timed[:4])
        assert row["sentences_per_second"] == pytest.approx(4 / sum(timed[4:]))
        assert row["load"] > warm[4 * i][1]["seconds"] > 0
        assert row["first"] == warm[4 * i + 3][1]["seconds"]
        assert row["memory"] > 1e8


def test_percentiles_stand_between_the_least_and_the_most():
    seconds = [k / 100 for k in range(101)]
    assert serve.percentiles(seconds) == pytest.approx({"p50": 0.5, "p95": 0.95})


def test_other_answers_are_no_result(monkeypatch):
    class Mixing:
        def __init__(self, export_dir, threads):
            pass

        def __call__(self, texts):
            return {"seconds": 1.0, "text": [str(len(texts)) for _ in texts]}

    monkeypatch.setattr(serve, "Server", Mixing)
    with pytest.raises(RuntimeError, match="a sentence alone, in a batch"):
        serve.measure(Path("export"), ["a", "b"], [1], batch=2)


def test_a_process_that_ends_is_told(tmp_path):
    server = serve.Server(tmp_path / "no-export", 1)
    with pytest.raises(InputError, match="the process ended .*serve_in_session"):
        server(["six"])
