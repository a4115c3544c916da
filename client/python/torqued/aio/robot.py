"""A robot whose quantities are functions to be awaited."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Type

from torqued.aio.opening import Opening
from torqued.contract import AwaitedFunctions, Quantity
from torqued.evaluation import Evaluation
from torqued.registration import Urdf, name_of
from torqued.robot import Described
from torqued.verdict import TrajectoryVerdict

if TYPE_CHECKING:
    from torqued.aio.client import Client


class Robot(Described, AwaitedFunctions):
    """As torqued.Robot, with functions to be awaited."""

    @classmethod
    def from_urdf(cls, urdf: Urdf, client: "Optional[Client]" = None, *,
                  name: Optional[str] = None, **words: Any) -> "Opening[Robot]":
        """As torqued.Robot.from_urdf."""
        return Opening(lambda: _from_urdf(urdf, client, name, words))

    async def close(self) -> None:
        """Ends the local server that `from_urdf` started, if it did."""
        if self._owns_client:
            await self._client.close()

    async def __aenter__(self) -> Robot:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]],
                        error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()

    # --- Below ---------------------------------------------------------------

    async def _one(self, quantity: Quantity, words: Mapping[str, Any]) -> Any:
        return (await self._several([quantity], words)).returned(quantity)

    async def _several(self, quantities: Sequence[Any], words: Mapping[str, Any],
                       ) -> Evaluation:
        words = self._words(words)
        evaluation: Evaluation = await self._client.connection.compute(
            self._plan(quantities, words))
        evaluation.raise_or_warn(words.get("bad_rows"), stacklevel=3)
        return evaluation

    async def _checked(self, words: Mapping[str, Any]) -> TrajectoryVerdict:
        # A file may be large.
        plan = await asyncio.to_thread(self._check_plan, self._words(words))
        plan.warn(stacklevel=2)
        verdict: TrajectoryVerdict = await self._client.connection.check(plan)
        return verdict


async def _from_urdf(urdf: Urdf, client: "Optional[Client]", name: Optional[str],
                     words: Mapping[str, Any]) -> Robot:
    from torqued.aio.client import local

    owned = client is None
    client = await local() if client is None else client
    try:
        robot = await client.register(name or name_of(urdf), urdf, **words)
    except BaseException:
        if owned:
            await client.close()
        raise
    robot._owns_client = owned
    return robot
