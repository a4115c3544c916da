"""The connection for asyncio."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, AsyncIterator, Awaitable, Callable, Generator, Generic, TypeVar

import grpc

from torqued.computation import Batch, Part
from torqued.retry import Deadline
from torqued.settings import Settings
from torqued.transport import T, Transport


class Connection(Transport):
    """Calls with deadline and retries, without blocking."""

    few_parts = 1

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, grpc.aio, asyncio.Event())

    @staticmethod
    async def aside(function: Callable[[], T]) -> T:
        return await asyncio.to_thread(function)

    async def _unary(self, method: Any, request: Any, **words: Any) -> Any:
        return await method(request, metadata=self._metadata, **words)

    def _ahead(self, batch: Batch, part: Part, deadline: Deadline) -> Any:
        return self._compute(batch.request(part), timeout=deadline.remaining(),
                             metadata=self._metadata)

    async def _result(self, ahead: Any) -> Any:
        return await ahead

    def _drop(self, ahead: Any) -> None:
        ahead.cancel()

    async def _stream(self, call: Any) -> AsyncIterator[Any]:
        async for reply in call:
            yield reply

    async def _closes_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except asyncio.TimeoutError:
            return False
        return True

    async def close(self) -> None:
        self._closed.set()
        await self.channel.close()


C = TypeVar("C", bound=Any)


class Opening(Generic[C]):
    """What is being opened: await it, or enter it with `async with`."""

    def __init__(self, open_: Callable[[], Awaitable[C]]) -> None:
        self._open = open_
        self._opened: C | None = None

    def __await__(self) -> Generator[Any, None, C]:
        return self._open().__await__()

    async def __aenter__(self) -> C:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(self, kind: type[BaseException] | None,
                        error: BaseException | None, trace: TracebackType | None) -> None:
        if self._opened is not None:
            await self._opened.close()
