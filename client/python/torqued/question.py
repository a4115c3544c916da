"""From what a caller gives to the plan of a call; the same for both kinds of
robot."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from torqued import errors, option_types
from torqued.arrays import FloatArray, JointInput, States, Table, table
from torqued.batch import Plan
from torqued.enums import Quantity, Reason, parse
from torqued.evaluation import (
    CenterOfMass, Energy, Evaluation, ForwardDynamicsDerivatives,
    FrameAcceleration, InverseDynamicsDerivatives, PowerBalance,
    TaskProjection)
from torqued.keywords import check_keywords
from torqued.model import Joint, Model
from torqued.options import (
    BoundWords, CallWords, ExternalWrench, OnBadRow, Options, Progress)

_OPTION_NAMES = frozenset(field.name for field in dataclasses.fields(Options))
# Keyword -> name on the wire.
_SPATIAL_INPUTS = {"tip_wrench": "tip_wrench_on_environment",
                   "base_twist": "base_twist",
                   "base_acceleration": "base_acceleration",
                   "task_acceleration": "task_acceleration"}
_JOINT_INPUTS = ("q", "v", "a", "tau", "null_space_torque")

# What the function of a quantity returns, where that is not its one result.
_RETURNED: dict[Quantity, Callable[[Evaluation], Any]] = {
    Quantity.FRAME_POSE: lambda x: x.pose,
    Quantity.OPERATIONAL_SPACE: lambda x: x.operational_space,
    Quantity.ENERGY: lambda x: Energy(x.kinetic_energy, x.potential_energy),
    Quantity.CENTER_OF_MASS: lambda x: CenterOfMass(
        x.center_of_mass, x.center_of_mass_velocity),
    Quantity.FRAME_ACCELERATION: lambda x: FrameAcceleration(
        x.frame_acceleration, x.frame_acceleration_classical),
    Quantity.INVERSE_DYNAMICS_DERIVATIVES: lambda x: (
        InverseDynamicsDerivatives(x.dtau_dq, x.dtau_dv)),
    Quantity.FORWARD_DYNAMICS_DERIVATIVES: lambda x: (
        ForwardDynamicsDerivatives(x.da_dq, x.da_dv, x.da_dtau)),
    Quantity.TASK_PROJECTION: lambda x: TaskProjection(
        x.mobility, x.consistent_inverse, x.null_space_projector),
    Quantity.POWER_BALANCE: lambda x: PowerBalance(
        *np.moveaxis(x.power_balance, -1, 0)),
}


def plain_result(evaluation: Evaluation, quantity: Quantity) -> Any:
    """What the function of a quantity returns."""
    pick = _RETURNED.get(quantity)
    return (pick(evaluation) if pick
            else getattr(evaluation, evaluation.names[0]))


class Described(abc.ABC):
    """A robot's description and the options that its calls start from."""

    def __init__(self, model: Model, options: Options) -> None:
        self.model = model
        self.options = options
        self._order = [joint.name for joint in model.joints]

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def revision(self) -> str:
        """Of the description; every call of this object uses this one, even
        after the name has moved to another."""
        return self.model.revision

    @property
    def nq(self) -> int:
        return self.model.nq

    @property
    def nv(self) -> int:
        return self.model.nv

    @property
    def joints(self) -> tuple[Joint, ...]:
        return self.model.joints

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Order of all arrays, unless the options have another."""
        return tuple(self.options.joint_names or self._order)

    @property
    def frames(self) -> tuple[str, ...]:
        """Link names, root first."""
        return self.model.frames

    @property
    def tip_frame(self) -> str:
        return self.options.tip_frame or self.model.tip_frame

    @property
    def gravity(self) -> FloatArray:
        """(3,), base axes, m/s^2."""
        if self.options.gravity is not None:
            return np.array(self.options.gravity, float)
        return self.model.gravity.copy()

    @property
    def lower_limits(self) -> FloatArray:
        """(n,), rad or m, in the order of joint_names; -inf: unlimited."""
        return self._of_joints(lambda joint: joint.lower)

    @property
    def upper_limits(self) -> FloatArray:
        """(n,), rad or m; inf: unlimited."""
        return self._of_joints(lambda joint: joint.upper)

    @property
    def velocity_limits(self) -> FloatArray:
        """(n,), rad/s or m/s; inf: unlimited."""
        return self._of_joints(lambda joint: joint.velocity)

    @property
    def effort_limits(self) -> FloatArray:
        """(n,), N m or N; inf: unlimited."""
        return self._of_joints(lambda joint: joint.effort)

    def _of_joints(self, number: Callable[[Joint], float]) -> FloatArray:
        by_name = {joint.name: number(joint) for joint in self.joints}
        return np.array([by_name[name] for name in self.joint_names], float)

    @abc.abstractmethod
    def _with(self, options: Options) -> Self:
        """Of these options."""

    def _bound(self, words: BoundWords) -> Self:
        check_keywords(words, _OPTION_NAMES)
        return self._with(dataclasses.replace(self.options, **words))

    def _on_bad_row(self, words: CallWords) -> OnBadRow | None:
        return words.get("on_bad_row") or self.options.on_bad_row

    def _plan(self, quantities: Sequence[Quantity | str],
              inputs: Mapping[str, JointInput | None],
              words: CallWords) -> tuple[Plan, Progress | None]:
        check_keywords(words, CallWords.__annotations__)
        options, given = self.options, dict(words)
        progress: Any = given.pop("progress", None)
        option_types.check_progress(progress)
        chosen: dict[str, Any] = {}
        for word in list(given):
            if word == "gravity":
                if not _is_per_state(given[word]):
                    chosen[word] = given.pop(word)
            elif word in _OPTION_NAMES:
                chosen[word] = given.pop(word)
        if chosen:
            options = dataclasses.replace(options, **chosen)
        tables, external = self._tables(options, {**inputs, **given})
        plan = Plan(
            model="@" + self.revision, quantities=_quantities(quantities),
            states=States(tables), options=options, external=external,
            n=self.nv)
        return plan, progress

    def _tables(self, options: Options, given: Mapping[str, Any],
                ) -> tuple[dict[str, Table], Sequence[ExternalWrench]]:
        order = options.joint_names or self._order
        tables: dict[str, Table] = {}
        for name in _JOINT_INPUTS:
            if given.get(name) is not None:
                tables[name] = table(name, given[name], order)
        for word, name in _SPATIAL_INPUTS.items():
            if given.get(word) is not None:
                tables[name] = table(word, given[word])
        if given.get("gravity") is not None:
            tables["gravity"] = table("gravity", given["gravity"])
        external = _external(given.get("external_wrenches"))
        if external:
            tables["external_wrenches_on_robot"] = _beside(external)
        return tables, external


def _is_per_state(gravity: Any) -> bool:
    """Whether it is rows, maybe of different lengths."""
    try:
        return np.ndim(gravity) >= 2
    except ValueError:
        return True


def _quantities(names: Sequence[Quantity | str]) -> tuple[Quantity, ...]:
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, Iterable):
        option_types.refuse("quantities", "a list of torqued.Quantity or their "
                            "names", names)
    chosen = []
    for index, name in enumerate(names):
        try:
            chosen.append(parse(Quantity, name))
        except ValueError as error:
            raise errors.invalid(Reason.INVALID_FIELD, f"quantities[{index}]",
                                 str(error)) from None
    return tuple(chosen)


def _external(given: Any) -> Sequence[ExternalWrench]:
    if given is None:
        return ()
    if isinstance(given, Mapping):
        return [ExternalWrench(wrench, frame)
                for frame, wrench in given.items()]
    if isinstance(given, ExternalWrench) or not isinstance(given, Iterable):
        option_types.refuse(
            "external_wrenches",
            "a list of torqued.ExternalWrench, or a dict from link names to "
            "wrenches", given)
    listed = list(given)
    for index, wrench in enumerate(listed):
        if not isinstance(wrench, ExternalWrench):
            option_types.refuse(f"external_wrenches[{index}]",
                                "a torqued.ExternalWrench", wrench)
    return listed


def _beside(external: Sequence[ExternalWrench]) -> Table:
    """All wrenches in one table, six columns each."""
    name = "external_wrenches"
    tables = [table(name, wrench.wrench) for wrench in external]
    rows = max(len(numbers.rows) for numbers in tables)
    for index, numbers in enumerate(tables):
        count, columns = numbers.rows.shape
        if columns != 6:
            raise errors.invalid(
                Reason.WRONG_COLUMN_COUNT, name,
                f"external wrench {index} has {columns} numbers; give 6")
        if count not in (1, rows):
            raise errors.invalid(
                Reason.WRONG_ROW_COUNT, name,
                f"external wrench {index} has {count} rows, another {rows}")
    whole = np.concatenate(
        [np.broadcast_to(numbers.rows, (rows, 6)) for numbers in tables], 1)
    return Table(np.ascontiguousarray(whole),
                 all(numbers.single for numbers in tables))
