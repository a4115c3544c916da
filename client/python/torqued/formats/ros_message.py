"""Trajectories as trajectory_msgs/JointTrajectory of ROS 1 and 2, in YAML or
JSON."""

from __future__ import annotations

import json
import math
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from torqued.arrays import FloatArray
from torqued.enums import Reason
from torqued.errors import FilePlace
from torqued.formats.samples import Samples, of_joints

_FIELDS = {"q": "positions", "v": "velocities", "a": "accelerations"}
_WRITTEN = {**_FIELDS, "tau": "effort"}
# Messages that have a JointTrajectory as a part: goals of actions, and what
# planners tell.
_AROUND = ("goal", "trajectory", "joint_trajectory")
# Seconds and nanoseconds in ROS 1 and in ROS 2.
_CLOCKS = (("secs", "nsecs"), ("sec", "nanosec"))
_NANO = 10**9
_DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def read(path: pathlib.Path, joints: Sequence[str] | None,
         place: FilePlace) -> Samples:
    message = (_json(path, place) if path.suffix.lower() == ".json"
               else _yaml(path, place))
    return of_joints(_samples(_trajectory(message, place), place), joints,
                     place)


def write(path: pathlib.Path, joints: Sequence[str], time: FloatArray,
          blocks: Mapping[str, FloatArray]) -> None:
    """In the form of ROS 2; times are rounded to nanoseconds."""
    text = (_written_json if path.suffix.lower() == ".json"
            else _written_yaml)(joints, time, blocks)
    path.write_text(text, encoding="utf-8")


# --- The text ----------------------------------------------------------------


def _json(path: pathlib.Path, place: FilePlace) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # Of two members of one name the last would win in silence.
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("an object has a member twice")
        return found

    try:
        return json.loads(path.read_bytes(), object_pairs_hook=members)
    except json.JSONDecodeError as error:
        raise place.problem(f"is not JSON: {error.msg}",
                            line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise place.problem(f"is not JSON: {error}") from None


def _yaml(path: pathlib.Path, place: FilePlace) -> Any:
    try:
        import yaml
    except ImportError:
        raise ImportError(
            f"to read {path} takes PyYAML (Debian: python3-yaml)") from None

    # All scalars as text: YAML has 1e-3 for a string, 010 for eight, and 1:30
    # for ninety. It makes nothing but strings, lists and dicts.
    class Loader(getattr(yaml, "CBaseLoader",  # type: ignore[misc]
                         yaml.BaseLoader)):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            found = super().construct_mapping(node, deep)
            if len(found) < len(node.value):
                raise yaml.constructor.ConstructorError(
                    None, None, "a mapping has a key twice", node.start_mark)
            return found

    try:
        documents = [document for document in yaml.load_all(
            path.read_bytes(), Loader) if document not in (None, "")]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise place.problem(f"is not YAML: {error.problem}",
                            line=mark.line + 1 if mark else None) from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise place.problem(f"is not YAML: {error}") from None
    if len(documents) != 1:
        raise place.problem(
            f"has {len(documents)} messages; give one" if documents
            else "has no message")
    return documents[0]


# --- The message -------------------------------------------------------------


def _trajectory(message: Any, place: FilePlace) -> Mapping[str, Any]:
    while isinstance(message, Mapping):
        if "points" in message:
            return message
        inner = [name for name in _AROUND if name in message]
        if len(inner) != 1:
            break
        message = message[inner[0]]
    raise place.problem(
        "is no trajectory_msgs/JointTrajectory: it has no points")


def _samples(message: Mapping[str, Any], place: FilePlace) -> Samples:
    joints = message.get("joint_names")
    if not isinstance(joints, list) or not joints or not all(
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
    q, v, a = (_block(_FIELDS[name], points, joints, place)
               for name in ("q", "v", "a"))
    if q is None:
        raise place.problem("the points have no positions",
                            reason=Reason.MISSING_INPUT, column="positions")
    return Samples(joints, time, q, v, a)


def _block(field: str, points: list[Mapping[str, Any]], joints: list[str],
           place: FilePlace) -> FloatArray | None:
    """None where no point has it."""
    lists = [point.get(field) for point in points]
    # An absent field, or an empty one of either language.
    if all(given in (None, "", "null", "~", []) for given in lists):
        return None
    numbers = np.empty((len(points), len(joints)))
    for row, given in enumerate(lists):
        if not isinstance(given, list) or len(given) != len(joints):
            has = len(given) if isinstance(given, list) else "no list of"
            raise place.problem(
                f"there are {has} {field} for {len(joints)} joints", row=row,
                column=field, reason=Reason.WRONG_COLUMN_COUNT)
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
    if isinstance(value, float):
        return value
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    text = str(value).strip()
    if _DECIMAL.fullmatch(text):
        return float(text)
    # What is not finite has a name in YAML that float() does not know.
    text = text.lower().lstrip("+-").removeprefix(".")
    return math.nan if text in ("nan", "inf", "infinity") else None


# --- Writing -----------------------------------------------------------------


def _points(time: FloatArray, blocks: Mapping[str, FloatArray],
            ) -> Iterator[tuple[dict[str, list[float]], int, int]]:
    """(lists, seconds, nanoseconds)"""
    fields = [(_WRITTEN[name], numbers) for name, numbers in blocks.items()]
    for row, seconds in enumerate(time.tolist()):
        sec, nanosec = divmod(round(seconds * _NANO), _NANO)
        yield ({field: numbers[row].tolist() for field, numbers in fields},
               sec, nanosec)


def _written_json(joints: Sequence[str], time: FloatArray,
                  blocks: Mapping[str, FloatArray]) -> str:
    points: list[dict[str, Any]] = [
        {**lists, "time_from_start": {"sec": sec, "nanosec": nanosec}}
        for lists, sec, nanosec in _points(time, blocks)]
    return json.dumps({"joint_names": list(joints), "points": points},
                      indent=1) + "\n"


def _written_yaml(joints: Sequence[str], time: FloatArray,
                  blocks: Mapping[str, FloatArray]) -> str:
    lines = ["joint_names:"]
    # A string of JSON is one of YAML.
    lines += [f"- {json.dumps(joint)}" for joint in joints]
    lines.append("points:")
    for lists, sec, nanosec in _points(time, blocks):
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
