"""Numbers from what people have, and to and from bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Union, runtime_checkable

import numpy as np
import numpy.typing as npt

from torqued import errors
from torqued.enums import Reason
from torqued.v1 import array_pb2

FloatArray = npt.NDArray[np.float64]
WIRE = np.dtype("<f8")


@runtime_checkable
class Columns(Protocol):
    """Numbers by joint name: a dict, a pandas DataFrame or Series, or anything
    else that has keys() and takes them in brackets."""

    def keys(self) -> Any: ...

    def __getitem__(self, key: str, /) -> Any: ...


#: One number per joint, or one row of them per state, in joint order; or the
#: same by joint name.
JointInput = Union[npt.ArrayLike, Columns]


class Table(NamedTuple):
    """Rows of numbers, and whether they came as one state without rows."""

    rows: FloatArray
    single: bool


def table(name: str, given: Any, order: Sequence[str] | None = None) -> Table:
    """The input `name` as a table.

    A vector is one state, a matrix one row per state. With `order`, joint
    names, numbers by name are taken too. Raises InvalidArgument
    (MALFORMED_ARRAY) for ragged lists, more than two axes, and what is no real
    number; and (WRONG_JOINT_NAMES) for a joint that is missing or that there
    is not.
    """
    if order is not None and not isinstance(given, np.ndarray):
        if isinstance(given, Columns):
            return _by_name(name, given, order)
    numbers = _numbers(name, given)
    if numbers.ndim == 1:
        return Table(numbers.reshape(1, -1), True)
    if numbers.ndim == 2:
        return Table(numbers, False)
    if numbers.ndim == 0:
        return Table(numbers.reshape(1, 1), True)
    raise errors.invalid(
        Reason.MALFORMED_ARRAY, name,
        f"{name} has {numbers.ndim} axes; give one state [n] or a row per "
        "state [N, n]")


def _numbers(name: str, given: Any) -> FloatArray:
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise errors.invalid(
            Reason.MALFORMED_ARRAY, name,
            f"{name} has masked numbers; give NaN, or other numbers, for them")
    if isinstance(given, np.ndarray) and given.dtype == WIRE:
        return np.ascontiguousarray(given) if given.ndim else given
    try:
        numbers = np.asarray(given)
    except ValueError as error:
        raise errors.invalid(
            Reason.MALFORMED_ARRAY, name,
            f"{name} is no table of numbers: {error}") from None
    if numbers.dtype.kind not in "fiub":
        raise errors.invalid(
            Reason.MALFORMED_ARRAY, name,
            f"{name} has the type {numbers.dtype}, which are no real numbers")
    return np.ascontiguousarray(numbers, WIRE) if numbers.ndim else (
        numbers.astype(WIRE))


def _by_name(name: str, given: Columns, order: Sequence[str]) -> Table:
    known = set(order)
    keys = list(given.keys())
    for key in keys:
        if key not in known:
            raise errors.invalid(
                Reason.WRONG_JOINT_NAMES, name,
                f"{name} has {key!r}, which is no movable joint of this model; "
                f"there are {', '.join(order)}", joint=str(key))
    present = set(keys)
    for joint in order:
        if joint not in present:
            raise errors.invalid(
                Reason.WRONG_JOINT_NAMES, name,
                f"{name} lacks the joint {joint!r}", joint=joint)
    columns = [_numbers(f"{name}[{joint!r}]", given[joint]) for joint in order]
    rows = max((column.size for column in columns if column.ndim), default=1)
    for joint, column in zip(order, columns):
        if column.ndim > 1 or column.size not in (1, rows):
            raise errors.invalid(
                Reason.WRONG_ROW_COUNT, name,
                f"{name}[{joint!r}] has the shape {column.shape}; give one "
                f"number, or {rows}, one per state", joint=joint)
    single = all(column.ndim == 0 for column in columns)
    stacked = np.empty((rows, len(order)), WIRE)
    for index, column in enumerate(columns):
        stacked[:, index] = column
    return Table(stacked, single)


class States:
    """The inputs of a call by their names on the wire, one row per state.

    rows: number of states. single: all came without rows. A single row serves
    all states, also none.
    Raises InvalidArgument (WRONG_ROW_COUNT) where rows differ and are not 1.
    """

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.arrays = {name: table.rows for name, table in tables.items()}
        self.single = all(table.single for table in tables.values())
        self.rows = 0
        longest = ""
        for name, rows in self.arrays.items():
            if len(rows) > self.rows:
                self.rows, longest = len(rows), name
        if self.rows == 1 and not all(map(len, self.arrays.values())):
            self.rows = 0
        for name, rows in self.arrays.items():
            if len(rows) not in (1, self.rows):
                raise errors.invalid(
                    Reason.WRONG_ROW_COUNT, errors.in_keywords(name),
                    errors.in_keywords(
                        f"{name} has {len(rows)} rows, {longest} has "
                        f"{self.rows}"))

    @property
    def empty(self) -> bool:
        """Whether this is a batch of no states, and not that nothing is
        given."""
        return self.rows == 0 and bool(self.arrays)

    def example(self) -> States:
        """One state with as many columns, for a batch of none."""
        return States({
            name: Table(rows if len(rows) else np.zeros((1, rows.shape[1])),
                        False)
            for name, rows in self.arrays.items()})

    def bytes_per_row(self) -> int:
        return sum(rows.shape[1] for rows in self.arrays.values()
                   if len(rows) > 1) * WIRE.itemsize

    def part(self, name: str, first: int, count: int) -> FloatArray:
        """Some rows of an input; all of one that has a single row."""
        rows = self.arrays[name]
        return rows[first:first + count] if len(rows) > 1 else rows


def received(message: array_pb2.Array, columns: int, rows: int,
             name: str) -> npt.NDArray[np.float64]:
    """The numbers of a reply, [rows, columns], read-only, not copied.

    Raises InternalError where they are not so many.
    """
    if message.columns != columns or len(message.f64) != (
            rows * columns * WIRE.itemsize):
        raise errors.make(
            "INTERNAL", f"the reply has {message.columns} columns and "
            f"{len(message.f64)} bytes of {name} for {rows} rows; "
            f"{columns} columns were expected")
    return np.frombuffer(message.f64, WIRE).reshape(rows, columns)


