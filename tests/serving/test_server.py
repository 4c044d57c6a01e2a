"""The server in this process, with a model that answers when it is told to."""

import asyncio
import json
import threading
import types

import numpy as np
import tensorflow as tf

from neural_gpu_tf.serving.server import Server, ServerLimits

BODY = json.dumps({"instances": ["two"]}).encode()


class Waiting:
    """Stands for a version of an export; it answers after `told` is set."""

    number = 1
    signatures = {"serving_default": None}

    def __init__(self):
        self.told = threading.Event()

    def inputs(self, signature):
        return {"text": tf.TensorSpec([None], tf.string)}

    def predict(self, signature, inputs):
        self.told.wait()
        return {"text": np.array([b"deux"], object)}


async def ask(app):
    """Status and content of the answer to `BODY`."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": BODY}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "headers": [], "query_string": b""}
    await app({**scope, "path": "/v1/models/translate:predict"}, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"])


def test_a_full_server_refuses_at_once_and_a_slow_one_in_time():
    version = Waiting()
    versions = types.SimpleNamespace(get=lambda number=None: version)
    limits = ServerLimits(threads=1, waiting=1, seconds=0.3)
    app = Server(versions, limits=limits).app()

    async def trial():
        found = await asyncio.gather(*(ask(app) for _ in range(5)))
        version.told.set()
        return found, await ask(app)

    found, last = asyncio.run(trial())
    late = (504, {"error": "no answer in 0.3 s"})
    full = (503, {"error": "too many requests wait; try again later"})
    assert sorted(status for status, _ in found) == [503] * 3 + [504] * 2
    assert late in found and full in found
    assert last == (200, {"predictions": ["deux"]})  # it has recovered
