"""Trajectories as CSV, as arrays of numpy, and as messages of ROS."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from torqued import errors
from torqued.contract import Reason
from torqued.errors import file_error
from torqued.values import FloatArray, Path

_BLANK = " \t\r"
# Without 1_000 and digits of other scripts, which float() takes.
_NUMBER = re.compile(
    r"[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|\.?(nan|inf)|infinity)",
    re.IGNORECASE | re.ASCII)
# Messages within goals have fewer.
_MOST_LEVELS = 16
# Parts of a trajectory in a JointTrajectory.
_FIELDS = {"q": "positions", "v": "velocities", "a": "accelerations", "tau": "effort"}
# Messages that have a JointTrajectory as a part: goals of actions, and what planners tell.
_AROUND = ("goal", "trajectory", "joint_trajectory")
# Seconds and nanoseconds in ROS 1 and in ROS 2.
_CLOCKS = (("secs", "nsecs"), ("sec", "nanosec"))
_NANO = 10**9


class Samples(NamedTuple):
    """As a file has them; only its form is checked. arrays: of a Trajectory. joints: of the
    columns. unused: names of what else is in the file. lines: of the rows, from 1, of
    CSV."""

    arrays: dict[str, Any]
    joints: Sequence[str]
    unused: Sequence[str] = ()
    lines: Sequence[int] = ()


def read(path: Path, joints: Sequence[str] | None, named: bool, rates: bool) -> Samples:
    """joints: those that a file with incomplete columns of others must have, and, unless
    they must be `named`, what columns without names are. None: all. rates: whether v and
    a are read. Raises FileError, OSError, and ImportError without PyYAML."""
    suffix, content = contents(path)
    plain = None if named else joints
    if suffix == ".npz":
        return _of_npz(content, plain, rates, path)
    if suffix in (".yaml", ".json"):
        return _of_message(read_tree(suffix, content, path), rates, path)
    header, numbers, lines = read_columns(suffix, content, path)
    if not header:
        if plain is None:
            raise file_error(
                path, "the columns have no names; say with `joints` which joints they are "
                "of, in their order", Reason.WRONG_JOINT_NAMES)
        n, columns = len(plain), numbers.shape[1]
        if columns not in (1 + n, 1 + 3 * n):
            raise file_error(
                path, f"there are {columns} columns; {n} joints have {1 + n} with time and "
                f"q, or {1 + 3 * n} with time, q, v and a", Reason.WRONG_COLUMN_COUNT)
        parts = "qva" if rates and columns > 1 + n else "q"
        header = ["time", *(f"{joint}.{part}" for part in parts for joint in plain)]
    return _of_columns(header, numbers, joints, rates, path)._replace(lines=lines)


def contents(path: Path) -> tuple[str, Any]:
    """The suffix of the container, and what numpy reads of it, or its bytes. Raises
    FileError, OSError.

    By the first bytes if numpy wrote it, else by the name; a text with another name is
    JSON if it begins with a brace, YAML if a line begins with joint_names, else CSV.
    """
    with open(path, "rb") as file:
        content = file.read(4)
        if content not in (b"\x93NUM", b"PK\x03\x04", b"PK\x05\x06"):
            content += file.read()
            suffix = pathlib.Path(path).suffix.lower().replace("yml", "yaml")
            if suffix not in (".yaml", ".json"):
                brace = content.lstrip(b" \t\r\n").startswith(b"{")
                suffix = ".json" if brace else ".yaml" if re.search(
                    rb"^ *joint_names:", content, re.MULTILINE) else ".csv"
            return suffix, content
    with _faults(path):
        # Pickled objects could run anything.
        return (".npy" if content[0] == 0x93 else ".npz",
                np.load(path, allow_pickle=False))


def read_columns(suffix: str, content: Any, path: Path,
                 ) -> tuple[list[str], FloatArray, list[int]]:
    """The header, empty if there is none, at least one row of numbers, and the lines of
    the rows, from 1, of CSV. Its blank lines and those that begin with # do not count."""
    if suffix == ".npy":
        return [], _table("the array", content, path), []
    header: list[str] = []
    rows: list[list[float | None]] = []
    lines: list[int] = []
    # Comments and columns that are not read may be in any encoding.
    text = content.decode("utf-8-sig", "backslashreplace")
    for line, content in enumerate(text.split("\n"), 1):
        content = content.strip(_BLANK)
        if not content or content.startswith("#"):
            continue
        cells = [cell.strip(_BLANK) for cell in content.split(",")]
        row = [_number_of(cell) for cell in cells]
        if not header and not rows and None in row:
            header = [re.sub('^"(.*)"$', r"\1", cell) for cell in cells]
            continue
        columns = len(header or (rows or [row])[0])
        if len(row) != columns:
            raise file_error(
                path, f"has {len(row)} cells, separated by commas; the lines before have "
                f"{columns}", Reason.WRONG_COLUMN_COUNT, line=line)
        if None in row:
            bad = row.index(None)
            raise file_error(
                path, f"{cells[bad]!r:.40} is not a number; columns are separated by "
                "commas, numbers have a point", line=line,
                column=header[bad] if header else bad + 1)
        rows.append(row)
        lines.append(line)
    if not rows:
        raise file_error(path, "the file has no samples", Reason.MISSING_INPUT)
    return header, np.array(rows, float), lines


def _number_of(word: str) -> float | None:
    """None for what is not a decimal number."""
    found = _NUMBER.fullmatch(word)
    return float(word.replace(".", "") if found[1] else word) if found else None


def _of_columns(header: list[str], numbers: FloatArray, joints: Sequence[str] | None,
                rates: bool, path: Path) -> Samples:
    """`time`, `<joint>.q`, `<joint>.v`, `<joint>.a` in any order; others are left out."""
    for name in header:
        if header.count(name) > 1:
            raise file_error(path, f"the file has two columns {name!r}", column=name)
    chosen = joints if joints is not None else [
        name[:-2] for name in header if name.endswith(".q")]
    if joints is None and not chosen:
        raise file_error(path, "the file has no column <joint>.q", Reason.MISSING_INPUT)
    blocks = {"time": ["time"]}
    for part in "qva" if rates else "q":
        names = [f"{joint}.{part}" for joint in chosen]
        if part == "q" or not chosen or not set(names).isdisjoint(header):
            blocks[part] = names
    used = list(itertools.chain.from_iterable(blocks.values()))
    for name in used:
        if name not in header:
            raise file_error(
                path, f"the file has no column {name!r}; there are {', '.join(header)}",
                Reason.WRONG_JOINT_NAMES if "." in name else Reason.MISSING_INPUT,
                column=name, joint=name.rpartition(".")[0])
    return Samples({part: numbers[:, [header.index(name) for name in names]]
                    for part, names in blocks.items()}, chosen,
                   [name for name in header if name not in used])


def _of_npz(archive: Any, joints: Sequence[str] | None, rates: bool, path: Path,
            ) -> Samples:
    """Arrays time, q and, if there are, v, a, tip_wrench and joint_names; others are not
    even unpacked. q, v and a of one joint may have one axis, as those of one sample."""
    unused = list(archive.files)
    for name in ("time", "q"):
        if name not in unused:
            raise file_error(path, f"the file has no array {name!r}", Reason.MISSING_INPUT,
                             column=name)

    def take(name: str) -> npt.NDArray[Any]:
        unused.remove(name)
        with _faults(path, name):
            # An entry that is not an array comes as bytes.
            return np.asarray(archive[name])

    if "joint_names" in unused:
        names = take("joint_names")
        if names.ndim != 1 or names.dtype.kind not in "US":
            raise file_error(
                path, "joint_names is not a list of strings; save it as "
                "np.array(names, dtype=str)", Reason.WRONG_JOINT_NAMES,
                column="joint_names")
        with _faults(path, "joint_names"):
            # numpy makes strings of numbers that are not characters.
            joints = [(name if isinstance(name, bytes) else name.encode()).decode()
                      for name in names.tolist()]
    if joints is None:
        raise file_error(
            path, "the file has no array 'joint_names'; name the joints of the columns, in "
            "their order, with `joints`", Reason.WRONG_JOINT_NAMES, column="joint_names")
    one = ("time", *("qva" if len(joints) == 1 else ""))
    return Samples({name: _table(name, take(name), path, name in one) for name in (
        "time", "q", *("va" if rates else ""), "tip_wrench") if name in unused},
        joints, unused)


@contextlib.contextmanager
def _faults(path: Path, name: str = "") -> Iterator[None]:
    """Which exceptions a damaged file raises, numpy, zipfile and the tokenizer of headers
    do not say; there are a dozen."""
    try:
        yield
    except Exception as error:
        problem = str(error) or type(error).__name__
        if "allow_pickle" in problem:
            problem = "it holds objects of Python; save names as np.array(names, dtype=str)"
        raise file_error(path, f"numpy cannot read {name or 'it'}: {problem}",
                         column=name) from None


def _table(name: str, numbers: npt.NDArray[Any], path: Path, one_column: bool = False,
           ) -> FloatArray:
    """One axis is one row; if there is one column, a row is that."""
    if numbers.ndim == 1:
        numbers = numbers[np.newaxis]
    if one_column and numbers.shape[:1] == (1,):
        numbers = numbers.T
    # Larger floats would lose digits.
    if numbers.ndim != 2 or numbers.dtype.kind not in "fiu" or numbers.dtype.itemsize > 8:
        raise file_error(
            path, f"{name} has {numbers.ndim} axes of the type {numbers.dtype}; give a row "
            "of float64 for each sample", column=name)
    return np.ascontiguousarray(numbers, np.float64)


def read_tree(suffix: str, content: bytes, path: Path) -> Any:
    """The lists, dicts, strings, floats and None of a text. Raises FileError, also for a
    name that an object has twice; and ImportError without PyYAML."""
    try:
        tree = (_of_yaml if suffix == ".yaml" else _of_json)(content, path)
        if _levels(tree) > _MOST_LEVELS:
            raise RecursionError
    except RecursionError:
        raise file_error(path, f"the {suffix[1:].upper()} is nested too deeply") from None
    return tree


def _levels(tree: Any) -> int:
    inner = tree.values() if isinstance(tree, dict) else tree
    return 1 + max(map(_levels, inner), default=0) if isinstance(tree, (list, dict)) else 0


def _of_json(content: bytes, path: Path) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name!r:.128} appears twice")
        return dict(pairs)

    def no_constant(word: str) -> Any:
        raise ValueError(f"it has no {word}")

    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=members,
                          parse_constant=no_constant, parse_int=float)
    except ValueError as error:
        raise file_error(path, f"the text is not JSON: {error}",
                         line=getattr(error, "lineno", None)) from None


def _of_yaml(content: bytes, path: Path) -> Any:
    """The one document that is not empty. Words without quotes and tags are numbers if
    they are decimal: YAML itself has 1e-3 for a string, 010 for eight, and 1:30 for
    ninety. Tags never make objects."""
    try:
        import yaml
    except ImportError:
        raise ImportError(
            f"to read {path} takes PyYAML (Debian: python3-yaml)") from None

    def until(end: Any) -> Iterator[Any]:
        return itertools.takewhile(lambda event: not isinstance(event, end), events)

    def built(event: Any) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            if event.tag is not None or not event.implicit[0]:
                return event.value
            number = _number_of(event.value)
            empty = event.value in ("", "~", "null")
            return None if empty else event.value if number is None else number
        if isinstance(event, yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not read",
                                       problem_mark=event.start_mark)
        if isinstance(event, yaml.SequenceStartEvent):
            return [built(inner) for inner in until(yaml.SequenceEndEvent)]
        members: dict[str, Any] = {}
        for key in until(yaml.MappingEndEvent):
            word = getattr(key, "value", None)
            if word is None or word in members:
                raise yaml.MarkedYAMLError(
                    problem=f"a key is a single word that is not there twice: {word!r:.40}",
                    problem_mark=key.start_mark)
            members[word] = built(next(events))
        return members

    try:
        events = yaml.parse(content, getattr(yaml, "CLoader", yaml.Loader))
        documents = [built(next(events)) for event in events
                     if isinstance(event, yaml.DocumentStartEvent)]
    # The parser that is written in Python makes characters of all numbers.
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        raise file_error(
            path, f"the text is not YAML: {getattr(error, 'problem', None) or error}",
            line=mark.line + 1 if mark else None) from None
    documents = [document for document in documents if document is not None]
    if len(documents) != 1:
        raise file_error(path, f"has {len(documents)} messages; give one")
    return documents[0]


def _of_message(message: Any, rates: bool, path: Path) -> Samples:
    while not (isinstance(message, Mapping) and "points" in message):
        inner = [name for name in _AROUND if isinstance(message, Mapping)
                 and name in message]
        if len(inner) != 1:
            raise file_error(path, "the file is not a trajectory_msgs/JointTrajectory: "
                             + (f"it has {' and '.join(inner) or 'no points'}"))
        message = message[inner[0]]
    joints: Any = message.get("joint_names")
    points = message["points"]
    named = isinstance(joints, list) and all(isinstance(name, str) for name in joints)
    if not named or not isinstance(points, list) or not points:
        raise file_error(path, "joint_names must be a list of names, points one of points")
    time = [_seconds(point) for point in points]
    if None in time:
        raise file_error(
            path, "a point has time_from_start: sec and nanosec, secs and nsecs, or a number "
            "of seconds (ros2 topic echo cuts lists without --full-length)",
            row=time.index(None), column="time_from_start")

    def block(part: str) -> FloatArray | None:
        """None if no point has it."""
        field = _FIELDS[part]
        lists = [point.get(field) or [] for point in points]
        if joints and not any(lists):
            return None
        for row, given in enumerate(lists):
            if not isinstance(given, list) or len(given) != len(joints) or not all(
                    isinstance(number, float) for number in given):
                raise file_error(
                    path, f"{field} is not a list of {len(joints)} numbers, one for each "
                    f"joint: {given!r:.80}", Reason.WRONG_COLUMN_COUNT, row=row,
                    column=field)
        return np.array(lists).reshape(len(points), len(joints))

    q = block("q")
    if q is None:
        raise file_error(path, "the points have no positions", Reason.MISSING_INPUT,
                         column="positions")
    arrays: dict[str, Any] = {"time": np.array(time, float), "q": q}
    arrays.update((part, block(part)) for part in ("va" if rates else ""))
    unused = [field for part, field in _FIELDS.items() if arrays.get(part) is None
              and any(point.get(field) for point in points)]
    return Samples(arrays, joints, unused)


def _seconds(point: Any) -> float | None:
    given = point.get("time_from_start") if isinstance(point, Mapping) else None
    for clock in _CLOCKS:
        if isinstance(given, Mapping) and given and set(given) <= set(clock):
            parts = [given.get(name, 0.0) for name in clock]
            # Rounded once, so that decimals are what they would be alone.
            given = (parts[0] * _NANO + parts[1]) / _NANO if all(
                isinstance(part, float) for part in parts) else None
    return given if isinstance(given, float) else None


def write(path: Path, joints: Sequence[str] | None, time: FloatArray,
          blocks: Mapping[str, FloatArray]) -> None:
    """blocks: by the suffix of their columns. NPY has no names, CSV without joints has no
    header. Raises InvalidArgument, OSError."""
    path = pathlib.Path(path)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        lines = [] if joints is None else [",".join(
            ["time", *(f"{joint}.{block}" for block in blocks for joint in joints)])]
        # As Python's floats, whose text reads back to the same number.
        lines += [",".join(map(repr, row))
                  for row in np.column_stack([time, *blocks.values()]).tolist()]
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    elif suffix == ".npy":
        with path.open("wb") as file:
            np.save(file, np.column_stack([time, *blocks.values()]))
    elif suffix == ".npz":
        names = {} if joints is None else {"joint_names": np.array(joints, np.str_)}
        with path.open("wb") as file:
            np.savez(file, time=time, **blocks, **names)
    elif suffix not in (".yaml", ".yml", ".json"):
        raise unwritable(path, "it ends in none of .csv, .npy, .npz, .yaml, .yml, .json")
    elif joints is None:
        raise unwritable(path, "it takes joint_names")
    else:
        # JSON is YAML, except that 1e-05 is a string there.
        points = re.sub(r"(?<=[ \[-])(\d)(?=e)", r"\1.0", ",\n".join(
            map(json.dumps, _points(path, time, blocks))))
        path.write_text(f'{{"joint_names": {json.dumps(list(joints))},\n'
                        f'"points": [\n{points}]}}\n', encoding="utf-8")


def unwritable(path: Path, why: str) -> errors.TorquedError:
    return errors.invalid(Reason.INVALID_OPTION, "path",
                          f"cannot write {os.fspath(path)}: {why}")


def _points(path: Path, time: FloatArray, blocks: Mapping[str, FloatArray],
            ) -> Iterator[dict[str, Any]]:
    """Points of ROS 2, times in whole nanoseconds. Raises FileError if they do not fit."""
    for row, seconds in enumerate(time.tolist()):
        # The whole seconds first: large times keep their fraction.
        whole = math.floor(seconds)
        carry, nanosec = divmod(round((seconds - whole) * _NANO), _NANO)
        if not -2**31 <= whole + carry < 2**31:
            raise file_error(path, f"{seconds} s does not fit the 32 bits of the message",
                             Reason.INVALID_SAMPLE, row=row, column="time")
        yield {"time_from_start": {"sec": whole + carry, "nanosec": nanosec}, **{
            _FIELDS[name]: numbers[row].tolist() for name, numbers in blocks.items()}}
