"""The client for asyncio: the same names, to be awaited.

    async with torqued.aio.connect("localhost:7421") as client:
        robot = await client.model("panda")
        tau = await robot.inverse_dynamics(q, v, a)

`await torqued.aio.connect(...)` does as well. Cancelling a task, or its timeout, cancels
its call on the server. A client belongs to the event loop in which it was connected.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import (
    Any, AsyncIterator, Callable, Coroutine, Generator, Generic, Iterable, TypeVar)

import grpc

from torqued.client import Calls, Described, Urdf, registered
from torqued.connection import T, Transport
from torqued.contract import AwaitedFunctions
from torqued.settings import Settings
from torqued.values import AwaitedEntered, Path

__all__ = ["Client", "Connection", "Opening", "Robot", "connect", "local"]


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

    def _ahead(self, request: bytes, timeout: float) -> Any:
        return self._compute(request, timeout=timeout, metadata=self._metadata)

    async def _result(self, ahead: Any) -> Any:
        return await ahead

    def _drop(self, ahead: Any) -> None:
        ahead.cancel()

    async def _stream(self, call: Any) -> AsyncIterator[Any]:
        async for reply in call:
            yield reply

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)

    async def close(self) -> None:
        self._closed.set()
        await self.channel.close()


C = TypeVar("C", bound=Any)


class Opening(Generic[C]):
    """A client or robot that is being opened: await it, or enter it with `async with`."""

    def __init__(self, opened: Coroutine[Any, Any, C]) -> None:
        self._opened = opened

    def __await__(self) -> Generator[Any, None, C]:
        return self._opened.__await__()

    async def __aenter__(self) -> C:
        self._entered = await self
        return self._entered

    async def __aexit__(self, *error: object) -> None:
        await self._entered.close()


class Robot(Described, AwaitedFunctions, AwaitedEntered):
    """As torqued.Robot, with functions to be awaited."""

    @classmethod
    def from_urdf(cls, urdf: Urdf, client: Client | None = None, *,
                  name: str | None = None, **words: Any) -> Opening[Robot]:
        """As torqued.Robot.from_urdf."""
        return Opening(registered(Client, client, name, urdf, words))


class Client(Calls[Robot], AwaitedEntered):
    """As torqued.Client, with functions to be awaited."""

    _connection = Connection
    _robot = Robot
    _run = staticmethod(lambda coroutine: coroutine)


def connect(address: str, **settings: Any) -> Opening[Client]:
    """As torqued.connect."""
    return Opening(Client.connected(address, settings))


def local(models: Iterable[Path] | Path = (), **words: Any) -> Opening[Client]:
    """As torqued.local."""
    return Opening(Client.with_server(models, **words))
