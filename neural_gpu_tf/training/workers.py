"""The processes that train one model together, as one of them sees them."""

import json
import os
import queue
import re
import sys
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, NoReturn, TypeVar

import tensorflow as tf

from neural_gpu_tf.errors import InputError, reason
from neural_gpu_tf.training.channel import Channel, Closed
from neural_gpu_tf.training.ends import Interrupted, WorkerLost
from neural_gpu_tf.training.tf_config import Cluster

Value = TypeVar("Value")

_GRACE = 20.0  # seconds to leave in, when another one has gone
_LEAVING = 10.0  # seconds in which the others say that they are done
_RESUME = (
    "what was saved is whole; start every worker again, and training goes on from the "
    "last checkpoint"
)
_OF_COLLECTIVES = (
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.DeadlineExceededError,
    tf.errors.FailedPreconditionError,
    tf.errors.InternalError,
    tf.errors.UnavailableError,
    tf.errors.UnknownError,
)


class Workers:
    """One process that trains alone.

    A context; leaving it tells the others why.
    """

    chief = True
    """Whether it is this one that validates and writes; the others only read."""

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def exchange(self, value: Any) -> list[Any]:
        """The values of all, the chief's first; returns when all have called it.

        Args:
            value: of JSON.

        Raises:
            WorkerLost: one has gone.
        """
        return [value]

    def from_chief(self, call: Callable[..., Value], *arguments: Any) -> Value:
        """What a call returns to the chief; the others only wait for it.

        They wait as long as it takes: what tells that the chief has gone is not that
        it says nothing.

        Args:
            call: called by the chief alone; returns what JSON can hold.
            arguments: of the call.

        Raises:
            WorkerLost: one has gone; for the others that the chief had an error.
        """
        return call(*arguments)

    def check_same(self, values: Mapping[str, Any], remedy: str) -> None:
        """Raises InputError, for all, unless all have the same values.

        Args:
            values: by name, of JSON.
            remedy: what to do, for the message.
        """


class ConnectedWorkers(Workers):
    """Several processes, in a star around the chief.

    When a worker ends, the operating system notifies the chief, which notifies the
    others; when the chief ends, the system notifies all. An exchange or a TensorFlow
    reduction in progress then raises `WorkerLost`; a process that is still busy after
    20 seconds (with a validation, for example) is ended.

    Args:
        cluster: who is who.
        channels: from `rendezvous.meet`.
    """

    def __init__(self, cluster: Cluster, channels: Mapping[int, Channel]):
        self.cluster = cluster
        self.chief = cluster.own == 0
        self._channels = dict(channels)
        self._inbox: dict[int, queue.Queue] = {i: queue.Queue() for i in channels}
        self._lost = threading.Event()
        self._reason = ""
        self._one_at_a_time = threading.Lock()
        self._end = threading.Timer(_GRACE, self._abandon)
        self._end.daemon = True
        self._readers = [
            threading.Thread(target=self._listen, args=(index,), daemon=True)
            for index in channels
        ]
        for reader in self._readers:
            reader.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, _OF_COLLECTIVES):
            # TensorFlow may have heard of it sooner.
            self._lost.wait(_GRACE)
            self._reason = self._reason or _of_collectives(error)
            error = WorkerLost(f"{self._reason}; {_RESUME}")
        self._end.cancel()
        orderly = error is None or isinstance(error, Interrupted)
        why = ""
        if error and not orderly:
            why = self._reason if isinstance(error, WorkerLost) else reason(error)
        self._tell({"end": why})
        if orderly and self.chief:
            # TensorFlow's service that the others need is this process's.
            for reader in self._readers:
                reader.join(_LEAVING)
        if isinstance(error, WorkerLost):
            raise error

    def exchange(self, value: Any) -> list[Any]:
        if not self.chief:
            self._send(0, {"value": value})
            return self._take(0)
        others = [self._take(index) for index in sorted(self._channels)]
        values = [json.loads(json.dumps(value)), *others]
        for index in self._channels:
            self._send(index, {"value": values})
        return values

    def from_chief(self, call: Callable[..., Value], *arguments: Any) -> Value:
        return self.exchange(call(*arguments) if self.chief else None)[0]

    def check_same(self, values: Mapping[str, Any], remedy: str) -> None:
        own = json.loads(json.dumps(values))
        chiefs, *others = self.exchange(own)
        for task, theirs in zip(self.cluster.tasks[1:], others, strict=True):
            for name in sorted({*chiefs, *theirs}):  # one may have a file more
                if theirs.get(name) != chiefs.get(name):
                    raise InputError(
                        f"{task} has {name}={theirs.get(name)}, and "
                        f"{self.cluster.tasks[0]} has {name}={chiefs.get(name)}; "
                        f"{remedy}"
                    )

    def _send(self, index: int, message: dict[str, Any]) -> None:
        try:
            self._channels[index].send(message)
        except Closed:
            self._raise_lost()

    def _take(self, index: int) -> Any:
        """The next value of one; None is put there when one is lost."""
        message = self._inbox[index].get()
        if message is None:
            self._raise_lost()
        return message["value"]

    def _raise_lost(self) -> NoReturn:
        self._lost.wait(_GRACE)
        raise WorkerLost(f"{self._reason or 'a worker has gone'}; {_RESUME}")

    def _listen(self, index: int) -> None:
        """Sorts what one sends, until it ends."""
        name = self.cluster.tasks[index]
        while True:
            try:
                message = self._channels[index].receive()
            except Closed:
                self._lose(f"{name} has gone")
                return
            if "value" in message:
                self._inbox[index].put(message)
            elif "lost" in message:
                self._lose(str(message["lost"]))
                return
            elif message.get("end"):
                self._lose(f"{name} has stopped: {message['end']}")
                return
            else:
                self._inbox[index].put(None)
                return  # it is done

    def _lose(self, reason: str) -> None:
        """One is lost: the rest can't go on."""
        with self._one_at_a_time:
            if self._lost.is_set():
                return
            self._reason = reason
            self._lost.set()
        if self.chief:
            self._tell({"lost": reason})
        for inbox in self._inbox.values():
            inbox.put(None)
        self._end.start()

    def _abandon(self) -> NoReturn:
        """Ends this process, which is busy, or waits in TensorFlow for one that's gone.

        What it writes is written so that a kill at any moment does no harm.
        """
        print(f"{self._reason}; {_RESUME}", file=sys.stderr, flush=True)
        os._exit(WorkerLost.status)

    def _tell(self, message: dict[str, Any]) -> None:
        """Sends to all who are still there."""
        for channel in self._channels.values():
            try:
                channel.send(message)
            except Closed:
                pass


def _of_collectives(error: BaseException) -> str:
    """What TensorFlow knows of a reduction that failed."""
    told = re.search(r"aborted by: ([^\n\\]+)", str(error))
    return f"TensorFlow: {told[1] if told else reason(error)}"
