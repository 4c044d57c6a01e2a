"""The ops that answering a request runs, and those that are allowed to."""

from pathlib import Path

from tensorflow.core.protobuf import saved_model_pb2

ALLOWED = set(Path(__file__).with_name("served_ops.txt").read_text().split())
"""All of them core ops of TensorFlow that compute: none reads or writes a file, uses a
network, runs Python or needs a library of ops. (Select is TensorFlow's cross entropy
where determinism was enabled in the process, as training does.)"""


def served_ops(path):
    """Names of all ops that a SavedModel's signatures reach, by what they are fed."""
    content = Path(path, "saved_model.pb").read_bytes()
    graph = saved_model_pb2.SavedModel.FromString(content).meta_graphs[0]
    nodes = {node.name: node for node in graph.graph_def.node}
    library = {f.signature.name: f for f in graph.graph_def.library.function}
    ops, functions = set(), set()

    def use(node):
        if node.op in library:
            call(node.op)
        else:
            ops.add(node.op)
        for value in node.attr.values():
            for function in (value.func, *value.list.func):
                call(function.name)

    def call(name):
        if name and name not in functions:
            functions.add(name)
            for node in library[name].node_def:
                use(node)

    waiting = [
        info.name
        for name, signature in graph.signature_def.items()
        if not name.startswith("__")
        for info in signature.outputs.values()
    ]
    seen = set()
    while waiting:
        name = waiting.pop().lstrip("^").partition(":")[0]
        if name not in seen:
            seen.add(name)
            use(nodes[name])
            waiting.extend(nodes[name].input)
    return ops
