"""A connection to a server, and what it serves beside dynamics, for asyncio."""

from __future__ import annotations

from types import TracebackType
from typing import (
    TYPE_CHECKING, Any, Awaitable, Iterable, List, Optional, Sequence, Type, Union)

from torqued.aio.connection import Connection, Opening
from torqued.aio.robot import Robot
from torqued.client import Calls
from torqued.values import Path

if TYPE_CHECKING:
    from torqued.contract import (
        GetServerInfoReply, ModelInfo, ModelSummary, Validation, ValidateModelReply)
    from torqued.registration import Urdf
    from torqued.settings import Health

    Seconds = Optional[float]

    class Awaited:
        connection: Connection
        address: str

        def model(self, reference: str, *, deadline: Seconds = None,
                  ) -> Awaitable[Robot]: ...
        def describe(self, reference: str, *, deadline: Seconds = None,
                     ) -> Awaitable[ModelInfo]: ...
        def source(self, reference: str, *, deadline: Seconds = None,
                   ) -> Awaitable[bytes]: ...
        def register(self, name: str, urdf: Urdf, *, tip_frame: str = "",
                     validation: Union[Validation, str, None] = None, label: str = "",
                     expected_current: Optional[str] = None, deadline: Seconds = None,
                     ) -> Awaitable[Robot]: ...
        def validate(self, urdf: Urdf, *, tip_frame: str = "",
                     validation: Union[Validation, str, None] = None,
                     deadline: Seconds = None) -> Awaitable[ValidateModelReply]: ...
        def models(self, *, deadline: Seconds = None) -> Awaitable[List[ModelSummary]]: ...
        def delete(self, name: str, *, expected_current: Optional[str] = None,
                   deadline: Seconds = None) -> Awaitable[None]: ...
        def server_info(self, *, deadline: Seconds = None,
                        ) -> Awaitable[GetServerInfoReply]: ...
        def health(self, *, deadline: Seconds = None) -> Awaitable[Health]: ...
        async def close(self) -> None: ...
else:
    Awaited = Calls


class Client(Awaited):
    """As torqued.Client, with functions to be awaited."""

    _connection = Connection
    _robot = Robot
    _run = staticmethod(lambda coroutine: coroutine)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]],
                        error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()


def connect(address: str, **settings: Any) -> "Opening[Client]":
    """As torqued.connect."""
    kind: Any = Client
    return Opening(lambda: kind.connected(address, settings))


def local(models: Union[Iterable[Path], Path] = (), *, binary: Optional[Path] = None,
          store: Optional[Path] = None, arguments: Sequence[str] = (),
          **settings: Any) -> "Opening[Client]":
    """As torqued.local."""
    kind: Any = Client
    return Opening(lambda: kind.with_server(
        models, settings, binary=binary, store=store, arguments=arguments))
