"""An HTTP server of an export, for where TensorFlow Serving is not at hand.

It speaks TensorFlow Serving's REST API (see `rest_api`), so the same clients work:

    POST /v1/models/NAME:predict                POST /v1/models/NAME/versions/N:predict
    GET  /v1/models/NAME                        GET  /v1/models/NAME/versions/N
    GET  /v1/models/NAME/metadata               GET  /monitoring/prometheus/metrics
    GET  /                                      a page to try it on
"""

import asyncio
import contextlib
import dataclasses
import importlib.resources
import json
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import prometheus_client
import tensorflow as tf
from absl import logging
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from neural_gpu_tf.errors import reason
from neural_gpu_tf.serving.model_versions import ModelVersions, ServedVersion
from neural_gpu_tf.serving.rest_api import RequestError, read_request, write_answer


@dataclasses.dataclass(frozen=True)
class ServerLimits:
    """What a server takes on; beyond it a request is refused at once."""

    threads: int = 2  # predictions at a time
    waiting: int = 64  # requests that may wait for a thread; 503 beyond
    request_bytes: int = 1_000_000  # 413 beyond
    instances: int = 256  # of a request; 400 beyond
    seconds: float = 30.0  # for a request, its waiting too; 504 beyond


class Server:
    """The routes, and what they share.

    Args:
        versions: what is served.
        name: of the model, in the URLs.
        limits: what it takes on.
        poll_seconds: how often it looks for new versions.
    """

    def __init__(
        self,
        versions: ModelVersions,
        name: str = "translate",
        limits: ServerLimits | None = None,
        poll_seconds: float = 2.0,
    ):
        self.versions = versions
        self.name = name
        self.limits = limits or ServerLimits()
        self.poll_seconds = poll_seconds
        self._pool = ThreadPoolExecutor(self.limits.threads, "predict")
        self._waiting = 0
        registry = self.registry = prometheus_client.CollectorRegistry()
        self._requests = prometheus_client.Counter(
            "neural_gpu_requests", "Predict requests", ["status"], registry=registry
        )
        self._seconds = prometheus_client.Histogram(
            "neural_gpu_request_seconds", "Time of predict requests", registry=registry
        )
        in_flight = prometheus_client.Gauge(
            "neural_gpu_in_flight", "Predict requests in the server", registry=registry
        )
        in_flight.set_function(lambda: self._waiting)
        newest = prometheus_client.Gauge(
            "neural_gpu_version", "The newest version served", registry=registry
        )
        newest.set_function(lambda: self.versions.get().number)

    def app(self) -> Starlette:
        """The application, for any ASGI server."""
        model = f"/v1/models/{self.name}"
        version = f"{model}/versions/{{version:int}}"
        return Starlette(
            routes=[
                Route("/", self._page),
                Route("/monitoring/prometheus/metrics", self._metrics),
                Route(f"{model}:predict", self._predict, methods=["POST"]),
                Route(f"{version}:predict", self._predict, methods=["POST"]),
                Route(f"{model}/metadata", self._metadata),
                Route(f"{version}/metadata", self._metadata),
                Route(model, self._status),
                Route(version, self._status),
            ],
            lifespan=self._lifespan,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(self._watch())
        yield
        watching.cancel()
        self._pool.shutdown(wait=True)

    async def _watch(self) -> None:
        """Looks for new versions; they are loaded beside the answering of requests."""
        while True:
            await asyncio.sleep(self.poll_seconds)
            try:
                await asyncio.to_thread(self.versions.refresh)
            except Exception:
                logging.exception("looking for new versions failed; it is tried again")

    async def _predict(self, request: Request) -> Response:
        start, status = time.monotonic(), 500
        self._waiting += 1
        try:
            content = await asyncio.wait_for(self._answer(request), self.limits.seconds)
            status = 200
            return Response(content, media_type="application/json")
        except RequestError as error:
            status = error.status
            return _error(status, str(error))
        except TimeoutError:
            status = 504
            return _error(status, f"no answer in {self.limits.seconds:g} s")
        finally:
            self._waiting -= 1
            self._requests.labels(str(status)).inc()
            self._seconds.observe(time.monotonic() - start)

    async def _answer(self, request: Request) -> bytes:
        limits = self.limits
        if self._waiting > limits.threads + limits.waiting:
            raise RequestError(503, "too many requests wait; try again later")
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > limits.request_bytes:
                raise RequestError(413, f"more than {limits.request_bytes} bytes")
        version = self._version(request)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._pool, _work, bytes(body), version, limits.instances
        )

    def _version(self, request: Request) -> ServedVersion:
        number = request.path_params.get("version")
        try:
            return self.versions.get(number)
        except KeyError as error:
            raise RequestError(
                404, f"no version {number} of {self.name} is served"
            ) from error

    async def _status(self, request: Request) -> Response:
        number = request.path_params.get("version")
        states = [
            {
                "version": str(version),
                "state": state,
                "status": {
                    "error_code": "UNKNOWN" if fault else "OK",
                    "error_message": fault,
                },
            }
            for version, state, fault in self.versions.states()
            if number in (None, version)
        ]
        if not states:
            return _error(404, f"no version {number} of {self.name} is served")
        return _json({"model_version_status": states})

    async def _metadata(self, request: Request) -> Response:
        try:
            version = self._version(request)
        except RequestError as error:
            return _error(error.status, str(error))
        signatures = {
            name: {
                "inputs": _specs(version.inputs(name)),
                "outputs": _specs(version.outputs(name)),
            }
            for name in version.signatures
        }
        return _json(
            {
                "model_spec": {"name": self.name, "version": str(version.number)},
                "metadata": {"signature_def": {"signature_def": signatures}},
            }
        )

    async def _metrics(self, request: Request) -> Response:
        content = prometheus_client.generate_latest(self.registry)
        return Response(content, media_type=prometheus_client.CONTENT_TYPE_LATEST)

    async def _page(self, request: Request) -> Response:
        page = importlib.resources.files(__package__) / "page.html"
        return HTMLResponse(page.read_text("utf-8").replace("MODEL_NAME", self.name))


def _work(body: bytes, version: ServedVersion, most: int) -> bytes:
    """Reads, predicts and writes, in a thread of the pool."""
    request = read_request(body, version)
    if request.instances > most:
        raise RequestError(
            400, f"{request.instances} instances: at most {most} in a request"
        )
    try:
        outputs = version.predict(request.signature, request.inputs)
    except (tf.errors.OpError, ValueError, TypeError) as error:
        raise RequestError(400, reason(error)) from error
    return write_answer(request, outputs)


def _specs(specs: dict[str, tf.TensorSpec]) -> dict[str, Any]:
    return {
        name: {"dtype": spec.dtype.name, "shape": spec.shape.as_list()}
        for name, spec in specs.items()
    }


def _json(content: Any, status: int = 200) -> Response:
    return Response(json.dumps(content), status, media_type="application/json")


def _error(status: int, message: str) -> Response:
    return _json({"error": message}, status)
