"""The blocking connection."""

from __future__ import annotations

import threading
from concurrent import futures
from typing import Any, AsyncIterator, Callable

import grpc

from torqued.computation import Batch, Part
from torqued.retry import Deadline
from torqued.settings import Settings
from torqued.transport import T, Transport


class Connection(Transport):
    """Calls with deadline and retries. Thread-safe."""

    # So many are faster one after the other than by a second thread.
    few_parts = 2

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, grpc, threading.Event())
        # An interrupt of a thread that begins a call leaves gRPC with a call for
        # which closing waits for ever; no interrupt comes to this one.
        self._sender = futures.ThreadPoolExecutor(1)

    @staticmethod
    async def aside(function: Callable[[], T]) -> T:
        return function()

    async def _unary(self, method: Any, request: Any, **words: Any) -> Any:
        return method(request, metadata=self._metadata, **words)

    def _ahead(self, batch: Batch, part: Part, deadline: Deadline) -> Any:
        return self._sender.submit(lambda: self._compute.future(
            batch.request(part), timeout=deadline.remaining(), metadata=self._metadata))

    async def _result(self, ahead: Any) -> Any:
        return ahead.result().result()

    def _drop(self, ahead: Any) -> None:
        if not (ahead.cancel() or ahead.exception()):
            ahead.result().cancel()

    async def _stream(self, call: Any) -> AsyncIterator[Any]:
        for reply in call:
            yield reply

    async def _closes_within(self, seconds: float) -> bool:
        closes: bool = self._closed.wait(seconds)
        return closes

    async def close(self) -> None:
        self._closed.set()
        self.channel.close()
