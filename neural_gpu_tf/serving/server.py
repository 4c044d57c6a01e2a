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
import re
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import prometheus_client
import tensorflow as tf
from absl import logging
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from neural_gpu_tf.errors import InputError, reason
from neural_gpu_tf.serving.model_versions import ModelVersions, ServedVersion
from neural_gpu_tf.serving.rest_api import (
    RequestError,
    describe,
    read_request,
    write_answer,
)

CLIENT_LEFT = 499  # as nginx counts requests whose connection ended before the answer
_VERSION = re.compile("[0-9]{1,18}")
_NAME = re.compile("[A-Za-z0-9][A-Za-z0-9._-]*")
_LONGEST_MESSAGE = 500  # characters; a message may quote the request
_BAD_INPUTS = (  # other errors of a prediction are the server's: 500, and in its log
    tf.errors.InvalidArgumentError,
    tf.errors.OutOfRangeError,
    tf.errors.FailedPreconditionError,
    ValueError,
    TypeError,
)


@dataclasses.dataclass(frozen=True)
class ServerLimits:
    """What a server takes on; beyond it a request is refused at once."""

    threads: int = 2  # predictions at a time
    waiting: int = 64  # requests that may wait for a thread; 503 beyond
    request_bytes: int = 1_000_000  # 413 beyond
    instances: int = 256  # of a request; 400 beyond
    seconds: float = 30.0  # to send a request (408 beyond), with its answer (504)


class Server:
    """The routes, and what they share.

    Args:
        versions: what is served.
        name: of the model, in the URLs.
        limits: what it takes on.
        poll_seconds: how often it looks for new versions.

    Raises:
        InputError: there are other characters in the name than URLs have.
    """

    def __init__(
        self,
        versions: ModelVersions,
        name: str = "translate",
        limits: ServerLimits | None = None,
        poll_seconds: float = 2.0,
    ):
        if not _NAME.fullmatch(name):
            raise InputError(
                f"model_name={name}: must be of letters, digits, dots, - and _, and "
                "begin with one of the first two"
            )
        self.versions = versions
        self.name = name
        self.limits = limits or ServerLimits()
        self.poll_seconds = poll_seconds
        self._pool = ThreadPoolExecutor(self.limits.threads, "predict")
        self._waiting = 0  # requests that were read and have no answer yet
        registry = self.registry = prometheus_client.CollectorRegistry()
        self._requests = prometheus_client.Counter(
            "neural_gpu_requests", "Predict requests", ["status"], registry=registry
        )
        self._seconds = prometheus_client.Histogram(
            "neural_gpu_request_seconds", "Time of predict requests", registry=registry
        )
        self._in_flight = prometheus_client.Gauge(
            "neural_gpu_in_flight", "Predict requests in the server", registry=registry
        )
        newest = prometheus_client.Gauge(
            "neural_gpu_version", "The newest version served", registry=registry
        )
        newest.set_function(lambda: self.versions.get().number)
        failed = prometheus_client.Gauge(
            "neural_gpu_failed_versions",
            "Versions in the folder that can't be loaded",
            registry=registry,
        )
        failed.set_function(lambda: sum(bool(x) for *_, x in self.versions.states()))

    def app(self) -> Starlette:
        """The application, for any ASGI server."""
        model = f"/v1/models/{self.name}"
        version = f"{model}/versions/{{version}}"
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
            exception_handlers={HTTPException: self._refused, Exception: _failed},
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
        self._in_flight.inc()
        try:
            content = await self._answer(request)
            status = 200
            return Response(content, media_type="application/json")
        except RequestError as error:
            status = error.status
            return _error(status, str(error))
        except ClientDisconnect:
            status = CLIENT_LEFT
            return Response(status_code=status)
        finally:
            self._in_flight.dec()
            self._requests.labels(str(status)).inc()
            self._seconds.observe(time.monotonic() - start)

    async def _answer(self, request: Request) -> bytes:
        limits, loop = self.limits, asyncio.get_running_loop()
        until = loop.time() + limits.seconds
        try:
            async with asyncio.timeout_at(until):
                body = await self._body(request)
        except TimeoutError as error:
            message = f"the request was not sent within {limits.seconds:g} s"
            raise RequestError(408, message) from error
        version = self._version(request)
        # Only now does it take a place, so that slow clients can't take them all.
        if self._waiting >= limits.threads + limits.waiting:
            raise RequestError(503, "too many requests wait; try again later")
        self._waiting += 1
        try:
            async with asyncio.timeout_at(until):
                return await loop.run_in_executor(
                    self._pool, _work, body, version, limits.instances
                )
        except TimeoutError as error:
            raise RequestError(504, f"no answer in {limits.seconds:g} s") from error
        finally:
            self._waiting -= 1

    async def _body(self, request: Request) -> bytes:
        most, body = self.limits.request_bytes, bytearray()
        claim = int(request.headers.get("content-length", 0))  # a number: h11 saw to it
        if claim <= most:
            async for part in request.stream():
                body += part
                if len(body) > most:
                    break
            else:
                return bytes(body)
        raise RequestError(413, f"more than {most} bytes")

    def _version(self, request: Request) -> ServedVersion:
        number = request.path_params.get("version")
        with contextlib.suppress(KeyError):
            if number is None:
                return self.versions.get()
            if _VERSION.fullmatch(number):
                return self.versions.get(int(number))
        raise RequestError(404, self._not_served(number))

    def _not_served(self, number: str | None) -> str:
        return f"no version {number} of {self.name} is served"

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
            if number in (None, str(version))
        ]
        if not states:
            return _error(404, self._not_served(number))
        return _json({"model_version_status": states})

    async def _metadata(self, request: Request) -> Response:
        try:
            version = self._version(request)
        except RequestError as error:
            return _error(error.status, str(error))
        signatures = {name: describe(version, name) for name in version.signatures}
        spec = {"name": self.name, "signature_name": "", "version": str(version.number)}
        return _json(
            {
                "model_spec": spec,
                "metadata": {"signature_def": {"signature_def": signatures}},
            }
        )

    async def _metrics(self, request: Request) -> Response:
        content = prometheus_client.generate_latest(self.registry)
        return Response(content, media_type=prometheus_client.CONTENT_TYPE_LATEST)

    async def _refused(self, request: Request, error: Exception) -> Response:
        """No such path or method."""
        assert isinstance(error, HTTPException)
        message = error.detail
        if error.status_code == 404:
            message = f"no such path; this server has /v1/models/{self.name}:predict"
        response = _error(error.status_code, message)
        response.headers.update(error.headers or {})
        return response

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
    except tf.errors.ResourceExhaustedError as error:
        logging.exception("a prediction ran out of memory")
        raise RequestError(503, "out of memory; try again later, or less") from error
    except _BAD_INPUTS as error:
        raise RequestError(400, reason(error)) from error
    return write_answer(request, outputs)


def _json(content: Any, status: int = 200) -> Response:
    return Response(json.dumps(content), status, media_type="application/json")


def _error(status: int, message: str) -> Response:
    response = _json({"error": message[:_LONGEST_MESSAGE]}, status)
    if status == 408:  # what comes of the request later is not waited for
        response.headers["Connection"] = "close"
    return response


async def _failed(request: Request, error: Exception) -> Response:
    """A fault of the server, which is in its log."""
    return _error(500, "the server failed; see its log")
