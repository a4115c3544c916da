"""A robot whose quantities are functions to be awaited."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Optional, Type

from torqued.aio.connection import Opening
from torqued.contract import AwaitedFunctions
from torqued.registration import Urdf
from torqued.robot import Described, registered

if TYPE_CHECKING:
    from torqued.aio.client import Client

    class Awaited(Described):
        async def close(self) -> None: ...  # type: ignore[override]
else:
    Awaited = Described


class Robot(Awaited, AwaitedFunctions):
    """As torqued.Robot, with functions to be awaited."""

    @classmethod
    def from_urdf(cls, urdf: Urdf, client: "Optional[Client]" = None, *,
                  name: Optional[str] = None, **words: Any) -> "Opening[Robot]":
        """As torqued.Robot.from_urdf."""
        from torqued.aio.client import Client

        return Opening(lambda: registered(Client, client, name, urdf, words))

    async def __aenter__(self) -> Robot:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]],
                        error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()
