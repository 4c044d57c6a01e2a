"""Where a server listens, and connections that end in time, whatever clients do."""

import asyncio
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from neural_gpu_tf.errors import InputError


def timed_connections(seconds: float) -> type[H11Protocol]:
    """A class of connections, for uvicorn's option `http`.

    uvicorn waits for the head of a request as long as bytes of it come, and for a
    client to take its answer as long as it likes. These connections are aborted
    `seconds` after they were made or their last answer was written, unless a request is
    in the application by then, whose own matter its time is; and `seconds` after a
    client has stopped to read. So those that send slowly, send nothing or read nothing
    don't pile up.

    Args:
        seconds: that a client has.
    """

    class Connection(H11Protocol):
        _idle: asyncio.TimerHandle | None = None
        _unread: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._idle = self.loop.call_later(seconds, self.transport.abort)

        def handle_events(self) -> None:
            super().handle_events()
            if self.cycle is not None and not self.cycle.response_complete:
                _cancel(self._idle)

        def on_response_complete(self) -> None:
            _cancel(self._idle)
            self._idle = self.loop.call_later(seconds, self.transport.abort)
            super().on_response_complete()  # takes the next request, if it is there

        def pause_writing(self) -> None:
            super().pause_writing()
            _cancel(self._unread)
            self._unread = self.loop.call_later(seconds, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            _cancel(self._unread)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            _cancel(self._idle)
            _cancel(self._unread)

    return Connection


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that has an address, and does not listen yet.

    Raises:
        InputError: the address is not to be had.
    """
    if not host:
        raise InputError("host= is empty; 0.0.0.0 listens on all addresses")
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if ":" in host:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        bound.bind((host, port))
    except (OSError, UnicodeError) as error:
        bound.close()
        why = getattr(error, "strerror", None) or error
        raise InputError(f"host={host} port={port}: {why}; choose another") from error
    return bound
