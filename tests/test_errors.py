import pytest
import tensorflow as tf

from neural_gpu_tf.errors import one_line, reason


@pytest.mark.parametrize(
    "message, said",
    [
        ("", "InvalidArgumentError"),
        ("{{node a/b}} wrong [[c]]", "wrong [[c]]"),
        ("Graph execution error:\n\nwrong", "wrong"),
        (
            "Graph execution error:\n\nDetected at node Assert defined at (most recent "
            'call last):\n<stack traces unavailable>\n  File "a.py", line 5, in f\n'
            "assertion failed: [symbol [300]: symbols are 0 to 9]\n\t [[{{node A}}]]",
            "symbol [300]: symbols are 0 to 9",
        ),
    ],
)
def test_what_tensorflow_says_is_wrong(message, said):
    assert reason(tf.errors.InvalidArgumentError(None, None, message)) == said


def test_an_error_on_one_line():
    assert one_line(ValueError(" wrong:\n\t a \r\nb")) == "wrong: a b"
    assert one_line("x" * 400) == "x" * 300
    assert one_line(KeyError()) == reason(KeyError()) == "KeyError"
