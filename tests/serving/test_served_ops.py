import pytest
import tensorflow as tf
from served_ops import ALLOWED, served_ops
from tensorflow.python.framework import op_def_registry


def test_all_that_is_allowed_is_core_and_computes():
    assert len(ALLOWED) > 100
    assert all(map(op_def_registry.get, ALLOWED))
    told = ("File", "Py", "Save", "Restore", "Write", "Rpc", "Dataset", "Iterator")
    assert not [op for op in ALLOWED if any(word in op for word in told)]


@pytest.mark.parametrize(
    "function, op",
    [
        (tf.io.read_file, "ReadFile"),
        (lambda x: tf.py_function(str.upper, [x], tf.string), "EagerPyFunc"),
        (tf.io.matching_files, "MatchingFiles"),
    ],
)
def test_what_else_is_done_is_seen_wherever_it_hides(function, op, tmp_path):
    """In a branch of a loop's body, which the signature's function calls."""

    @tf.function(input_signature=[tf.TensorSpec([], tf.string, "text")])
    def serve(text):
        def step(i, x):
            return i + 1, tf.cond(i > 2, lambda: x, lambda: tf.reshape(function(x), []))

        return {"text": tf.while_loop(lambda i, x: i < 3, step, (0, text))[1]}

    module = tf.Module()
    module.serve = serve
    tf.saved_model.save(module, str(tmp_path), {"serving_default": serve})
    assert served_ops(tmp_path) - ALLOWED == {op}
