"""Trajectories as comma-separated values."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np

from torqued.contract import Reason
from torqued.errors import FilePlace
from torqued.formats import Samples, Wanted, chosen, split_plain
from torqued.values import FloatArray

_BLANK = " \t\r"
# float() takes 1_000, digits of all alphabets, and more blanks.
_CELL = re.compile(r"[ \t\r]*[-+.0-9A-Za-z]+[ \t\r]*")


class Table(NamedTuple):
    """header: empty if there is none. lines: of the rows, from 1."""

    header: list[str]
    numbers: FloatArray
    lines: list[int]


def read(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    """With a header: `time`, `<joint>.q`, `<joint>.v`, `<joint>.a` in any order; other
    columns are left out. Without: plain columns."""
    table = parse(file, place)
    if not table.header:
        return split_plain(table.numbers, wanted, place, table.lines)
    return _named(table, wanted, place)


def write(path: pathlib.Path, joints: Sequence[str] | None, time: FloatArray,
          blocks: Mapping[str, FloatArray]) -> None:
    """blocks: suffix -> one column for each joint. joints: None: no header."""
    with path.open("w", encoding="utf-8", newline="") as file:
        if joints is not None:
            names = [f"{joint}.{suffix}" for suffix in blocks for joint in joints]
            file.write(",".join(["time", *names]) + "\n")
        # As Python's floats, whose text reads back to the same number.
        for row in np.column_stack([time, *blocks.values()]).tolist():
            file.write(",".join(map(repr, row)) + "\n")


def parse(file: BinaryIO, place: FilePlace) -> Table:
    """At least one row of numbers. Blank lines and those that begin with # do not
    count."""
    header: list[str] = []
    rows: list[list[float]] = []
    lines: list[int] = []
    columns = 0
    # Comments and columns that nobody asks for may be in any encoding.
    text = file.read().decode("utf-8-sig", "backslashreplace")
    for line, content in enumerate(text.split("\n"), 1):
        content = content.strip(_BLANK)
        if not content or content.startswith("#"):
            continue
        cells = content.split(",")
        bad = next((k for k, cell in enumerate(cells) if not _is_number(cell)), None)
        if not columns:
            columns = len(cells)
            if bad is not None:
                header = [_unquoted(cell.strip(_BLANK)) for cell in cells]
                continue
        advice = ("; columns are separated by commas, numbers have a point"
                  if ";" in content or "\t" in content else "")
        if len(cells) != columns:
            raise place.problem(
                f"has {len(cells)} cells, the lines before have {columns}{advice}",
                line=line, reason=Reason.WRONG_COLUMN_COUNT)
        if bad is not None:
            raise place.problem(
                f"{cells[bad].strip(_BLANK)!r:.40} is not a number{advice}", line=line,
                column=header[bad] if header else str(bad + 1))
        rows.append([float(cell) for cell in cells])
        lines.append(line)
    if not rows:
        raise place.problem("the file has no samples", reason=Reason.MISSING_INPUT)
    return Table(header, np.array(rows, float), lines)


def _is_number(cell: str) -> bool:
    try:
        return bool(_CELL.fullmatch(cell)) and float(cell) is not None
    except ValueError:
        return False


def _unquoted(cell: str) -> str:
    return cell[1:-1] if len(cell) >= 2 and cell[0] == cell[-1] == '"' else cell


def _named(table: Table, wanted: Wanted, place: FilePlace) -> Samples:
    header, joints = table.header, wanted.joints
    for name in header:
        if header.count(name) > 1:
            raise place.problem(f"the file has two columns {name!r}", column=name)
    if "time" not in header:
        raise place.problem("the file has no column 'time'",
                            reason=Reason.MISSING_INPUT, column="time")
    present = [name[:-2] for name in header if name.endswith(".q")]
    bare = [name for name in header if name not in ("", "time", *present)
            and (name in joints if joints is not None
                 else not present and name[-2:] not in (".v", ".a"))]
    if bare:
        raise place.problem(
            f"column {bare[0]!r} does not say what it holds: call it {bare[0]}.q if "
            "it holds positions", reason=Reason.MISSING_INPUT)
    if not present and (joints is None or joints):
        raise place.problem("the file has no column <joint>.q",
                            reason=Reason.MISSING_INPUT)
    _, others = chosen(present, joints, place)
    names = present if joints is None else joints
    used = {"time"}

    def block(suffix: str) -> FloatArray | None:
        columns = [f"{name}.{suffix}" for name in names]
        missing = [name for name in columns if name not in header]
        if missing and len(missing) == len(columns):
            return None
        if missing:
            raise place.problem(
                f"the file has no column {missing[0]!r}, but {suffix} of other joints",
                reason=Reason.WRONG_JOINT_NAMES, column=missing[0], joint=missing[0][:-2])
        used.update(columns)
        return table.numbers[:, [header.index(name) for name in columns]].copy("C")

    q = block("q")
    assert q is not None  # `chosen` has found all of them.
    v, a = (block("v"), block("a")) if wanted.rates else (None, None)
    return Samples(
        names, table.numbers[:, header.index("time")].copy(), q, v, a,
        lines=table.lines, others=others,
        unused=tuple(name for name in header if name not in used))
