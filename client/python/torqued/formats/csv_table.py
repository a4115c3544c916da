"""Trajectories as comma-separated values."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np

from torqued.values import FloatArray
from torqued.contract import Reason
from torqued.errors import FilePlace
from torqued.formats.samples import Samples, Wanted, chosen, split_plain

# Characters of a cell that a complaint shows.
_SHOWN = 40
_BLANK = " \t\r"


class Table(NamedTuple):
    """header: empty where there is none. lines: of the rows, from 1."""

    header: list[str]
    numbers: FloatArray
    lines: list[int]


def read(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    """With a header: `time`, `<joint>.q`, `<joint>.v`, `<joint>.a` in any
    order; other columns are left out. Without: plain columns.

    Blank lines and those that begin with # do not count.
    """
    table = parse(file, place)
    if not table.header:
        return split_plain(table.numbers, wanted, place, table.lines)
    return _named(table, wanted, place)


def write(path: pathlib.Path, joints: Sequence[str] | None, time: FloatArray,
          blocks: Mapping[str, FloatArray]) -> None:
    """blocks: suffix -> one column for each joint. joints: None: no header."""
    with path.open("w", encoding="utf-8", newline="") as file:
        if joints is not None:
            names = ["time"] + [f"{joint}.{suffix}" for suffix in blocks
                                for joint in joints]
            file.write(",".join(names) + "\n")
        # As Python's floats, whose text reads back to the same number.
        for row in np.column_stack([time, *blocks.values()]).tolist():
            file.write(",".join(map(repr, row)) + "\n")


def parse(file: BinaryIO, place: FilePlace) -> Table:
    """At least one row of numbers."""
    # Comments and columns that nobody asks for may be in any encoding.
    text = file.read().decode("utf-8-sig", "backslashreplace")
    header: list[str] = []
    rows: list[list[float]] = []
    lines: list[int] = []
    columns = 0
    for line, content in enumerate(text.split("\n"), 1):
        content = content.strip(_BLANK)
        if not content or content.startswith("#"):
            continue
        cells = content.split(",")
        row = _numbers(cells)
        if not columns:
            columns = len(cells)
            if row is None:
                header = [_unquoted(cell.strip(_BLANK)) for cell in cells]
                continue
        if len(cells) != columns:
            raise place.problem(
                f"has {len(cells)} cells, the lines before have {columns}"
                + _advice(content), line=line, reason=Reason.WRONG_COLUMN_COUNT)
        if row is None:
            raise _bad_cell(content, header, line, place)
        rows.append(row)
        lines.append(line)
    if not rows:
        raise place.problem("has no samples", reason=Reason.MISSING_INPUT)
    return Table(header, np.array(rows, float), lines)


def _numbers(cells: list[str]) -> list[float] | None:
    """None where one of them is none."""
    for cell in cells:
        # float() takes 1_000, digits of all alphabets, and more blanks.
        if ("_" in cell or not cell.isascii()
                or cell.strip() != cell.strip(_BLANK)):
            return None
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        return None


def _unquoted(cell: str) -> str:
    return (cell[1:-1] if len(cell) >= 2 and cell[0] == cell[-1] == '"'
            else cell)


def _advice(line: str) -> str:
    return ("; columns are separated by commas, numbers have a point"
            if ";" in line or "\t" in line else "")


def _bad_cell(content: str, header: list[str], line: int,
              place: FilePlace) -> Exception:
    cells = content.split(",")
    index = next(k for k, cell in enumerate(cells) if _numbers([cell]) is None)
    return place.problem(
        f"{cells[index].strip(_BLANK)[:_SHOWN]!r} is not a number"
        + _advice(content), line=line,
        column=header[index] if header else str(index + 1))


def _may_be_joints(header: Sequence[str], present: Sequence[str],
                   joints: Sequence[str] | None) -> Sequence[str]:
    if joints is not None or present:
        return joints or ()
    return [name for name in header
            if name not in ("", "time") and name[-2:] not in (".v", ".a")]


def _named(table: Table, wanted: Wanted, place: FilePlace) -> Samples:
    header, joints = table.header, wanted.joints
    at = {name: column for column, name in enumerate(header)}
    for column, name in enumerate(header):
        if at[name] != column:
            raise place.problem(f"has two columns {name!r}", column=name)
    if "time" not in at:
        raise place.problem("has no column 'time'",
                            reason=Reason.MISSING_INPUT, column="time")
    present = [name[:-2] for name in header if name.endswith(".q")]
    bare = next((name for name in _may_be_joints(header, present, joints)
                 if name in at and name not in present), None)
    if bare is not None:
        raise place.problem(
            f"column {bare!r} does not say what it holds: call it {bare}.q "
            "where that are positions",
            reason=Reason.MISSING_INPUT)
    if not present and (joints is None or joints):
        raise place.problem("has no column <joint>.q",
                            reason=Reason.MISSING_INPUT)
    _, others = chosen(present, joints, place)
    names = present if joints is None else joints
    used = {"time"}

    def block(suffix: str) -> FloatArray | None:
        columns = [f"{name}.{suffix}" for name in names]
        missing = [name for name in columns if name not in at]
        if missing and len(missing) == len(columns):
            return None
        if missing:
            raise place.problem(
                f"has no column {missing[0]!r}, but {suffix} of other joints",
                reason=Reason.WRONG_JOINT_NAMES, column=missing[0],
                joint=missing[0][:-2])
        used.update(columns)
        return np.ascontiguousarray(
            table.numbers[:, [at[name] for name in columns]])

    q = block("q")
    assert q is not None  # `chosen` has found all of them.
    v, a = (block("v"), block("a")) if wanted.rates else (None, None)
    return Samples(
        names, np.ascontiguousarray(table.numbers[:, at["time"]]), q, v, a,
        lines=table.lines, others=others,
        unused=tuple(name for name in header if name not in used))
