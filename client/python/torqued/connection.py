"""Calls with deadline and retries. The blocking connection and that of asyncio have the
same coroutines; those of the blocking one never suspend, because what they await blocks."""

from __future__ import annotations

import collections
import functools
import itertools
import random
import re
import threading
import time
from concurrent import futures
from typing import (
    TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Coroutine, Generic, TypeVar,
    overload)

import grpc

from torqued import errors
from torqued.check import Check
from torqued.contract import Reason
from torqued.evaluation import GOOD_MESSAGE, WINDOW, Batch, Evaluation
from torqued.inputs import check_seconds
from torqued.settings import HEALTH_METHOD, TLS, Health, Settings
from torqued.v1 import (
    dynamics_pb2, model_registry_pb2_grpc, server_info_pb2, server_info_pb2_grpc,
    trajectory_pb2)
from torqued.values import AwaitedEntered
from torqued.verdict import TrajectoryVerdict

T = TypeVar("T")
if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

    class Served(Generic[P, T]):
        """A method, of which objects for asyncio have an awaitable result."""

        @overload
        def __get__(self, of: AwaitedEntered, kind: Any) -> Callable[P, Awaitable[T]]: ...
        @overload
        def __get__(self, of: object, kind: Any) -> Callable[P, T]: ...
        def __get__(self, of: Any, kind: Any) -> Any: ...
# docs/grpc.md has the rules of these.
_FIRST_BACKOFF = 0.05
_LAST_BACKOFF = 1.0
# The time that the last try of a call has until its deadline.
_LAST_TRY = 0.05
# Longest time of an attempt: gRPC's clock ends some centuries from now.
_LONGEST = 1e8
_POLL_SECONDS = 0.05


def served(method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
           ) -> Served[P, T]:
    """A method that awaits, as its object's `_run` has it: blocking, or to be awaited."""
    # Refusals of a keyword name the function, whose class is not the caller's.
    method.__qualname__ = method.__name__

    @functools.wraps(method)
    def call(self: Any, *given: Any, **words: Any) -> Any:
        return self._run(method(self, *given, **words))

    return call  # type: ignore[return-value]


def within(method: Any, *given: Any, **words: Any) -> Any:
    """The coroutine of a bound method that is `served`."""
    return method.__func__.__wrapped__(method.__self__, *given, **words)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of one that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("a blocking call is suspended")


class Transport:
    """A connection to one server. registry, info: stubs of the services."""

    def __init__(self, settings: Settings, grpc_kind: Any, closed: Any) -> None:
        """grpc_kind: the module that makes channels, `grpc` or `grpc.aio`.
        closed: an event of its kind, set by `close`."""
        self.settings = settings
        self._closed = closed
        options = settings.channel_options()
        credentials = settings.credentials()
        # Metadata of each call: gRPC's own credentials of calls do not work without
        # TLS.
        self._metadata = settings.metadata()
        self.channel = (
            grpc_kind.insecure_channel(settings.address, options)
            if credentials is None else grpc_kind.secure_channel(
                settings.address.removeprefix(TLS), credentials, options))
        # Requests of these are bytes already.
        self._compute = self.channel.unary_unary(
            "/torqued.v1.Dynamics/Compute",
            response_deserializer=dynamics_pb2.ComputeReply.FromString)
        self._check = self.channel.stream_stream(
            "/torqued.v1.Trajectories/CheckTrajectory",
            response_deserializer=trajectory_pb2.CheckTrajectoryReply.FromString)
        self.registry = model_registry_pb2_grpc.ModelRegistryStub(self.channel)
        #: The information of the server from when this connected.
        self.server = server_info_pb2.GetServerInfoReply()
        #: Bytes of rows in a message.
        self.payload = GOOD_MESSAGE
        self.info = server_info_pb2_grpc.ServerInfoStub(self.channel)
        self._health = self.channel.unary_unary(HEALTH_METHOD)

    def _check_open(self) -> None:
        """Raises Cancelled after close."""
        if self._closed.is_set():
            raise errors.make("CANCELLED", "the client is closed")

    def _timeout(self, seconds: float | None = None) -> float:
        """Not infinite; None: that of the settings. Raises InvalidArgument."""
        seconds = self.settings.deadline if seconds is None else seconds
        check_seconds("deadline", seconds)
        return min(seconds, _LONGEST)

    if TYPE_CHECKING:
        # The methods of each kind of connection: `aside` runs what takes long without a
        # call, `_ahead` begins a call, whose `_result` or `_drop` ends it, `_pause`
        # ends with `close`. Batches of more than `few_parts` calls have several of them
        # in flight.
        def __getattr__(self, name: str) -> Any: ...

    async def wait(self) -> None:
        """Raises Unavailable if no server answers, and what fits if another one does."""
        end = time.monotonic() + min(
            self.settings.wait_for_server, self.settings.deadline)
        while True:
            try:
                self.server = await self._unary(
                    self.info.GetServerInfo, server_info_pb2.GetServerInfoRequest(),
                    timeout=self._timeout())
                # Half of a message is left to names, echo and row statuses. A request
                # counts three times in flight and a reply twice; a window of them is to
                # fit into the half of one client.
                self.payload = min(
                    GOOD_MESSAGE, self.server.max_message_bytes // 2 or GOOD_MESSAGE,
                    self.server.max_inflight_bytes // 128 or GOOD_MESSAGE)
                return
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            # Any word of the server shows that it is there.
            if error.reason is not None:
                return
            gone = isinstance(error, (errors.Unavailable, errors.DeadlineExceeded))
            if not gone or time.monotonic() >= end:
                problem = "no connection to" if gone else "no torqued server answers at"
                raise errors.make(
                    error.code, f"{problem} {self.settings.address}: {error.message}",
                    metadata=error.metadata)
            await self._pause(_POLL_SECONDS)

    async def health(self, seconds: float | None) -> Health:
        self._check_open()
        try:
            reply = await self._unary(self._health, b"", timeout=self._timeout(seconds))
        except grpc.RpcError as failure:
            raise errors.decode(failure) from None
        # The one field of a HealthCheckResponse is an enum.
        return Health({b"\x08\x01": 1, b"\x08\x02": 2}.get(reply, 0))

    async def call(self, method: Any, request: Any, seconds: float | None = None, *,
                   changes: bool = False, ahead: Any = None, attempt: Any = None) -> Any:
        """A call that is tried again if that may help. ahead: the first try, under way.
        attempt: another coroutine than `_unary`.

        What `changes` something is tried again only if the server says that it has not
        begun, and if a server answers then: to find nobody, or the end of the old
        connection, would be final.
        """
        attempt = attempt or self._unary
        end = time.monotonic() + self._timeout(seconds)
        tries = 0
        while True:
            self._check_open()
            try:
                return await (self._result(ahead) if ahead is not None else attempt(
                    method, request, timeout=max(end - time.monotonic(), 0.0),
                    wait_for_ready=changes and tries > 0))
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            # A call that was sent ahead has an earlier deadline.
            if ahead is None or not isinstance(error, errors.DeadlineExceeded):
                self._check_open()
                tries += 1
                await self._pause(self._wait_after(
                    error, tries, end - time.monotonic() - _LAST_TRY, changes))
            ahead = None
            if changes:
                await self.call(self.info.GetServerInfo,
                                server_info_pb2.GetServerInfoRequest(),
                                max(end - time.monotonic(), 0.0))

    def _wait_after(self, error: errors.TorquedError, tries: int, left: float,
                    changes: bool) -> float:
        """Seconds to wait before the next try, at most what is `left`. Raises `error` if
        it is final."""
        # Who cancels a call does not come here: it was the server, or gRPC. Without a
        # delay it is a limit, which another try meets again.
        passing = isinstance(error, (errors.Unavailable, errors.Cancelled)) or (
            isinstance(error, errors.ResourceExhausted) and error.retry_delay is not None)
        asked = error.retry_delay or 0.0
        # A try before the delay that the server asks for would fail.
        if not self.settings.retry or not passing or left <= 0 or asked > left or (
                changes and error.reason is not Reason.DRAINING):
            raise error
        backoff = min(_FIRST_BACKOFF * 2.0**min(tries - 1, 9), _LAST_BACKOFF)
        pause = max(min(backoff * random.uniform(0.5, 1.0), left), asked)
        if self.settings.on_retry is not None:
            self.settings.on_retry(error, pause)
        return pause

    async def compute(self, batch: Batch) -> Evaluation:
        """Each part has the deadline when its turn comes."""
        parts = batch.parts(self.payload, self.server.max_rows)
        waiting = iter(parts if len(parts) > self.few_parts else ())
        sent: collections.deque[Any] = collections.deque()
        try:
            for part in parts:
                for later in itertools.islice(waiting, WINDOW - len(sent)):
                    self._check_open()
                    request = batch.request(later)
                    sent.append((request, self._ahead(
                        request, self._timeout(batch.deadline))))
                await self._part(batch, part, *(sent[0] if sent else ()))
                if sent:
                    sent.popleft()
        finally:
            for _, call in sent:
                self._drop(call)
        return batch.evaluation()

    async def _part(self, batch: Batch, part: range, request: bytes | None = None,
                    ahead: Any = None) -> None:
        try:
            reply = await self.call(self._compute, request or batch.request(part),
                                    batch.deadline, ahead=ahead)
        except errors.TorquedError as error:
            # The server counts rows from the start of its call.
            if error.row is not None:
                row, error.row = error.row, part.start + error.row
                error.metadata["row"] = str(error.row)
                error.message = re.sub(
                    rf"\b([Rr]ow) {row}\b", rf"\g<1> {error.row}", error.message)
            raise
        for again in batch.take(part, reply):
            await self._part(batch, again)

    async def check(self, check: Check) -> TrajectoryVerdict:
        try:
            await self.call(self._check, check, check.deadline, attempt=self._exchange)
        except errors.TorquedError as error:
            raise check.placed(error) from None
        return check.verdict()

    async def _exchange(self, method: Any, check: Check, **words: Any) -> None:
        call = method(check.messages(self.payload), metadata=self._metadata, **words)
        try:
            async for reply in self._stream(call):
                check.take(reply)
        except BaseException:
            call.cancel()
            raise


class Connection(Transport):
    """Calls with deadline and retries. Thread-safe."""

    # So many are faster one after the other than by a second thread.
    few_parts = 2

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, grpc, threading.Event())
        # An interrupt of a thread that begins a call leaves gRPC with a call for which
        # closing waits forever. This thread gets no interrupt.
        self._sender = futures.ThreadPoolExecutor(1)

    @staticmethod
    async def aside(function: Callable[[], T]) -> T:
        return function()

    async def _unary(self, method: Any, request: Any, **words: Any) -> Any:
        return method(request, metadata=self._metadata, **words)

    def _ahead(self, request: bytes, timeout: float) -> Any:
        return self._sender.submit(
            self._compute.future, request, timeout=timeout, metadata=self._metadata)

    async def _result(self, ahead: Any) -> Any:
        return ahead.result().result()

    def _drop(self, ahead: Any) -> None:
        if not (ahead.cancel() or ahead.exception()):
            ahead.result().cancel()

    async def _stream(self, call: Any) -> AsyncIterator[Any]:
        for reply in call:
            yield reply

    async def _pause(self, seconds: float) -> None:
        self._closed.wait(seconds)

    async def close(self) -> None:
        self._closed.set()
        self.channel.close()
