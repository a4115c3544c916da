"""A robot whose quantities are functions to be awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from torqued.aio.opening import Opening
from torqued.arrays import FloatArray, JointInput
from torqued.check import CheckWords, plan_of
from torqued.enums import Quantity
from torqued.evaluation import (
    CenterOfMass, Energy, Evaluation, ForwardDynamicsDerivatives,
    FrameAcceleration, InverseDynamicsDerivatives, OperationalSpace,
    PowerBalance, TaskProjection)
from torqued.keywords import check_keywords
from torqued.model import Model
from torqued.options import BoundWords, CallWords, Options
from torqued.question import plain_result
from torqued.registration import RegistrationWords, Urdf, name_of
from torqued.robot_functions import RobotFunctions
from torqued.trajectory import Path, Trajectory
from torqued.verdict import TrajectoryVerdict

if TYPE_CHECKING:
    from torqued.aio.client import Client

T = TypeVar("T")
Awaited = Coroutine[Any, Any, T]


class Robot(RobotFunctions[
        Awaited[Evaluation], Awaited[TrajectoryVerdict], Awaited[FloatArray],
        Awaited[OperationalSpace], Awaited[Energy], Awaited[CenterOfMass],
        Awaited[FrameAcceleration],
        Awaited[InverseDynamicsDerivatives],
        Awaited[ForwardDynamicsDerivatives], Awaited[TaskProjection],
        Awaited[PowerBalance]]):
    """As torqued.Robot, with functions to be awaited."""

    def __init__(self, client: Client, model: Model,
                 options: Options = Options()) -> None:
        """See `Client.model`, `Client.register` and `from_urdf`."""
        super().__init__(model, options)
        self._client = client
        self._owns_client = False

    @classmethod
    def from_urdf(cls, urdf: Urdf, client: Client | None = None, *,
                  name: str | None = None,
                  **words: Unpack[RegistrationWords]) -> Opening[Robot]:
        """As torqued.Robot.from_urdf."""
        check_keywords(words, RegistrationWords.__annotations__)
        return Opening(lambda: _from_urdf(urdf, client, name, words))

    @property
    def client(self) -> Client:
        return self._client

    def with_options(self, **words: Unpack[BoundWords]) -> Self:
        """The same robot, whose calls start from these options."""
        return self._bound(words)

    async def close(self) -> None:
        """Ends the local server that `from_urdf` started, if it did."""
        if self._owns_client:
            await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None,
                        error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<torqued.aio.Robot {self.name}@{self.revision[:12]}>"

    # --- Below ---------------------------------------------------------------

    def _with(self, options: Options) -> Self:
        return type(self)(self._client, self.model, options)

    async def _computed(self, quantities: Sequence[Quantity | str],
                        inputs: Mapping[str, JointInput | None],
                        words: CallWords, stream: bool) -> Evaluation:
        evaluation = await self._evaluate(quantities, inputs, words, stream)
        evaluation.raise_or_warn(
            self._on_bad_row(words) or "mask", stacklevel=2)
        return evaluation

    async def _checked(self, trajectory: Trajectory | Path,
                       words: CheckWords) -> TrajectoryVerdict:
        # A file may be large.
        plan = await asyncio.to_thread(plan_of, self, trajectory, words)
        plan.warn(stacklevel=2)
        return await self._client.connection.check(plan)

    async def _plain(self, quantity: Quantity,
                     inputs: Mapping[str, JointInput | None],
                     words: CallWords) -> Any:
        evaluation = await self._evaluate([quantity], inputs, words, False)
        if evaluation.row_status:
            evaluation.raise_or_warn(self._on_bad_row(words), stacklevel=2)
        return plain_result(evaluation, quantity)

    async def _evaluate(self, quantities: Sequence[Quantity | str],
                        inputs: Mapping[str, JointInput | None],
                        words: CallWords, stream: bool) -> Evaluation:
        plan, progress = self._plan(quantities, inputs, words)
        return await self._client.connection.compute(plan, progress, stream)


async def _from_urdf(urdf: Urdf, client: Client | None, name: str | None,
                     words: RegistrationWords) -> Robot:
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
