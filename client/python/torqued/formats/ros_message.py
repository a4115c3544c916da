"""Trajectories as trajectory_msgs/JointTrajectory of ROS 1 and 2, in YAML or JSON."""

from __future__ import annotations

import json
import math
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from torqued.contract import Reason
from torqued.errors import FilePlace
from torqued.formats import trees
from torqued.formats import Samples, Wanted, of_joints
from torqued.values import FloatArray

_FIELDS = {"q": "positions", "v": "velocities", "a": "accelerations", "tau": "effort"}
# Messages that have a JointTrajectory as a part: goals of actions, and what planners
# tell.
_AROUND = ("goal", "trajectory", "joint_trajectory")
# Seconds and nanoseconds in ROS 1 and in ROS 2.
_CLOCKS = (("secs", "nsecs"), ("sec", "nanosec"))
_NANO = 10**9


def read_json(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    return _read(trees.read_json(file.read(), place), wanted, place)


def read_yaml(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    return _read(trees.read_yaml(file.read(), place), wanted, place)


def _read(message: Any, wanted: Wanted, place: FilePlace) -> Samples:
    no_message = "the file is no trajectory_msgs/JointTrajectory: "
    while not (isinstance(message, Mapping) and "points" in message):
        inner = [name for name in _AROUND if name in message] if isinstance(
            message, Mapping) else []
        if len(inner) > 1:  # Nobody knows which one is meant.
            raise place.problem(
                f"{no_message}more than one is in it, as {' and '.join(inner)}")
        if not inner:
            raise place.problem(f"{no_message}it has no points")
        message = message[inner[0]]
    return of_joints(_samples(message, wanted.rates, place), wanted.joints, place)


def _samples(message: Mapping[str, Any], rates: bool, place: FilePlace) -> Samples:
    joints, points = message.get("joint_names"), message["points"]
    if not isinstance(joints, list) or not all(isinstance(name, str) for name in joints):
        raise place.problem("joint_names is no list of names",
                            reason=Reason.WRONG_JOINT_NAMES, column="joint_names")
    if not isinstance(points, list) or not points:
        raise place.problem("points is no list of points",
                            reason=Reason.MISSING_INPUT, column="points")
    for row, point in enumerate(points):
        if not isinstance(point, Mapping):
            raise place.problem(
                "the item is no point" + (" (ros2 topic echo cuts lists without "
                                 "--full-length)" if point == "..." else ""),
                row=row, column="points")
    time = np.array([_seconds(point.get("time_from_start"), row, place)
                     for row, point in enumerate(points)])
    blocks = {name: _block(_FIELDS[name], points, joints, place)
              for name in ("qva" if rates else "q")}
    q = blocks["q"]
    if q is None:
        raise place.problem("the points have no positions",
                            reason=Reason.MISSING_INPUT, column="positions")
    unused = tuple(field for name, field in _FIELDS.items() if blocks.get(name) is None
                   and any(point.get(field) for point in points))
    return Samples(joints, time, q, blocks.get("v"), blocks.get("a"), unused=unused)


def _block(field: str, points: list[Mapping[str, Any]], joints: list[str],
           place: FilePlace) -> FloatArray | None:
    """None if no point has it."""
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
    alone = _number(given)
    if alone is not None:
        return alone
    for clock in _CLOCKS:
        if isinstance(given, Mapping) and given and set(given) <= set(clock):
            seconds, nanoseconds = (_number(given.get(name, 0)) for name in clock)
            if seconds is not None and nanoseconds is not None:
                # Rounded once, so that decimals are what they would be alone.
                return (seconds * _NANO + nanoseconds) / _NANO
    raise place.problem(
        "time_from_start must be sec and nanosec, secs and nsecs, or a number of "
        "seconds", row=row, column="time_from_start")


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (float, int)):
        return None
    try:
        return float(value)
    except OverflowError:  # An integer of hundreds of digits.
        return math.inf


def write(path: pathlib.Path, joints: Sequence[str], time: FloatArray,
          blocks: Mapping[str, FloatArray]) -> None:
    """In the form of ROS 2; times are rounded to nanoseconds. Raises FileError if they
    do not fit the message."""
    place = FilePlace(str(path))
    points: list[dict[str, Any]] = []
    before: dict[str, int] | None = None
    for row, seconds in enumerate(time.tolist()):
        # The whole seconds first: large times keep their fraction.
        whole = math.floor(seconds)
        carry, nanosec = divmod(round((seconds - whole) * _NANO), _NANO)
        start = {"sec": whole + carry, "nanosec": nanosec}
        if not -2**31 <= start["sec"] < 2**31 or start == before:
            raise place.problem(
                f"{seconds} s does not fit the message: " + (
                    "in nanoseconds it is the time of the sample before"
                    if start == before else "its seconds are a number of 32 bits"),
                reason=Reason.INVALID_SAMPLE, row=row, column="time")
        before = start
        points.append({**{_FIELDS[name]: numbers[row].tolist()
                          for name, numbers in blocks.items()},
                       "time_from_start": start})
    if path.suffix.lower() == ".json":
        message = {"joint_names": list(joints), "points": points}
        path.write_text(json.dumps(message, indent=1) + "\n", encoding="utf-8")
        return
    # Lists and strings of JSON are those of YAML.
    lines = [f"joint_names: {json.dumps(list(joints))}", "points:"]
    for point in points:
        start = point.pop("time_from_start")
        lines.append(f"- time_from_start: {json.dumps(start)}")
        lines += [f"  {field}: [{', '.join(map(_yaml_number, numbers))}]"
                  for field, numbers in point.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _yaml_number(number: float) -> str:
    # Without a dot it would be a string to YAML 1.1.
    mantissa, e, exponent = repr(number).partition("e")
    return mantissa + (".0" if e and "." not in mantissa else "") + e + exponent
