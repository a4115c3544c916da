"""A robot whose quantities are functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

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
from torqued.plain_text import plain
from torqued.question import plain_result
from torqued.registration import RegistrationWords, Urdf, name_of
from torqued.robot_functions import RobotFunctions
from torqued.trajectory import Path, Trajectory
from torqued.verdict import TrajectoryVerdict

if TYPE_CHECKING:
    from torqued.client import Client


class Robot(RobotFunctions[
        Evaluation, TrajectoryVerdict, FloatArray, OperationalSpace, Energy,
        CenterOfMass, FrameAcceleration, InverseDynamicsDerivatives,
        ForwardDynamicsDerivatives, TaskProjection, PowerBalance]):
    """One revision of a robot on a server. Immutable, thread-safe.

    q, v, a and tau are one state [n] or a row per state [N, n], in the order of
    `joint_names`, rad or m, rad/s or m/s, rad/s^2 or m/s^2, N m or N; or a dict
    or a table with one column for each joint, by name. A single row serves all
    states. Absent v and a are zeros. One state has results without a leading
    axis, a batch has [N, ...] before the shapes that are given here. Batches of
    any size do: large ones travel in parts. The keywords of all functions are
    those of `CallWords` and of `Options`.

    Every function raises TorquedError: InvalidArgument for what cannot be used,
    with field, joint and row; Unavailable, DeadlineExceeded, Overloaded, ...
    for what went wrong between here and the server. A single state without an
    answer raises RowError; rows of a batch without one are NaN, with a
    BadRowsWarning. `Options.on_bad_row` chooses otherwise.
    """

    def __init__(self, client: Client, model: Model,
                 options: Options = Options()) -> None:
        """See `Client.model`, `Client.register` and `from_urdf`."""
        super().__init__(model, options)
        self._client = client
        self._owns_client = False

    @classmethod
    def from_urdf(cls, urdf: Urdf, client: Client | None = None, *,
                  name: str | None = None,
                  **words: Unpack[RegistrationWords]) -> Robot:
        """Registers a robot description, a path or its text, and returns it.

        client: None: a local server is started, and ends with the robot's
        `close`, a `with` block, or the program. name: None: the file's, or the
        robot's own. Raises InvalidArgument (INVALID_MODEL) with the line of
        each fault as field violations, LocalServerError, OSError.
        """
        from torqued.client import local

        check_keywords(words, RegistrationWords.__annotations__)
        owned = client is None
        client = local() if client is None else client
        try:
            robot = client.register(name or name_of(urdf), urdf, **words)
        except BaseException:
            if owned:
                client.close()
            raise
        robot._owns_client = owned
        return robot

    @property
    def client(self) -> Client:
        return self._client

    def with_options(self, **words: Unpack[BoundWords]) -> Self:
        """The same robot, whose calls start from these options."""
        return self._bound(words)

    def close(self) -> None:
        """Ends the local server that `from_urdf` started, if it did."""
        if self._owns_client:
            self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<torqued.Robot {plain(self.name)}@{self.revision[:12]}>"

    # --- Below ---------------------------------------------------------------

    def _with(self, options: Options) -> Self:
        return type(self)(self._client, self.model, options)

    def _computed(self, quantities: Sequence[Quantity | str],
                  inputs: Mapping[str, JointInput | None], words: CallWords,
                  stream: bool) -> Evaluation:
        evaluation = self._evaluate(quantities, inputs, words, stream)
        evaluation.raise_or_warn(
            self._on_bad_row(words) or "mask", stacklevel=3)
        return evaluation

    def _checked(self, trajectory: Trajectory | Path,
                 words: CheckWords) -> TrajectoryVerdict:
        plan = plan_of(self, trajectory, words)
        plan.warn(stacklevel=3)
        return self._client.connection.check(plan)

    def _plain(self, quantity: Quantity,
               inputs: Mapping[str, JointInput | None],
               words: CallWords) -> Any:
        evaluation = self._evaluate([quantity], inputs, words, False)
        if evaluation.row_status:
            evaluation.raise_or_warn(self._on_bad_row(words), stacklevel=3)
        return plain_result(evaluation, quantity)

    def _evaluate(self, quantities: Sequence[Quantity | str],
                  inputs: Mapping[str, JointInput | None], words: CallWords,
                  stream: bool) -> Evaluation:
        plan, progress = self._plan(quantities, inputs, words)
        return self._client.connection.compute(plan, progress, stream)
