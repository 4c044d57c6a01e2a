"""The client by gRPC, against a server of TensorFlow Serving's own service."""

import importlib.util
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tensorflow as tf
import tiny

grpc = pytest.importorskip("grpc", reason="grpcio is not installed")
predict_pb2 = pytest.importorskip(
    "tensorflow_serving.apis.predict_pb2",
    reason="tensorflow-serving-api is not installed",
)

pytestmark = pytest.mark.slow
CLIENT = Path(__file__).parents[2] / "export" / "client.py"
LINES = ["two thousand, five", "", "six"]


@pytest.fixture(scope="module")
def service(exported):
    """Answers requests by an export; first with the codes in `refusals`."""
    from tensorflow_serving.apis import prediction_service_pb2_grpc

    class Service(prediction_service_pb2_grpc.PredictionServiceServicer):
        signature = tf.saved_model.load(str(exported)).signatures["serving_default"]
        requests, refusals = [], []

        def Predict(self, request, context):
            self.requests.append(request)
            if self.refusals:
                context.abort(self.refusals.pop(0), "said by the server")
            text = tf.constant(tf.make_ndarray(request.inputs["text"]))
            outputs = self.signature(text=text)
            response = predict_pb2.PredictResponse()
            for name in request.output_filter:
                response.outputs[name].CopyFrom(
                    tf.make_tensor_proto(outputs[name].numpy())
                )
            return response

    server = grpc.server(ThreadPoolExecutor(2))
    service = Service()
    service.port = server.add_insecure_port("127.0.0.1:0")
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(service, server)
    server.start()
    yield service
    server.stop(None).wait()


@pytest.fixture
def server(service):
    service.requests[:], service.refusals[:] = [], []
    return service


@pytest.fixture(scope="module")
def client():
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("client", CLIENT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lines_are_translated_in_batches(server):
    answer = subprocess.run(
        [
            *(sys.executable, CLIENT, f"--grpc=127.0.0.1:{server.port}"),
            *("--batch=2", "--model=fr", "--label=canary"),
        ],
        input="\n".join(LINES).encode(),
        capture_output=True,
        timeout=120,
    )
    expected = tiny.translator().translate(tf.constant(LINES))["text"].numpy()
    assert answer.stdout == b"".join(text + b"\n" for text in expected)
    assert len(set(expected)) > 1
    batches = [len(tf.make_ndarray(one.inputs["text"])) for one in server.requests]
    assert batches == [2, 1]
    for request in server.requests:
        spec = request.model_spec
        assert (spec.name, spec.version_label) == ("fr", "canary")


def test_busy_server_is_asked_again_and_one_that_refuses_is_not(client, server):
    codes = grpc.StatusCode
    refusals = [codes.UNAVAILABLE, codes.RESOURCE_EXHAUSTED, codes.NOT_FOUND]
    server.refusals[:] = refusals
    ask = client.grpc(f"127.0.0.1:{server.port}", "fr")
    with pytest.raises(OSError, match="NOT_FOUND: said by the server"):
        client.translate(ask, LINES, 60)
    assert len(server.requests) == 3
    assert not any(one.model_spec.HasField("version_label") for one in server.requests)


def test_gives_up_at_the_deadline(client):
    start = time.monotonic()
    with pytest.raises(OSError, match="no answer in 1 s: UNAVAILABLE"):
        client.translate(client.grpc("127.0.0.1:1", "fr"), LINES, 1)
    assert time.monotonic() - start < 20
