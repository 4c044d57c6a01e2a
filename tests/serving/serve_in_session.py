"""Answers texts with an export, with TensorFlow alone, as a stock server would.

python serve_in_session.py EXPORT < batches.json > answers.json
"""

import json
import sys

import tensorflow as tf
from tensorflow.python.framework import op_def_registry


def answer(session, signature, batch):
    """The outputs by name; a batch has inputs by name, or is of the input text."""
    outputs = {name: info.name for name, info in signature.outputs.items()}
    batch = batch if isinstance(batch, dict) else {"text": batch}
    feed = {signature.inputs[name].name: values for name, values in batch.items()}
    found = session.run(outputs, feed)
    return {name: decoded(values.tolist()) for name, values in found.items()}


def decoded(value):
    """Strings for bytes, in lists in lists."""
    if isinstance(value, list):
        return [decoded(x) for x in value]
    return value.decode() if isinstance(value, bytes) else value


graph = tf.Graph()
with graph.as_default(), tf.compat.v1.Session() as session:
    loaded = tf.compat.v1.saved_model.load(session, ["serve"], sys.argv[1])
    answers = {
        name: [answer(session, loaded.signature_def[name], batch) for batch in batches]
        for name, batches in json.load(sys.stdin).items()
    }
definition = graph.as_graph_def()
functions = {function.signature.name for function in definition.library.function}
ops = {node.op for node in definition.node}
ops |= {n.op for f in definition.library.function for n in f.node_def}
json.dump(
    {
        "answers": answers,
        "not_core": sorted(op for op in ops - functions if not op_def_registry.get(op)),
        "ops": len(ops - functions),
        "others": sorted({"neural_gpu_tf", "tensorflow_text"} & set(sys.modules)),
    },
    sys.stdout,
)
