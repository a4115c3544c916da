"""Limits and drives of joints in the place of the model's."""

from __future__ import annotations

import io
import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypedDict, Union

from torqued import errors
from torqued.checking import refuse
from torqued.contract import JointInfo, Reason
from torqued.formats import json_tree, yaml_tree
from torqued.near_names import hint
from torqued.v1 import trajectory_pb2 as pb
from torqued.values import Path

_BOUNDS = ("lower", "upper", "velocity", "effort")
_DRIVE = ("viscous_friction", "coulomb_friction", "armature")
# Those of a file; no robot needs more.
_MOST_LEVELS = 8
_EXAMPLE = '{"elbow_joint": {"velocity": 2, "effort": 120}}'
# Of a file that is not read.
_EXAMPLE_JOINTS = 2
_OF_MOVEIT = (("has_position_limits", "min_position", "lower"),
              ("has_position_limits", "max_position", "upper"),
              ("has_velocity_limits", "max_velocity", "velocity"),
              ("has_effort_limits", "max_effort", "effort"))


class JointLimits(TypedDict, total=False):
    """What is absent is the model's.

    lower, upper: rad or m. velocity: rad/s or m/s. effort: N m or N.
    torque_at_speed: pairs of what the drive gives (N m or N) at which speed
        (rad/s or m/s), beside `effort`; straight between them; at most 1024.
    viscous_friction: N m s/rad or N s/m; coulomb_friction: N m or N; they count
        where a call adds friction. armature: kg m^2 or kg.
    """

    lower: float
    upper: float
    velocity: float
    effort: float
    torque_at_speed: Sequence[tuple[float, float]]
    viscous_friction: float
    coulomb_friction: float
    armature: float


#: By joint name, or a JSON file of the same.
Limits = Union[Mapping[str, JointLimits], Path]


class WireLimits:
    """As they travel. Raises InvalidArgument, for a file FileError, with
    `joint` and the member as field; OSError. The server refuses limits of what
    is not one of `joints`; what has no members does not travel, and is refused
    here."""

    def __init__(self, limits: Limits | None, joints: Sequence[JointInfo]) -> None:
        self._known = {joint.name for joint in joints}
        self.bounds: list[pb.JointBounds] = []
        self.drives: list[pb.JointDrive] = []
        #: Where they come from; None: no file.
        self.place: errors.FilePlace | None = None
        self._fail: Callable[[str, str, str], NoReturn] = _fail
        members: Any = limits
        if limits is None:
            return
        if not isinstance(limits, Mapping):
            if not isinstance(limits, (str, os.PathLike)):
                refuse(
                    "limits", "a dict from joint names to their limits, or the "
                    "path of a JSON file of the same", limits)
            members = self._of_file(pathlib.Path(limits))
        for joint, chosen in members.items():
            self._take(joint, chosen)

    def _of_file(self, path: pathlib.Path) -> Mapping[str, Any]:
        place = self.place = errors.FilePlace(str(path))

        def fail(joint: str, member: str, problem: str) -> NoReturn:
            raise place.problem(
                f"joint {joint!r}: {member}{' ' if member else ''}{problem}",
                reason=Reason.INVALID_OPTION, joint=joint, column=member)

        self._fail = fail
        content = path.read_bytes()
        instead = _instead_of_moveit(content, place)
        if instead:
            raise place.problem(
                "is a joint_limits.yaml of MoveIt, which is not read; write "  # prose: ok
                f"JSON with a member for each joint: {instead} and so on "
                "(accelerations and jerks are not judged)")
        if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            raise place.problem("is no JSON object with a member for each "
                                f"joint, like {_EXAMPLE}")
        limits: dict[str, Any] = json_tree.parse(
            content, _MOST_LEVELS, place, twice=Reason.INVALID_OPTION)
        return limits

    def _take(self, joint: str, chosen: Any) -> None:
        if not isinstance(chosen, Mapping):
            self._fail(joint, "", "has no members like effort and velocity")
        if joint not in self._known and not (joint and chosen):
            self._fail(joint, "", "is no joint that the robot moves")
        bounds, drive = pb.JointBounds(joint=joint), pb.JointDrive(joint=joint)
        for member, value in chosen.items():
            if member in _BOUNDS:
                setattr(bounds, member, self._number(joint, member, value))
            elif member in _DRIVE:
                setattr(drive, member, self._number(joint, member, value))
            elif member == "torque_at_speed":
                self._curve(joint, value, bounds)
            else:
                self._fail(joint, "", f"has no limit called {member!r}"
                           + hint(member, JointLimits.__annotations__))
        if len(bounds.ListFields()) > 1:
            self.bounds.append(bounds)
        if len(drive.ListFields()) > 1:
            self.drives.append(drive)

    def _number(self, joint: str, member: str, value: Any) -> float:
        number = _real(value)
        if number is None:
            self._fail(joint, member, "is not a number")
        return number

    def _curve(self, joint: str, value: Any, bounds: pb.JointBounds) -> None:
        member = "torque_at_speed"
        try:
            pairs = [(speed, torque) for speed, torque in value]
        except (TypeError, ValueError):
            self._fail(joint, member, "is not a list of pairs of a speed and "
                       "a torque")
        if not pairs:
            self._fail(joint, member, "has no pair of a speed and a torque")
        for speed, torque in pairs:
            bounds.speeds.append(self._number(joint, member, speed))
            bounds.torques.append(self._number(joint, member, torque))


def _real(given: Any) -> float | None:
    """None for what is no number, or one beyond those of a double."""
    if isinstance(given, (str, bytes, bool)):
        return None
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        return None


def _fail(joint: str, member: str, problem: str) -> NoReturn:
    field = f"limits[{joint!r}]" + (f".{member}" if member else "")
    raise errors.invalid(Reason.INVALID_OPTION, field, f"{field} {problem}",
                         joint=joint)


def _instead_of_moveit(content: bytes, place: errors.FilePlace) -> str:
    """The JSON to write in place of MoveIt's joint_limits.yaml; "" for other
    text, and for all text without PyYAML."""
    if b"joint_limits" not in content:
        return ""
    try:
        tree = yaml_tree.read(io.BytesIO(content), place)
    except (errors.FileError, ImportError):
        return ""
    if not isinstance(tree, dict) or "joint_limits" not in tree:
        return ""
    joints = tree["joint_limits"]
    instead: dict[str, Mapping[str, float]] = {}
    for joint, limits in joints.items() if isinstance(joints, dict) else ():
        if not isinstance(limits, dict) or len(instead) == _EXAMPLE_JOINTS:
            break
        known = {
            to: limits[of] for has, of, to in _OF_MOVEIT
            if isinstance(limits.get(of), float) and limits.get(has) != "false"}
        if known:
            instead[joint] = known
    return json.dumps(instead) if instead else _EXAMPLE
