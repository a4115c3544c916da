"""What a call may choose, beside its states."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import (
    Any, Literal, Protocol, TypedDict, TypeVar, Union, get_args)

import numpy.typing as npt

from torqued import errors, option_types
from torqued.arrays import JointInput
from torqued.enums import (
    Differentiation, Precision, Reason, ReferenceFrame, SingularityRule,
    TaskAxis, Validation, parse)
from torqued.keywords import names_its_fields
from torqued.quantities import OF_THE_TASK
from torqued.enums import Quantity
from torqued.v1 import array_pb2, dynamics_pb2

#: What to do about rows that are not OK; see `Options.on_bad_row`.
OnBadRow = Literal["raise", "warn", "mask"]


class ProgressBar(Protocol):
    """What tqdm has."""

    total: Any

    def update(self, n: int, /) -> Any: ...


#: Called with (states done, states of all), or a tqdm-like bar.
Progress = Union[Callable[[int, int], Any], ProgressBar]


@names_its_fields
@dataclasses.dataclass(frozen=True)
class Payload:
    """A rigid body that a frame carries, as if the model had a link there.

    mass: kg, at least 0.
    frame: link name; "": the tip frame.
    center_of_mass: from the frame's origin in its axes, m; None: the origin.
    inertia: I_xx, I_xy, I_xz, I_yy, I_yz, I_zz about the centre of mass in axes
        of the frame, kg m^2; None: a point mass.
    """

    mass: float
    frame: str = ""
    center_of_mass: Sequence[float] | None = None
    inertia: Sequence[float] | None = None

    def __post_init__(self) -> None:
        option_types.check_text("payload.frame", self.frame)
        option_types.number("payload.mass", self.mass)
        for word in ("center_of_mass", "inertia"):
            object.__setattr__(self, word, option_types.numbers(
                f"payload.{word}", getattr(self, word)))


@names_its_fields
@dataclasses.dataclass(frozen=True)
class ExternalWrench:
    """What acts ON THE ROBOT at a link.

    wrench: 6 numbers (moment; force), N m and N, or one row of them per state.
    frame: link name; "": the tip frame.
    reference_frame: its axes and its point, of that frame.
    """

    wrench: npt.ArrayLike
    frame: str = ""
    reference_frame: ReferenceFrame | str = ReferenceFrame.LOCAL

    def __post_init__(self) -> None:
        option_types.check_text("external_wrenches.frame", self.frame)


@names_its_fields
@dataclasses.dataclass(frozen=True)
class Options:
    """Choices of a call, all with a default. See `Robot.with_options`.

    joint_names: order of the joints in all arrays of the call, every movable
        joint once. None: the model's.
    gravity: 3 numbers, m/s^2, base axes. None: the model's.
    viscous_friction, coulomb_friction: add the model's.
    coulomb_smoothing: a velocity e; friction is F_s tanh(v / e). None:
        F_s sgn v.
    tip_frame: link name; "": the model's.
    reference_frame: of Jacobians, twists and accelerations of the tip, Lambda
        and eta.
    tip_wrench_frame: axes and point of the tip wrench.
    precision: of the computing.
    payload: what a frame carries.
    axes: rows of the task, in this order. None: all six.
    singularity, damping: what to return where the task is singular. DAMPED
        needs a `damping` > 0, REPORT none.
    rank_tolerance, characteristic_length: of the rank test; the length from
        1e-30 to 1e30 m; None: 1e-6, 1 m.
    sigma_min: return it with the operational space.
    fail_fast: a row that is not OK fails the whole call (InvalidArgument,
        ROW_FAILED).
    on_bad_row: "raise": RowError for the first row that is not OK. "warn": a
        warning (BadRowsWarning, SingularTaskWarning, WeakTaskWarning); rows
        without an answer are NaN. "mask": nothing; look at `Evaluation.ok`. None: compute() takes
        "mask"; the functions that return plain arrays raise where one state has
        no answer and warn otherwise.
    deadline: seconds for the whole call, retries included. None: the client's.

    Raises InvalidArgument for what is not of the kind that an option takes; what
    numbers and names mean, the server looks at.
    """

    joint_names: Sequence[str] | None = None
    gravity: Sequence[float] | None = None
    viscous_friction: bool = False
    coulomb_friction: bool = False
    coulomb_smoothing: float | None = None
    tip_frame: str = ""
    reference_frame: ReferenceFrame | str | None = None
    tip_wrench_frame: ReferenceFrame | str | None = None
    precision: Precision | str | None = None
    payload: Payload | None = None
    axes: Sequence[TaskAxis | str] | None = None
    singularity: SingularityRule | str | None = None
    damping: float | None = None
    rank_tolerance: float | None = None
    characteristic_length: float | None = None
    sigma_min: bool = False
    fail_fast: bool = False
    on_bad_row: OnBadRow | None = None
    deadline: float | None = None

    def __post_init__(self) -> None:
        names = option_types.names("joint_names", self.joint_names)
        object.__setattr__(self, "joint_names", names)
        object.__setattr__(self, "gravity", option_types.numbers(
            "gravity", self.gravity))
        option_types.check_text("tip_frame", self.tip_frame)
        for word in ("viscous_friction", "coulomb_friction", "sigma_min",
                     "fail_fast"):
            option_types.check_switch(word, getattr(self, word))
        for word in ("coulomb_smoothing", "damping", "rank_tolerance",
                     "characteristic_length"):
            option_types.check_number(word, getattr(self, word))
        option_types.check_seconds("deadline", self.deadline)
        if not isinstance(self.payload, (Payload, type(None))):
            option_types.refuse("payload", "a torqued.Payload, for example "
                                "Payload(mass=2.0)", self.payload)
        if isinstance(self.axes, str) or not isinstance(
                self.axes, (Iterable, type(None))):
            option_types.refuse("axes", "a list of torqued.TaskAxis or their "
                                "names", self.axes)
        if self.on_bad_row not in (None, *get_args(OnBadRow)):
            option_types.refuse("on_bad_row", '"raise", "warn" or "mask"',
                                self.on_bad_row)


class CommonWords(TypedDict, total=False):
    """Fields of `Options` as keywords, those that all functions take."""

    joint_names: Sequence[str] | None
    viscous_friction: bool
    coulomb_friction: bool
    coulomb_smoothing: float | None
    tip_frame: str
    reference_frame: ReferenceFrame | str | None
    tip_wrench_frame: ReferenceFrame | str | None
    precision: Precision | str | None
    payload: Payload | None
    axes: Sequence[TaskAxis | str] | None
    singularity: SingularityRule | str | None
    damping: float | None
    rank_tolerance: float | None
    characteristic_length: float | None
    sigma_min: bool
    deadline: float | None


class OptionWords(CommonWords, total=False):
    """Those of functions whose rows are states, too."""

    fail_fast: bool
    on_bad_row: OnBadRow | None


class BoundWords(OptionWords, total=False):
    """What `with_options` takes: all fields of `Options`."""

    gravity: Sequence[float] | None


class CallWords(OptionWords, total=False):
    """What every function of a robot takes beside its states: the fields of
    `Options` and

    gravity: 3 numbers, or one row of them per state.
    tip_wrench: 6 numbers (moment; force) that the tip exerts ON THE
        ENVIRONMENT, or one row per state; N m, N.
    external_wrenches: what acts ON THE ROBOT, each with its link; or a dict
        from link names to wrenches in LOCAL axes.
    base_twist: 6 numbers (angular; linear), base axes, rad/s, m/s. Absent: at
        rest.
    base_acceleration: rate of the twist's components. Absent: zeros.
    task_acceleration: one number per axis of the task. Absent: zeros.
    null_space_torque: one number per joint, N m or N. Absent: zeros.
    progress: told how many states are done.
    """

    gravity: npt.ArrayLike | None
    tip_wrench: npt.ArrayLike | None
    external_wrenches: (
        Sequence[ExternalWrench] | Mapping[str, npt.ArrayLike] | None)
    base_twist: npt.ArrayLike | None
    base_acceleration: npt.ArrayLike | None
    task_acceleration: npt.ArrayLike | None
    null_space_torque: JointInput | None
    progress: Progress | None


E = TypeVar("E", ReferenceFrame, Precision, SingularityRule, TaskAxis,
            Differentiation, Validation)


def choice(kind: type[E], given: E | str | None, field: str) -> Any:
    """The number on the wire, which has enum types of its own; 0 for None.
    Raises InvalidArgument."""
    if given is None:
        return 0
    try:
        return parse(kind, given).value
    except ValueError as error:
        raise errors.invalid(Reason.INVALID_OPTION, field,
                             str(error)) from None


def task_axes(options: Options) -> list[Any]:
    return [choice(TaskAxis, axis, f"operational_space.axes[{index}]")
            for index, axis in enumerate(options.axes or ())]


def options_message(
        options: Options,
        external: Sequence[ExternalWrench]) -> dynamics_pb2.Options:
    message = dynamics_pb2.Options(
        encoding=array_pb2.ENCODING_F64,
        joint_names=options.joint_names or (),
        tip_frame=options.tip_frame,
        reference_frame=choice(
            ReferenceFrame, options.reference_frame, "options.reference_frame"),
        precision=choice(Precision, options.precision, "options.precision"),
        fail_fast=bool(options.fail_fast))
    if (options.gravity is not None or options.viscous_friction
            or options.coulomb_friction
            or options.coulomb_smoothing is not None):
        message.terms.CopyFrom(dynamics_pb2.Terms(
            gravity=options.gravity,
            viscous_friction=bool(options.viscous_friction),
            coulomb_friction=bool(options.coulomb_friction),
            coulomb_smoothing=options.coulomb_smoothing or 0))
    if options.payload is not None:
        payload = options.payload
        message.payload.CopyFrom(dynamics_pb2.Payload(
            frame=payload.frame,
            mass=float(payload.mass), center_of_mass=payload.center_of_mass,
            inertia=payload.inertia))
    for index, place in enumerate(external):
        message.external_wrenches.add(
            frame=place.frame, reference_frame=choice(
                ReferenceFrame, place.reference_frame,
                f"options.external_wrenches[{index}].reference_frame"))
    return message


def task_message(
        options: Options, quantities: Sequence[Quantity],
) -> dynamics_pb2.OperationalSpaceOptions | None:
    """None where no quantity has a task."""
    if OF_THE_TASK.isdisjoint(quantities):
        return None
    message = dynamics_pb2.OperationalSpaceOptions(
        axes=task_axes(options), damping=options.damping or 0,
        singularity=choice(SingularityRule, options.singularity,
                           "operational_space.singularity"),
        sigma_min=bool(options.sigma_min))
    if options.rank_tolerance is not None:
        message.rank_tolerance = options.rank_tolerance
    if options.characteristic_length is not None:
        message.characteristic_length = options.characteristic_length
    return message
