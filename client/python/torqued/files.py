"""Trajectories as CSV, as arrays of numpy, and as messages of ROS."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from torqued import errors
from torqued.contract import Reason
from torqued.errors import FilePlace
from torqued.trees import number_of, read_tree
from torqued.values import FloatArray, Path

_BLANK = " \t\r"
# Parts of a trajectory in a JointTrajectory.
_FIELDS = {"q": "positions", "v": "velocities", "a": "accelerations", "tau": "effort"}
# Messages that have a JointTrajectory as a part: goals of actions, and what planners
# tell.
_AROUND = ("goal", "trajectory", "joint_trajectory")
# Seconds and nanoseconds in ROS 1 and in ROS 2.
_CLOCKS = (("secs", "nsecs"), ("sec", "nanosec"))
_NANO = 10**9


class Wanted(NamedTuple):
    """joints: those that a file with incomplete columns of others must have; None: all.
    columns: what columns without names are; None: such are refused. rates: whether v
    and a are read."""

    joints: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    rates: bool = True


class Samples(NamedTuple):
    """As a file has them; nothing is looked at but its form.

    joints: None if the columns are those that are wanted. lines: of the rows, from 1, for
    a text with a line for each. unused: names of what else is in the file, others: of
    the joints of these.
    """

    time: FloatArray
    q: FloatArray
    v: FloatArray | None = None
    a: FloatArray | None = None
    tip_wrench: FloatArray | None = None
    joints: Sequence[str] | None = None
    lines: Sequence[int] | None = None
    unused: tuple[str, ...] = ()
    others: Sequence[str] = ()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[tuple[str, BinaryIO]]:
    """The suffix of the container, and the file from its beginning. Raises OSError.

    By the first bytes if numpy wrote it, else by the name; a text that is called neither
    YAML nor JSON is JSON if it begins with a brace, YAML if a line begins with
    joint_names, which none of CSV does, and CSV otherwise.
    """
    with open(path, "rb") as file:
        begin = file.read(4)
        numpys = {b"\x93NUM": ".npy", b"PK\x03\x04": ".npz", b"PK\x05\x06": ".npz"}
        if begin in numpys:
            file.seek(0)
            yield numpys[begin], file
            return
        content = begin + file.read()
    suffix = pathlib.Path(path).suffix.lower().replace("yml", "yaml")
    if suffix not in (".yaml", ".json"):
        suffix = ".json" if content.lstrip(b" \t\r\n").startswith(b"{") else (
            ".yaml" if re.search(rb"^ *joint_names:", content, re.MULTILINE) else ".csv")
    yield suffix, io.BytesIO(content)


def read(path: Path, wanted: Wanted, place: FilePlace) -> Samples:
    """Raises FileError, OSError, and ImportError without PyYAML."""
    with opened(path) as (suffix, file):
        if suffix == ".npz":
            return _of_npz(file, wanted, place)
        if suffix == ".npy":
            return _of_plain(read_npy(file, place), wanted, place)
        if suffix != ".csv":
            return _of_message(read_tree(suffix[1:].upper(), file.read(), place),
                               wanted.rates, place)
        header, numbers, lines = read_csv(file, place)
        samples = (_of_columns(header, numbers, wanted, place) if header
                   else _of_plain(numbers, wanted, place))
        return samples._replace(lines=lines)


def _of_plain(numbers: FloatArray, wanted: Wanted, place: FilePlace) -> Samples:
    """Columns without names: time, q, or time, q, v, a."""
    if wanted.columns is None:
        raise place.problem(
            "the columns have no names; say with `joints` which joints they are of, in "
            "their order", reason=Reason.WRONG_JOINT_NAMES)
    n, columns = len(wanted.columns), numbers.shape[1]
    if columns not in (1 + n, 1 + 3 * n):
        raise place.problem(
            f"there are {columns} columns; {n} joints have {1 + n} with time and q, or "
            f"{1 + 3 * n} with time, q, v and a", reason=Reason.WRONG_COLUMN_COUNT)
    q, v, a = (numbers[:, 1 + k * n:1 + (k + 1) * n] for k in range(3))
    if columns == 1 + n or not wanted.rates:
        return Samples(numbers[:, 0], q)
    return Samples(numbers[:, 0], q, v, a)


# --- CSV -----------------------------------------------------------------------


def read_csv(file: BinaryIO, place: FilePlace) -> tuple[list[str], FloatArray, list[int]]:
    """The header, empty if there is none, at least one row of numbers, and the lines of
    the rows, from 1. Blank lines and those that begin with # do not count."""
    header: list[str] = []
    rows: list[list[float | None]] = []
    lines: list[int] = []
    # Comments and columns that nobody asks for may be in any encoding.
    text = file.read().decode("utf-8-sig", "backslashreplace")
    for line, content in enumerate(text.split("\n"), 1):
        content = content.strip(_BLANK)
        if not content or content.startswith("#"):
            continue
        cells = [cell.strip(_BLANK) for cell in content.split(",")]
        row = [number_of(cell) for cell in cells]
        if not header and not rows and None in row:
            header = [re.sub('^"(.*)"$', r"\1", cell) for cell in cells]
            continue
        advice = ("; columns are separated by commas, numbers have a point"
                  if ";" in content or "\t" in content else "")
        columns = len(header or (rows or [row])[0])
        if len(row) != columns:
            raise place.problem(
                f"has {len(row)} cells, the lines before have {columns}{advice}",
                line=line, reason=Reason.WRONG_COLUMN_COUNT)
        if None in row:
            bad = row.index(None)
            raise place.problem(
                f"{cells[bad]!r:.40} is not a number{advice}", line=line,
                column=header[bad] if header else str(bad + 1))
        rows.append(row)
        lines.append(line)
    if not rows:
        raise place.problem("the file has no samples", reason=Reason.MISSING_INPUT)
    return header, np.array(rows, float), lines


def _of_columns(header: list[str], numbers: FloatArray, wanted: Wanted, place: FilePlace,
                ) -> Samples:
    """`time`, `<joint>.q`, `<joint>.v`, `<joint>.a` in any order; others are left out."""
    for name in header:
        if header.count(name) > 1:
            raise place.problem(f"the file has two columns {name!r}", column=name)
    joints = wanted.joints
    if joints is None:
        joints = [name[:-2] for name in header if name.endswith(".q")]
        if not joints:
            raise place.problem("the file has no column <joint>.q",
                                reason=Reason.MISSING_INPUT)
    used: list[str] = []

    def block(names: Sequence[str], optional: bool = False) -> Any:
        missing = [name for name in names if name not in header]
        if missing and optional and len(missing) == len(names):
            return None
        if missing:
            raise place.problem(
                f"the file has no column {missing[0]!r}; there are {', '.join(header)}",
                reason=Reason.WRONG_JOINT_NAMES if "." in missing[0]
                else Reason.MISSING_INPUT, column=missing[0],
                joint=missing[0].rpartition(".")[0])
        used.extend(names)
        return numbers[:, [header.index(name) for name in names]]

    time, q = block(["time"]), block([f"{joint}.q" for joint in joints])
    v, a = (block([f"{joint}.{rate}" for joint in joints], True) if wanted.rates else None
            for rate in "va")
    unused = tuple(name for name in header if name not in used)
    return Samples(time, q, v, a, joints=joints, unused=unused, others=[
        name[:-2] for name in unused if name.endswith(".q")])


# --- numpy ---------------------------------------------------------------------


def read_npy(file: BinaryIO, place: FilePlace) -> Any:
    """The table of a .npy file."""
    with _faults(place):
        # Pickled objects could run anything.
        numbers = np.load(file, allow_pickle=False)
    return _table("the array", numbers, place)


def _of_npz(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    """Arrays time, q and, if there are, v, a, tip_wrench and joint_names; others are not
    even looked at. q, v and a of one joint may have one axis, as those of one sample,
    those of no joint any empty shape."""
    with _faults(place):
        archive = np.load(file, allow_pickle=False)
    unused = list(archive.files)
    for name in unused:
        if unused.count(name) > 1:
            raise place.problem(f"the file has the array {name!r} twice", column=name)

    def take(name: str, needed: bool = False) -> npt.NDArray[Any] | None:
        """Unpacked only when it is taken."""
        if name not in unused:
            if needed:
                raise place.problem(f"the file has no array {name!r}", column=name,
                                    reason=Reason.MISSING_INPUT)
            return None
        unused.remove(name)
        with _faults(place, name):
            # What is no array comes as bytes.
            return np.asarray(archive[name])

    time = _table("time", take("time", True), place, one_column=True)
    joints = _names(take("joint_names"), place)
    columns = wanted.columns if joints is None else joints
    if columns is None:
        raise place.problem(
            "the file has no array 'joint_names'; name the joints of the columns, in "
            "their order, with `joints`", column="joint_names",
            reason=Reason.WRONG_JOINT_NAMES)

    count = len(columns)

    def block(name: str, needed: bool = False) -> Any:
        numbers = take(name, needed)
        if numbers is not None and not count and not numbers.size:
            numbers = np.empty((len(time), 0))
        return _table(name, numbers, place, one_column=count == 1)

    q = block("q", needed=True)
    v, a = (block("v"), block("a")) if wanted.rates else (None, None)
    wrench = _table("tip_wrench", take("tip_wrench"), place)
    return Samples(time, q, v, a, wrench, joints, unused=tuple(unused))


@contextlib.contextmanager
def _faults(place: FilePlace, name: str = "") -> Iterator[None]:
    """Which exceptions a damaged file raises, numpy, zipfile and the tokenizer of headers
    do not say; there are a dozen."""
    try:
        yield
    except Exception as error:
        problem = str(error) or type(error).__name__
        if "allow_pickle" in problem:
            problem = "it holds objects of Python; save names as np.array(names, dtype=str)"
        raise place.problem(f"numpy cannot read {name or 'it'}: {problem}", column=name,
                            ) from None


def _table(name: str, numbers: npt.NDArray[Any] | None, place: FilePlace,
           one_column: bool = False) -> Any:
    """One axis is one row; if there is one column, a row is that."""
    if numbers is None:
        return None
    if numbers.ndim == 1:
        numbers = numbers[np.newaxis]
    if one_column and numbers.ndim == 2 and len(numbers) == 1:
        numbers = numbers.T
    if numbers.ndim != 2:
        raise place.problem(
            f"{name} has {numbers.ndim} axes; give a row for each sample", column=name)
    # The larger floats would lose digits.
    if numbers.dtype.kind not in "fiu" or numbers.dtype.itemsize > 8:
        raise place.problem(
            f"{name} has the type {numbers.dtype}, which is not read as numbers; give "
            "float64", column=name)
    return np.ascontiguousarray(numbers, np.float64)


def _names(names: npt.NDArray[Any] | None, place: FilePlace) -> list[str] | None:
    if names is None:
        return None
    if names.ndim == 1 and names.dtype.kind in "US":
        # numpy makes strings of numbers that are no characters.
        with contextlib.suppress(UnicodeError, SystemError, ValueError):
            return [(bytes(name) if names.dtype.kind == "S" else str(name).encode())
                    .decode() for name in names]
    raise place.problem(
        "joint_names is no list of strings; save it as np.array(names, dtype=str)",
        column="joint_names", reason=Reason.WRONG_JOINT_NAMES)


# --- trajectory_msgs/JointTrajectory of ROS 1 and 2, in YAML or JSON -----------


def _of_message(message: Any, rates: bool, place: FilePlace) -> Samples:
    while not (isinstance(message, Mapping) and "points" in message):
        inner = [name for name in _AROUND if name in message] if isinstance(
            message, Mapping) else []
        if len(inner) != 1:
            raise place.problem(
                "the file is no trajectory_msgs/JointTrajectory: " + (
                    f"it has both {' and '.join(inner)}" if inner else "it has no points"))
        message = message[inner[0]]
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
                "the item is no point (ros2 topic echo cuts lists without --full-length)",
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
    return Samples(time, q, blocks.get("v"), blocks.get("a"), joints=joints,
                   unused=unused)


def _block(field: str, points: list[Mapping[str, Any]], joints: list[str],
           place: FilePlace) -> FloatArray | None:
    """None if no point has it."""
    lists = [point.get(field) or [] for point in points]
    if joints and not any(lists):
        return None
    numbers: list[list[float | None]] = []
    for row, given in enumerate(lists):
        if not isinstance(given, list) or len(given) != len(joints):
            raise place.problem(
                f"{field} is no list of {len(joints)} numbers, one for each joint",
                row=row, column=field, reason=Reason.WRONG_COLUMN_COUNT)
        numbers.append([_number(value) for value in given])
        if None in numbers[row]:
            bad = numbers[row].index(None)
            raise place.problem(f"{given[bad]!r:.40} of {joints[bad]} is not a number",
                                row=row, column=field, joint=joints[bad])
    return np.array(numbers, float).reshape(len(points), len(joints))


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


# --- Written -------------------------------------------------------------------


def write(path: Path, joints: Sequence[str] | None, time: FloatArray,
          blocks: Mapping[str, FloatArray]) -> None:
    """blocks: by the suffix of their columns, one column for each joint. Without joints
    CSV has no header. Raises InvalidArgument, OSError."""
    path = pathlib.Path(path)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        lines = [] if joints is None else [",".join(
            ["time", *(f"{joint}.{block}" for block in blocks for joint in joints)])]
        # As Python's floats, whose text reads back to the same number.
        lines += [",".join(map(repr, row))
                  for row in np.column_stack([time, *blocks.values()]).tolist()]
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    elif suffix == ".npz":
        names = {} if joints is None else {"joint_names": np.array(joints, np.str_)}
        with path.open("wb") as file:
            np.savez(file, time=time, **blocks, **names)
    elif suffix not in (".yaml", ".yml", ".json"):
        raise unwritable(path, "it ends in none of .csv, .npy, .npz, .yaml, .yml, .json")
    elif joints is None:
        raise unwritable(path, "it takes joint_names")
    else:
        _write_message(path, joints, time, blocks)


def unwritable(path: Path, why: str) -> errors.TorquedError:
    return errors.invalid(Reason.INVALID_OPTION, "path",
                          f"cannot write {os.fspath(path)}: {why}")


def _write_message(path: pathlib.Path, joints: Sequence[str], time: FloatArray,
                   blocks: Mapping[str, FloatArray]) -> None:
    """In the form of ROS 2; times are rounded to nanoseconds. Raises FileError if they
    do not fit the message."""
    points: list[dict[str, Any]] = []
    before: dict[str, int] | None = None
    for row, seconds in enumerate(time.tolist()):
        # The whole seconds first: large times keep their fraction.
        whole = math.floor(seconds)
        carry, nanosec = divmod(round((seconds - whole) * _NANO), _NANO)
        start = {"sec": whole + carry, "nanosec": nanosec}
        if not -2**31 <= start["sec"] < 2**31 or start == before:
            raise FilePlace(str(path)).problem(
                f"{seconds} s does not fit the message: its seconds are a number of 32 "
                "bits, and its nanoseconds differ from those of the sample before",
                reason=Reason.INVALID_SAMPLE, row=row, column="time")
        before = start
        points.append({"time_from_start": start, **{
            _FIELDS[name]: numbers[row].tolist() for name, numbers in blocks.items()}})
    if path.suffix.lower() == ".json":
        text = json.dumps({"joint_names": list(joints), "points": points}, indent=1)
    else:
        # Lists and strings of JSON are those of YAML, but for 1e-05, a string there.
        point_lines = "\n".join(
            "- " + "\n  ".join(f"{field}: {json.dumps(value)}"
                               for field, value in point.items()) for point in points)
        text = f"joint_names: {json.dumps(list(joints))}\npoints:\n" + re.sub(
            r"(?<=[ \[-])(\d)(?=e)", r"\1.0", point_lines)
    path.write_text(text + "\n", encoding="utf-8")
