"""Inputs of callers: options, refused by name before anything is sent, and numbers."""

from __future__ import annotations

import functools
import math
from typing import Any, Iterable, Mapping, NoReturn, Sequence

import numpy as np
import numpy.typing as npt
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.internal import encoder

from torqued import contract, errors
from torqued.contract import Reason
from torqued.message import parse
from torqued.values import Columns, FloatArray
from torqued.v1 import array_pb2

F64: np.dtype[Any] = np.dtype("<f8")
F32: np.dtype[Any] = np.dtype("<f4")


def refuse(option: str, wanted: str, given: Any) -> NoReturn:
    """Raises InvalidArgument (INVALID_OPTION). wanted: what the option accepts."""
    raise errors.invalid(
        Reason.INVALID_OPTION, option,
        f"{option} accepts {wanted}, not {given!r:.60} ({type(given).__name__})")


def names_of(joints: Any) -> list[str]:
    if isinstance(joints, str) or not all(isinstance(name, str) for name in joints):
        refuse("joint_names", "a list of names", joints)
    return list(map(str, joints))


def check_seconds(option: str, given: Any) -> None:
    if isinstance(given, bool) or not (
            isinstance(given, (int, float, np.number)) and given >= 0):
        refuse(option, "seconds, at least 0", given)


def set_field(message: Any, name: str, value: Any, word: str = "") -> None:
    """Sets a field that is not set from a value that a caller gave. Raises
    InvalidArgument (INVALID_OPTION) with the field's name, or `word`."""
    field = message.DESCRIPTOR.fields_by_name[name]
    word = word or name
    repeated = field.label == FieldDescriptor.LABEL_REPEATED
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if repeated and (isinstance(value, (str, bytes, Mapping))
                     or not isinstance(value, Iterable)):
        refuse(word, "a list", value)
    if field.message_type and not repeated and not isinstance(value, Mapping):
        refuse(word, "a dict of " + ", ".join(field.message_type.fields_by_name), value)
    if field.type == FieldDescriptor.TYPE_BOOL and value not in (True, False):
        refuse(word, "True or False", value)
    try:
        if field.enum_type is not None:
            kind = getattr(contract, field.enum_type.name)
            value = ([parse(kind, one) for one in value] if repeated
                     else parse(kind, value))
        message.MergeFrom(type(message)(**{name: value}))
    except (TypeError, ValueError) as error:
        raise errors.invalid(Reason.INVALID_OPTION, word, f"{word}: {error}") from None


def table(name: str, given: Any, order: Sequence[str] | None = None) -> FloatArray:
    """The input `name`, [..., columns]; float32 stays float32. order: joint names, with
    which numbers by name are accepted, too. Raises InvalidArgument (MALFORMED_ARRAY,
    WRONG_JOINT_NAMES)."""
    if order is not None and not isinstance(given, np.ndarray) and isinstance(
            given, Columns):
        return _by_name(name, given, order)
    if type(given) is np.ndarray and given.ndim and given.dtype == F64 and (
            given.flags.c_contiguous):
        return given
    numbers = _numbers(name, given)
    return numbers if numbers.ndim else numbers.reshape(1)


def _numbers(name: str, given: Any) -> FloatArray:
    try:
        if np.ma.is_masked(given):
            raise ValueError("some are masked; give NaN, or other numbers, for them")
        numbers = np.asarray(given)
        if numbers.dtype.kind not in "fiub":
            raise ValueError(f"they have the type {numbers.dtype}")
    except ValueError as error:
        raise errors.invalid(Reason.MALFORMED_ARRAY, name,
                             f"{name} is not a table of real numbers: {error}") from None
    return np.asarray(numbers, F32 if numbers.dtype == np.float32 else F64, order="C")


def _by_name(name: str, given: Columns, order: Sequence[str]) -> FloatArray:
    keys = list(given.keys())
    for joint in [*keys, *order]:
        if (joint in keys) != (joint in order):
            raise errors.invalid(
                Reason.WRONG_JOINT_NAMES, name,
                f"{name} takes the joints {', '.join(order)}; {joint!r} is "
                + ("missing" if joint in order else "unknown"), joint=str(joint))
    columns = [_numbers(f"{name}[{joint!r}]", given[joint]) for joint in order]
    try:
        return np.stack(np.broadcast_arrays(*columns), -1) if columns else np.zeros((1, 0))
    except ValueError as error:
        raise errors.invalid(Reason.WRONG_ROW_COUNT, name, f"{name}: {error}") from None


class States:
    """The inputs of a call by their names on the wire.

    leading: axes before those of one state, broadcast. arrays: [rows, columns], or one
    row for all states, or for none. dtype: of results. Raises InvalidArgument
    (WRONG_ROW_COUNT) if the axes do not fit each other.
    """

    def __init__(self, tables: Mapping[str, FloatArray]) -> None:
        self.leading: tuple[int, ...] = ()
        for name, numbers in tables.items():
            axes = numbers.shape[:-1]
            if not axes or axes == self.leading:
                continue
            try:
                self.leading = np.broadcast_shapes(self.leading, axes)
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
        if not self.rows:
            return np.zeros((1, columns), numbers.dtype)
        if tuple(axes) != self.leading:
            numbers = np.ascontiguousarray(
                np.broadcast_to(numbers, (*self.leading, columns)))
        return numbers.reshape(self.rows, columns)


@functools.lru_cache(maxsize=None)
def _tag(message: Any, name: str) -> bytes:
    return encoder.TagBytes(message.DESCRIPTOR.fields_by_name[name].number, 2)


def field(message: Any, name: str, parts: Sequence[Any]) -> list[Any]:
    """The bytes of a field that holds the message of these parts. Behind a serialized
    message it is a field of that, so that protobuf never copies its numbers."""
    size = sum(memoryview(part).nbytes for part in parts)
    return [_tag(message, name), encoder._VarintBytes(size), *parts]


@functools.lru_cache(maxsize=1024)
def _before(message: Any, name: str, columns: int, itemsize: int, size: int) -> bytes:
    array = (array_pb2.Array(columns=columns).SerializeToString()
             + _tag(array_pb2.Array, "f32" if itemsize == 4 else "f64")
             + encoder._VarintBytes(size))
    return _tag(message, name) + encoder._VarintBytes(len(array) + size) + array


def rows_field(message: Any, name: str, rows: FloatArray) -> list[Any]:
    """The parts of a field of the type Array. rows: little-endian, C-contiguous."""
    return [_before(message, name, rows.shape[1], rows.itemsize, rows.nbytes), rows.data]
