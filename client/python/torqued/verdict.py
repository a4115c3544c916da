"""What a trajectory asks of a robot, and whether it keeps the limits."""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import pathlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from google.protobuf import json_format

from torqued import errors
from torqued.arrays import FloatArray
from torqued.enums import Differentiation, LimitKind, Reason
from torqued.formats.numpy_files import write_npy
from torqued.plain_text import plain
from torqued.remarks import (
    CoarseStep, Peak, Remark, coarse_step_of, peak_of, remark_of)
from torqued.trajectory import Path, Trajectory, write_blocks
from torqued.v1 import trajectory_pb2 as pb


@dataclasses.dataclass(frozen=True, eq=False)
class JointPeaks:
    """A Peak of every joint, (n,) each. A joint that has none has sample -1 and
    NaN."""

    sample: npt.NDArray[np.int64]
    time: FloatArray
    value: FloatArray
    between: npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class JointDemands:
    """What is asked of the joints, (n,) each, in the order of `names`.

    torque, velocity: of the largest magnitude, signed; N m or N, rad/s or m/s.
    torque_use: |tau| over the limit at that speed, derated; velocity_use: |v|
        over the limit. No peak where there is no limit.
    lowest_position, highest_position: rad or m.
    highest_power, lowest_power: tau v, W.
    rms_torque: root of the mean over time; rms_torque_use: the same of tau over
        its limit, NaN where there is none.
    energy_given, energy_taken: integrals of the positive and of the negative
        power, both at least 0; J.
    lower_limit, upper_limit, velocity_limit, torque_limit (at rest, derated):
        what counted; infinite where there is none.
    torque_curves: of each joint the corners of a torque limit that changes with
        the speed, (k, 2): magnitudes of the speed, increasing, and the torques
        there, derated; (0, 2) where the limit at rest counts at all speeds.
        Straight lines between them, constant before the first and behind the
        last.
    torque_violations, velocity_violations, position_violations,
        velocity_remarks, acceleration_remarks: how many, also those that the
        verdict does not list.
    """

    names: tuple[str, ...]
    torque: JointPeaks
    velocity: JointPeaks
    torque_use: JointPeaks
    velocity_use: JointPeaks
    lowest_position: JointPeaks
    highest_position: JointPeaks
    highest_power: JointPeaks
    lowest_power: JointPeaks
    rms_torque: FloatArray
    rms_torque_use: FloatArray
    energy_given: FloatArray
    energy_taken: FloatArray
    lower_limit: FloatArray
    upper_limit: FloatArray
    velocity_limit: FloatArray
    torque_limit: FloatArray
    torque_curves: tuple[FloatArray, ...]
    torque_violations: npt.NDArray[np.int64]
    velocity_violations: npt.NDArray[np.int64]
    position_violations: npt.NDArray[np.int64]
    velocity_remarks: npt.NDArray[np.int64]
    acceleration_remarks: npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class LimitViolation:
    """Samples side by side at which one joint breaks one kind of limit, and the
    extrema of a derived spline next to them.

    begin, end: times of the first and the last of them. samples: how many from
    first to last break it; 0: nothing but an extremum between first_sample and
    the next one does. limit: at the worst sample. severity: there, |value|
    over the limit; of positions 1 and the share of the range by which it is
    left.
    """

    kind: LimitKind
    joint: str
    first_sample: int
    last_sample: int
    begin: float
    end: float
    samples: int
    worst: Peak
    limit: float
    severity: float

    def __str__(self) -> str:
        return (f"{self.kind.name.lower()} of {plain(self.joint)}: "
                f"{self.worst.value:g} where the limit is {self.limit:g}, at "
                f"{self.worst.time:g} s ({self.worst.place})")


@dataclasses.dataclass(frozen=True)
class LimitedBy:
    """What stands in the way: a limit of a joint at a sample, or with `between` at
    `time` between this sample and the next one.

    kind: None only from a server that leaves it out.
    """

    sample: int
    time: float
    joint: str
    kind: LimitKind | None
    between: bool = False

    def __str__(self) -> str:
        what = f"the {self.kind.name.lower()} of " if self.kind else ""
        samples = (f"between samples {self.sample} and {self.sample + 1}"
                   if self.between else f"sample {self.sample}")
        return f"{what}{plain(self.joint)} at {self.time:g} s ({samples})"


@dataclasses.dataclass(frozen=True)
class PayloadRange:
    """The masses, kg, with which the torque limits are kept; centre of mass and
    inertia per kg are those of the payload, or of a point at the tip.

    possible: False: none. most: infinite where nothing is in its way.
    """

    possible: bool
    least: float
    most: float
    limited_by: LimitedBy | None


@dataclasses.dataclass(frozen=True)
class SlowDown:
    """How much slower the whole trajectory must run to keep torque and velocity
    limits, or how much faster it may; see `Trajectory.slower`.

    possible: False: at no pace; limited_by is what breaks its limit however
        slowly the trajectory runs: a torque at rest, or a joint that moves where
        its velocity limit is 0.
    factor: times are multiplied by it; 1 where the limits are kept as it is.
    limited_by: what stands in the way of less; None: nothing.
    fastest: where factor is 1, up to so many times as fast the limits are kept:
        at least 1, infinite where nothing is in the way; else 0.
    fastest_limited_by: what stands in the way of more; None: nothing.
    """

    possible: bool
    factor: float
    limited_by: LimitedBy | None
    fastest: float
    fastest_limited_by: LimitedBy | None


@dataclasses.dataclass(frozen=True)
class PathInertia:
    """Of the task along the path: the smallest of the smallest singular values
    of its scaled Jacobian, and the largest condition of Lambda."""

    sigma_min: Peak
    condition: Peak


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TrajectoryVerdict:
    """Does a robot keep its limits along a trajectory; docs/trajectory.md.

    passes: no limit is broken, and with `consistent` there is no remark.
    joints: what is asked of each; in the order of all columns.
    violations: the gravest first, at most 1000; violation_count: of all.
    first_violation: the one that begins first; None: there is none.
    remarks: where samples contradict each other, the gravest first, at most
        100; remark_count: of all.
    judged_between: positions and velocities were judged between samples, too,
        at the extrema of the spline that `derived` names.
    coarse_step: the largest step, where it is coarse; None: none is.
    samples, duration (s): of the trajectory.
    highest_power, lowest_power (W), energy_given, energy_taken (J): of all
        joints together; 0 at the first sample for a robot without joints.
        Powers are None only from a server that leaves them out.
    payload: None where nothing carries one.
    slow_down: with a factor of 1 for a robot without joints. None only from a
        server that leaves it out.
    path_inertia: None unless `task` was asked for.
    derived: how v and a were; None: they were given.
    tables: those that were asked for, by name: "tau", "v", "a", "path_a" to
        "path_e" and "torque_limit" (N, n), "sigma_min" and "condition" (N,).
    model, revision, server_version, target, tip_frame: what computed this.
    trajectory: what was checked, columns in the order of `joints`.
    inputs: what was asked beside `asked` and the trajectory: "wrench_frame", and
        where it was given "wrench", a row or one for each sample, or
        "wrench_profile", a table of time, moment and force.
    seconds: that the check took.
    """

    passes: bool
    joints: JointDemands
    violations: tuple[LimitViolation, ...]
    violation_count: int
    first_violation: LimitViolation | None
    remarks: tuple[Remark, ...]
    remark_count: int
    judged_between: bool
    coarse_step: CoarseStep | None
    samples: int
    duration: float
    highest_power: Peak | None
    lowest_power: Peak | None
    energy_given: float
    energy_taken: float
    payload: PayloadRange | None
    slow_down: SlowDown | None
    path_inertia: PathInertia | None
    derived: Differentiation | None
    tables: Mapping[str, FloatArray]
    trajectory: Trajectory
    inputs: Mapping[str, Any]
    seconds: float
    #: As it travelled.
    message: pb.TrajectoryVerdict

    @property
    def model(self) -> str:
        return self.message.echo.model

    @property
    def revision(self) -> str:
        return self.message.echo.revision

    @property
    def server_version(self) -> str:
        return self.message.echo.server_version

    @property
    def target(self) -> str:
        return self.message.echo.target

    @property
    def tip_frame(self) -> str:
        return self.message.echo.tip_frame

    @property
    def judged(self) -> str:
        """What was: "301 samples, nothing between them" or "301 samples and the
        cubic spline between them"."""
        text = f"{self.samples} sample" + ("" if self.samples == 1 else "s")
        if self.judged_between and self.derived is not None:
            spline = self.derived.name.partition("_")[0].lower()
            return f"{text} and the {spline} spline between them"
        return text if self.samples == 1 else f"{text}, nothing between them"

    @property
    def asked(self) -> pb.CheckTrajectoryStart:
        """The options, as the server understood them."""
        return self.message.asked

    def to_dict(self) -> dict[str, Any]:
        """Everything but the tables, in words of JSON, as `torquectl trajectory
        check --output json` writes it. Numbers that JSON lacks are strings:
        "Infinity"."""
        return {"trajectory": self.trajectory.file,
                **_counts_as_numbers(json_format.MessageToDict(
                    self.message, preserving_proto_field_name=True,
                    **{_WITH_ZEROS: True})),
                "inputs": {name: said.tolist() if isinstance(said, np.ndarray)
                           else said for name, said in self.inputs.items()},
                "seconds": self.seconds}

    def to_json(self, indent: int | None = 2) -> str:
        """See `to_dict`."""
        return json.dumps(self.to_dict(), indent=indent)

    def write_torques(self, path: Path) -> None:
        """The torques, where `tables` had "tau", by the suffix of the file:
        .csv with the columns `time`, `<joint>.tau`; .npy with tau; .npz with
        tau beside time, q, v, a and joint_names; .yaml, .yml and .json, a
        trajectory_msgs/JointTrajectory with the torques as effort. Raises
        InvalidArgument, OSError."""
        tau = self.tables.get("tau")
        if tau is None:
            raise errors.invalid(
                Reason.MISSING_INPUT, "tables",
                'there are no torques: give tables=["tau"] to the check')
        path = pathlib.Path(path)
        suffix = path.suffix.lower()
        if suffix == ".npy":
            write_npy(path, tau)
            return
        blocks = {"tau": tau}
        if suffix != ".csv":
            moved = self.trajectory
            blocks = {name: numbers for name, numbers in (
                ("q", moved.q), ("v", self.tables.get("v", moved.v)),
                ("a", self.tables.get("a", moved.a)), ("tau", tau))
                if numbers is not None}
        write_blocks(path, self.joints.names, self.trajectory.time, blocks)

    def __str__(self) -> str:
        text = "passes" if self.passes else "fails"
        if self.violations:
            text += (f": {self.violation_count} violation"
                     + ("s" if self.violation_count > 1 else "")
                     + f", the gravest {self.violations[0]}")
        if self.remarks:
            text += (("; " if self.violations else ": ")
                     + f"{self.remark_count} remark"
                     + ("s" if self.remark_count > 1 else "")
                     + f" on the samples, the gravest {self.remarks[0]}")
        if self.slow_down is not None and self.violations:
            text += "; " + (
                f"torques and velocities are kept {self.slow_down.factor:g} "
                "times as slow" if self.slow_down.possible
                else f"limits are kept at no pace, for "
                f"{self.slow_down.limited_by}")
        return text

    def __repr__(self) -> str:
        return (f"<torqued.TrajectoryVerdict of {plain(self.model)}, "
                f"{self.samples} samples over {self.duration:g} s: {self}>")


def verdict_of(message: pb.TrajectoryVerdict, trajectory: Trajectory,
               tables: Mapping[str, FloatArray], inputs: Mapping[str, Any],
               seconds: float) -> TrajectoryVerdict:
    def part(name: str, of: Callable[[Any], Any]) -> Any:
        return of(getattr(message, name)) if message.HasField(name) else None

    return TrajectoryVerdict(
        passes=message.passes, joints=_demands(message),
        violations=tuple(map(_violation, message.violations)),
        violation_count=message.violation_count,
        first_violation=part("first_violation", _violation),
        remarks=tuple(map(remark_of, message.remarks)),
        remark_count=message.remark_count,
        judged_between=message.judged_between,
        coarse_step=part("coarse_step", coarse_step_of),
        samples=message.samples, duration=message.duration,
        highest_power=part("highest_power", peak_of),
        lowest_power=part("lowest_power", peak_of),
        energy_given=message.energy_given, energy_taken=message.energy_taken,
        payload=part("payload", lambda x: PayloadRange(
            x.possible, x.least, x.most, _limited_by(x))),
        slow_down=part("slow_down", lambda x: SlowDown(
            x.possible, x.factor, _limited_by(x), x.fastest,
            _limited_by(x, "fastest_limited_by"))),
        path_inertia=part("path_inertia", lambda x: PathInertia(
            peak_of(x.sigma_min), peak_of(x.condition))),
        derived=Differentiation(message.derived) if message.derived else None,
        tables=tables, trajectory=trajectory, inputs=inputs, seconds=seconds,
        message=message)


def _limited_by(message: Any, field: str = "limited_by") -> LimitedBy | None:
    if not message.HasField(field):
        return None
    place = getattr(message, field)
    return LimitedBy(place.sample, place.time, place.joint,
                     LimitKind(place.kind) if place.kind else None,
                     place.between)


def _violation(message: pb.LimitViolation) -> LimitViolation:
    return LimitViolation(
        kind=LimitKind(message.kind), joint=message.joint,
        first_sample=message.first_sample, last_sample=message.last_sample,
        begin=message.begin, end=message.end, samples=message.samples,
        worst=peak_of(message.worst), limit=message.limit,
        severity=message.severity)


def _demands(message: pb.TrajectoryVerdict) -> JointDemands:
    joints = message.joints

    def peaks(name: str) -> JointPeaks:
        found = [peak_of(getattr(joint, name)) if joint.HasField(name)
                 else Peak(-1, math.nan, math.nan) for joint in joints]
        return JointPeaks(
            np.array([peak.sample for peak in found], np.int64),
            np.array([peak.time for peak in found], float),
            np.array([peak.value for peak in found], float),
            np.array([peak.between for peak in found], np.bool_))

    def numbers(name: str) -> FloatArray:
        return np.array([getattr(joint, name) for joint in joints], float)

    def counts(name: str) -> npt.NDArray[np.int64]:
        return np.array([getattr(joint, name) for joint in joints], np.int64)

    def where_there(name: str, absent: float) -> FloatArray:
        return np.array([getattr(joint, name) if joint.HasField(name)
                         else absent for joint in joints], float)

    return JointDemands(
        names=tuple(joint.joint for joint in joints),
        torque=peaks("torque"), velocity=peaks("velocity"),
        torque_use=peaks("torque_use"), velocity_use=peaks("velocity_use"),
        lowest_position=peaks("lowest_position"),
        highest_position=peaks("highest_position"),
        highest_power=peaks("highest_power"),
        lowest_power=peaks("lowest_power"), rms_torque=numbers("rms_torque"),
        rms_torque_use=where_there("rms_torque_use", math.nan),
        energy_given=numbers("energy_given"),
        energy_taken=numbers("energy_taken"),
        lower_limit=where_there("lower_limit", -math.inf),
        upper_limit=where_there("upper_limit", math.inf),
        velocity_limit=where_there("velocity_limit", math.inf),
        torque_limit=where_there("torque_limit", math.inf),
        torque_curves=tuple(
            np.column_stack((np.array(joint.torque_limit_speeds, float),
                             np.array(joint.torque_limit_torques, float)))
            for joint in joints),
        torque_violations=counts("torque_violations"),
        velocity_violations=counts("velocity_violations"),
        position_violations=counts("position_violations"),
        velocity_remarks=counts("velocity_remarks"),
        acceleration_remarks=counts("acceleration_remarks"))


# --- As JSON -----------------------------------------------------------------

# Newer protobufs have another name for it.
_WITH_ZEROS = next(
    name for name in inspect.signature(json_format.MessageToDict).parameters
    if name in ("including_default_value_fields",
                "always_print_fields_with_no_presence"))
# Numbers of samples, which protobuf's JSON makes strings.
_COUNTS = frozenset(
    field.name for message in pb.DESCRIPTOR.message_types_by_name.values()
    for field in message.fields if field.type == field.TYPE_UINT64)


def _counts_as_numbers(json_of_message: Any) -> Any:
    if isinstance(json_of_message, dict):
        return {name: int(value) if name in _COUNTS else
                _counts_as_numbers(value)
                for name, value in json_of_message.items()}
    if isinstance(json_of_message, list):
        return [_counts_as_numbers(item) for item in json_of_message]
    return json_of_message
