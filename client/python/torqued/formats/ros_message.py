"""Trajectories as trajectory_msgs/JointTrajectory of ROS 1 and 2, in YAML or
JSON."""

from __future__ import annotations

import json
import math
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from torqued.values import FloatArray
from torqued.contract import Reason
from torqued.errors import FilePlace
from torqued.formats import json_tree, yaml_tree
from torqued.formats.samples import Samples, Wanted, of_joints

_FIELDS = {"q": "positions", "v": "velocities", "a": "accelerations"}
_WRITTEN = {**_FIELDS, "tau": "effort"}
# Messages that have a JointTrajectory as a part: goals of actions, and what
# planners tell.
_AROUND = ("goal", "trajectory", "joint_trajectory")
# Seconds and nanoseconds in ROS 1 and in ROS 2.
_CLOCKS = (("secs", "nsecs"), ("sec", "nanosec"))
_NANO = 10**9
# Seconds of builtin_interfaces/Duration are an int32.
_MOST_SECONDS = 2**31 - 1


def read_json(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    return _read(json_tree.parse(file.read(), yaml_tree.MOST_LEVELS, place),
                 wanted, place)


def read_yaml(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    return _read(yaml_tree.read(file, place), wanted, place)


def _read(document: Any, wanted: Wanted, place: FilePlace) -> Samples:
    samples = _samples(_trajectory(document, place), wanted.rates, place)
    return of_joints(samples, wanted.joints, place)


def write(path: pathlib.Path, joints: Sequence[str], time: FloatArray,
          blocks: Mapping[str, FloatArray]) -> None:
    """In the form of ROS 2; times are rounded to nanoseconds. Raises FileError
    where they do not fit the message."""
    points = _points(time, blocks, FilePlace(str(path)))
    text = (_written_json if path.suffix.lower() == ".json"
            else _written_yaml)(joints, points)
    path.write_text(text, encoding="utf-8")


# --- The message -------------------------------------------------------------


def _trajectory(message: Any, place: FilePlace) -> Mapping[str, Any]:
    while isinstance(message, Mapping):
        if "points" in message:
            return message
        inner = [name for name in _AROUND if name in message]
        if len(inner) > 1:
            # Nobody knows which one is meant.
            raise place.problem(
                "is no trajectory_msgs/JointTrajectory: more than one is in "
                f"it, as {' and '.join(inner)}")
        if not inner:
            break
        message = message[inner[0]]
    raise place.problem(
        "is no trajectory_msgs/JointTrajectory: it has no points")


def _samples(message: Mapping[str, Any], rates: bool,
             place: FilePlace) -> Samples:
    joints = message.get("joint_names")
    if not isinstance(joints, list) or not all(
            isinstance(name, str) for name in joints):
        raise place.problem("joint_names is no list of names",
                            reason=Reason.WRONG_JOINT_NAMES,
                            column="joint_names")
    points = message["points"]
    if not isinstance(points, list) or not points:
        raise place.problem("points is no list of points",
                            reason=Reason.MISSING_INPUT, column="points")
    for row, point in enumerate(points):
        if not isinstance(point, Mapping):
            raise place.problem(
                "is no point" + (" (ros2 topic echo cuts lists without "
                                 "--full-length)" if point == "..." else ""),
                row=row, column="points")
    time = np.array([_seconds(point.get("time_from_start"), row, place)
                     for row, point in enumerate(points)])
    q, v, a = (_block(field, points, joints, place)
               if rates or name == "q" else None
               for name, field in _FIELDS.items())
    if q is None:
        raise place.problem("the points have no positions",
                            reason=Reason.MISSING_INPUT, column="positions")
    read = {_FIELDS[name] for name, numbers in zip("qva", (q, v, a))
            if numbers is not None}
    unused = tuple(field for field in _WRITTEN.values() if field not in read
                   and any(point.get(field) for point in points))
    return Samples(joints, time, q, v, a, unused=unused)


def _block(field: str, points: list[Mapping[str, Any]], joints: list[str],
           place: FilePlace) -> FloatArray | None:
    """None where no point has it."""
    lists = [point.get(field) for point in points]
    numbers = np.empty((len(points), len(joints)))
    if all(given in (None, []) for given in lists):
        return None if joints else numbers
    for row, given in enumerate(lists):
        if not isinstance(given, list):
            raise place.problem(
                f"there is no list of {field}, which other points have",
                row=row, column=field, reason=Reason.WRONG_COLUMN_COUNT)
        if len(given) != len(joints):
            raise place.problem(
                f"there are {len(given)} {field} for {len(joints)} joints",
                row=row, column=field, reason=Reason.WRONG_COLUMN_COUNT)
        for column, value in enumerate(given):
            number = _number(value)
            if number is None:
                raise place.problem(
                    f"{value!r:.40} of {joints[column]} is not a number",
                    row=row, column=field, joint=joints[column])
            numbers[row, column] = number
    return numbers


def _seconds(given: Any, row: int, place: FilePlace) -> float:
    for seconds, nanoseconds in _CLOCKS:
        if isinstance(given, Mapping) and given and set(given) <= {
                seconds, nanoseconds}:
            parts = (_number(given.get(seconds, 0)),
                     _number(given.get(nanoseconds, 0)))
            if parts[0] is not None and parts[1] is not None:
                # Rounded once, so that decimals are what they would be alone.
                return (parts[0] * _NANO + parts[1]) / _NANO
    # Where it is no duration of either.
    alone = _number(given)
    if alone is not None:
        return alone
    raise place.problem(
        "time_from_start is made neither of sec and nanosec nor of secs and "
        "nsecs, and is no number", row=row, column="time_from_start")


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (float, int)):
        return None
    try:
        return float(value)
    except OverflowError:  # An integer of hundreds of digits.
        return math.inf


# --- Writing -----------------------------------------------------------------


#: Lists of numbers by field, seconds, nanoseconds.
_Point = tuple[dict[str, list[float]], int, int]


def _points(time: FloatArray, blocks: Mapping[str, FloatArray],
            place: FilePlace) -> Iterator[_Point]:
    fields = [(_WRITTEN[name], numbers) for name, numbers in blocks.items()]
    before: tuple[int, int] | None = None
    for row, seconds in enumerate(time.tolist()):
        # The whole seconds first: large times keep their fraction.
        whole = math.floor(seconds)
        carry, nanosec = divmod(round((seconds - whole) * _NANO), _NANO)
        start = (whole + carry, nanosec)
        if not -_MOST_SECONDS - 1 <= start[0] <= _MOST_SECONDS:
            raise place.problem(
                f"{seconds} s does not fit the message, whose seconds are a "
                "number of 32 bits", reason=Reason.INVALID_SAMPLE, row=row,
                column="time")
        if start == before:
            raise place.problem(
                f"{seconds} s does not fit the message: in nanoseconds it is "
                "the time of the sample before", reason=Reason.INVALID_SAMPLE,
                row=row, column="time")
        before = start
        yield ({field: numbers[row].tolist() for field, numbers in fields},
               *start)


def _written_json(joints: Sequence[str], points: Iterator[_Point]) -> str:
    listed: list[dict[str, Any]] = [
        {**lists, "time_from_start": {"sec": sec, "nanosec": nanosec}}
        for lists, sec, nanosec in points]
    return json.dumps({"joint_names": list(joints), "points": listed},
                      indent=1) + "\n"


def _written_yaml(joints: Sequence[str], points: Iterator[_Point]) -> str:
    lines = ["joint_names:" if joints else "joint_names: []"]
    # A string of JSON is one of YAML.
    lines += [f"- {json.dumps(joint)}" for joint in joints]
    lines.append("points:")
    for lists, sec, nanosec in points:
        start = "- "
        for field, numbers in lists.items():
            lines.append(f"{start}{field}: "
                         f"[{', '.join(map(_yaml_number, numbers))}]")
            start = "  "
        lines.append(f"  time_from_start: {{sec: {sec}, nanosec: {nanosec}}}")
    return "\n".join(lines) + "\n"


def _yaml_number(number: float) -> str:
    # Without a dot it would be a string to YAML 1.1.
    mantissa, e, exponent = repr(number).partition("e")
    return mantissa + (".0" if e and "." not in mantissa else "") + e + exponent
