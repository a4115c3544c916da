"""Numbers from what people have, and to and from bytes."""

from __future__ import annotations

import functools
import math
from typing import Any, Mapping, Optional, Sequence

import numpy as np
import numpy.typing as npt
from google.protobuf.internal import encoder

from torqued import errors
from torqued.contract import Reason
from torqued.values import Columns, FloatArray
from torqued.v1 import array_pb2

F64: np.dtype[Any] = np.dtype("<f8")
F32: np.dtype[Any] = np.dtype("<f4")


def table(name: str, given: Any, order: Optional[Sequence[str]] = None) -> FloatArray:
    """The input `name`, [..., columns]; float32 stays float32.

    With `order`, joint names, numbers by name are accepted, too. Raises
    InvalidArgument (MALFORMED_ARRAY) for ragged lists and for what is not a real
    number, (WRONG_JOINT_NAMES) for a joint that is missing or unknown.
    """
    if order is not None and not isinstance(given, np.ndarray) and isinstance(
            given, Columns):
        return _by_name(name, given, order)
    if type(given) is np.ndarray and given.ndim and given.dtype == F64 and (
            given.flags.c_contiguous):
        return given
    numbers = _numbers(name, given)
    return numbers if numbers.ndim else numbers.reshape(1)


def _numbers(name: str, given: Any) -> FloatArray:
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise errors.invalid(
            Reason.MALFORMED_ARRAY, name,
            f"{name} has masked numbers; give NaN, or other numbers, for them")
    try:
        numbers = np.asarray(given)
    except ValueError as error:
        raise errors.invalid(
            Reason.MALFORMED_ARRAY, name,
            f"{name} is not a table of numbers: {error}") from None
    if numbers.dtype.kind not in "fiub":
        raise errors.invalid(
            Reason.MALFORMED_ARRAY, name,
            f"{name} has the type {numbers.dtype}, which is not a real number")
    kind: Any = F32 if numbers.dtype == np.float32 else F64
    return np.asarray(numbers, kind, order="C")


def _by_name(name: str, given: Columns, order: Sequence[str]) -> FloatArray:
    keys = list(given.keys())
    for key in keys:
        if key not in order:
            raise errors.invalid(
                Reason.WRONG_JOINT_NAMES, name,
                f"{name} has {key!r}, which is not a movable joint of this model; "
                f"there are {', '.join(order)}", joint=str(key))
    for joint in order:
        if joint not in keys:
            raise errors.invalid(
                Reason.WRONG_JOINT_NAMES, name,
                f"{name} lacks the joint {joint!r}", joint=joint)
    columns = [_numbers(f"{name}[{joint!r}]", given[joint]) for joint in order]
    leading = max((column.shape for column in columns), key=math.prod, default=())
    for joint, column in zip(order, columns):
        if column.shape not in ((), (1,), leading):
            raise errors.invalid(
                Reason.WRONG_ROW_COUNT, name,
                f"{name}[{joint!r}] has the shape {column.shape}, another joint "
                f"{leading}", joint=joint)
    if not columns:
        return np.zeros((1, 0))
    return np.stack([np.broadcast_to(column, leading) for column in columns], -1)


class States:
    """The inputs of a call by their names on the wire.

    leading: the axes before those of one state, by numpy's broadcasting of all
    inputs. arrays: [rows, columns], or one row for all states. dtype: of results.
    Raises InvalidArgument (WRONG_ROW_COUNT) if the axes do not fit each other.
    """

    def __init__(self, tables: Mapping[str, FloatArray]) -> None:
        self.leading: "tuple[int, ...]" = ()
        for name, numbers in tables.items():
            axes = numbers.shape[:-1]
            if not axes or axes == self.leading:
                continue
            try:
                self.leading = (np.broadcast_shapes(self.leading, axes) if self.leading
                                else axes)
            except ValueError:
                raise errors.invalid(
                    Reason.WRONG_ROW_COUNT, name,
                    f"{name} has the shape {numbers.shape}, other inputs have "
                    f"{self.leading} before the numbers of a state") from None
        self.rows = math.prod(self.leading)
        self.arrays = {name: self._rows(numbers) for name, numbers in tables.items()}
        kinds: Any = {numbers.dtype for numbers in tables.values()}
        self.dtype = F32 if kinds == {F32} else F64

    def _rows(self, numbers: FloatArray) -> FloatArray:
        *axes, columns = numbers.shape
        if math.prod(axes) == 1:
            return numbers.reshape(1, columns)
        if tuple(axes) != self.leading:
            numbers = np.ascontiguousarray(
                np.broadcast_to(numbers, (*self.leading, columns)))
        return numbers.reshape(self.rows, columns)

    def example(self) -> States:
        """One state with as many columns, for a batch of none."""
        return States({name: rows[0] if len(rows) else np.zeros(rows.shape[1], rows.dtype)
                       for name, rows in self.arrays.items()})

    def bytes_per_row(self) -> int:
        return sum(rows.shape[1] * rows.itemsize for rows in self.arrays.values()
                   if len(rows) > 1)

    def part(self, name: str, first: int, count: int) -> FloatArray:
        """Some rows of an input; the only row of one that has a single row."""
        rows = self.arrays[name]
        return rows[first:first + count] if len(rows) > 1 else rows


@functools.lru_cache(maxsize=None)
def _tag(message: Any, name: str) -> bytes:
    tag: bytes = encoder.TagBytes(message.DESCRIPTOR.fields_by_name[name].number, 2)
    return tag


def field(message: Any, name: str, parts: "Sequence[Any]") -> "list[Any]":
    """The bytes of a field that holds the message of these parts. Behind a serialized
    message it is a field of that, so that protobuf never copies its numbers."""
    size = sum(memoryview(part).nbytes for part in parts)
    return [_tag(message, name), encoder._VarintBytes(size), *parts]


@functools.lru_cache(maxsize=1024)
def _before(message: Any, name: str, columns: int, itemsize: int, size: int) -> bytes:
    """What stands before the numbers of an Array in a field."""
    array = (array_pb2.Array(columns=columns).SerializeToString()
             + _tag(array_pb2.Array, "f32" if itemsize == 4 else "f64")
             + encoder._VarintBytes(size))
    return (_tag(message, name) + encoder._VarintBytes(len(array) + size)
            + array)


def rows_field(message: Any, name: str, rows: FloatArray) -> "list[Any]":
    """The parts of a field of the type Array. rows: little-endian, C-contiguous."""
    return [_before(message, name, rows.shape[1], rows.itemsize, rows.nbytes), rows.data]


def received(message: array_pb2.Array, columns: int, rows: int, name: str,
             kind: npt.DTypeLike = F64) -> FloatArray:
    """The numbers of a reply, [rows, columns], read-only, not copied. Raises
    InternalError if they are not as many."""
    content = message.f32 if kind == F32 else message.f64
    if message.columns != columns or len(content) != (
            rows * columns * np.dtype(kind).itemsize):
        raise errors.make(
            "INTERNAL", f"the reply has {message.columns} columns and {len(content)} "
            f"bytes of {name} for {rows} rows; {columns} columns were expected")
    return np.frombuffer(content, kind).reshape(rows, columns)
