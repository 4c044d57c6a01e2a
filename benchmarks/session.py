"""An export in a session, with TensorFlow alone, as a stock server has one."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf


class ExportSession:
    """Answers requests to the signatures of an export.

    Args:
        export_dir: one version of an export.
        threads: of an operation, and of operations side by side; 0: one a core.
    """

    def __init__(self, export_dir: str | os.PathLike[str], threads: int = 0):
        config = tf.compat.v1.ConfigProto(
            intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads
        )
        graph = tf.Graph()
        self._session = tf.compat.v1.Session(graph=graph, config=config)
        with graph.as_default():
            path = os.fspath(export_dir)
            loaded = tf.compat.v1.saved_model.load(self._session, ["serve"], path)
        self.signatures = dict(loaded.signature_def)

    def __call__(
        self, signature: str, inputs: Mapping[str, Any]
    ) -> dict[str, np.ndarray]:
        """The outputs by name; from several threads too, if they like."""
        asked = self.signatures[signature]
        feed = {asked.inputs[name].name: value for name, value in inputs.items()}
        outputs = {name: info.name for name, info in asked.outputs.items()}
        return self._session.run(outputs, feed)
