"""The server in this process, with a model that answers when it is told to."""

import asyncio
import contextlib
import json
import threading
import types

import numpy as np
import prometheus_client
import pytest
import tensorflow as tf

from neural_gpu_tf.errors import InputError
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

    headers = [(b"content-length", str(len(BODY)).encode())]
    scope = {"type": "http", "method": "POST", "headers": headers, "query_string": b""}
    with contextlib.suppress(tf.errors.OpError):  # of a 500, which is sent before
        await app({**scope, "path": "/v1/models/translate:predict"}, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.mark.parametrize("name", ["", "{x:foo}", 'a"b<b>', "a?b", "a/b", "-a", "é"])
def test_a_name_that_urls_do_not_have_is_refused(name):
    with pytest.raises(InputError, match="^model_name=.*: must be of letters"):
        Server(types.SimpleNamespace(get=None, states=list), name)


def test_a_path_that_is_not_there_tells_which_is():
    versions = types.SimpleNamespace(get=lambda number=None: Waiting(), states=list)
    answer = asyncio.run(ask(Server(versions, "adder").app()))
    told = "no such path; this server has /v1/models/adder:predict"
    assert answer == (404, {"error": told})


class Failing(Waiting):
    """Stands for a version whose predictions fail."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def predict(self, signature, inputs):
        raise self.error


@pytest.mark.parametrize(
    "kind, status, message",
    [
        ("InvalidArgumentError", 400, "no room"),
        ("OutOfRangeError", 400, "no room"),
        ("FailedPreconditionError", 400, "no room"),
        ("ResourceExhaustedError", 503, "out of memory; try again later, or less"),
        ("InternalError", 500, "the server failed; see its log"),
        ("DataLossError", 500, "the server failed; see its log"),
    ],
)
def test_only_what_a_request_can_mend_is_its_fault(kind, status, message, caplog):
    version = Failing(getattr(tf.errors, kind)(None, None, "no room\nat all"))
    versions = types.SimpleNamespace(get=lambda number=None: version, states=list)
    server = Server(versions)
    assert asyncio.run(ask(server.app())) == (status, {"error": message})
    counted = prometheus_client.generate_latest(server.registry).decode()
    assert f'neural_gpu_requests_total{{status="{status}"}} 1.0' in counted
    assert ("Traceback" in caplog.text) == (status == 503)  # uvicorn logs those of 500


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


def test_a_body_of_just_the_limit_is_taken():
    version = Waiting()
    version.told.set()
    versions = types.SimpleNamespace(get=lambda number=None: version)
    for spare, status in ((0, 200), (-1, 413)):
        limits = ServerLimits(request_bytes=len(BODY) + spare)
        assert asyncio.run(ask(Server(versions, limits=limits).app()))[0] == status
