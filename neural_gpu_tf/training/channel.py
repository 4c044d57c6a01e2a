"""A connection between two processes of a run."""

import json
import socket
import threading
from typing import Any

_LONGEST = 2**24  # bytes of a message
_GONE = 30  # seconds after which a machine that does not answer counts as gone


class Closed(Exception):
    """The connection's other end has gone, or what it sends is no message."""


class Channel:
    """Carries JSON values, one a line, both ways.

    The operating system tells at once when a process at the other end ends, however
    it ends, and within half a minute when its machine or the network does.

    Args:
        connection: a connected TCP socket.
    """

    def __init__(self, connection: socket.socket):
        self._connection = connection
        self._file = connection.makefile("rb")
        self._sending = threading.Lock()  # threads send whole messages
        _watch(connection)

    def send(self, value: Any) -> None:
        """Sends a JSON value; raises `Closed`."""
        try:
            with self._sending:
                self._connection.sendall(json.dumps(value).encode() + b"\n")
        except OSError as error:
            raise Closed from error

    def receive(self, seconds: float | None = None) -> dict[str, Any]:
        """The next message, an object.

        Args:
            seconds: to wait at most; None: as long as the connection lives. After
                these it is of no more use.

        Raises:
            Closed: it ends, or what comes is no message, or nothing comes in time.
        """
        try:
            self._connection.settimeout(seconds)
            line = self._file.readline(_LONGEST)
            self._connection.settimeout(None)
            message = json.loads(line)
        except (OSError, ValueError) as error:
            raise Closed from error
        if not isinstance(message, dict):
            raise Closed
        return message

    def is_alive(self) -> bool:
        """Whether the other end is there, as far as the system knows."""
        try:
            flags = socket.MSG_PEEK | socket.MSG_DONTWAIT
            return bool(self._connection.recv(1, flags))
        except BlockingIOError:
            return True  # it says nothing
        except OSError:
            return False

    def close(self) -> None:
        """Ends the connection, also for one who waits in `receive`."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended already
        self._connection.close()


def _watch(connection: socket.socket) -> None:
    """Has the system watch a silent connection, and send small messages at once."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in {
        "TCP_KEEPIDLE": _GONE // 3,
        "TCP_KEEPALIVE": _GONE // 3,  # its name on macOS
        "TCP_KEEPINTVL": _GONE // 6,
        "TCP_KEEPCNT": 4,
        "TCP_USER_TIMEOUT": 1_000 * _GONE,
    }.items():
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
