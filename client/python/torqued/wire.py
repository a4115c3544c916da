"""Messages with large arrays, serialized without copying the numbers twice.

protobuf appends: a serialized message with more fields behind it is the message
with these fields. So the small part of a request is serialized by protobuf, and
the arrays are put behind it from where they stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from torqued.v1 import array_pb2

Part = Union[bytes, memoryview]

_VARINT, _BYTES = 0, 2


def _number(message: Any, field: str) -> int:
    return message.DESCRIPTOR.fields_by_name[field].number


def _varint(number: int) -> bytes:
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def _tag(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


_COLUMNS = _tag(_number(array_pb2.Array, "columns"), _VARINT)
# By the size of a number.
_NUMBERS = {8: _tag(_number(array_pb2.Array, "f64"), _BYTES),
            4: _tag(_number(array_pb2.Array, "f32"), _BYTES)}


class Field:
    """A field of a message that holds an array, or a message with fields."""

    def __init__(self, message: Any, name: str) -> None:
        self._tag = _tag(_number(message, name), _BYTES)

    def of_array(self, rows: npt.NDArray[np.floating[Any]]) -> list[Part]:
        """`rows` is little-endian, C-contiguous, and may be empty."""
        head = b"".join((_COLUMNS, _varint(rows.shape[1]),
                         _NUMBERS[rows.itemsize],
                         _varint(rows.nbytes)))
        size = _varint(len(head) + rows.nbytes)
        return [self._tag + size + head, rows.data]

    def of_parts(self, parts: Iterable[Part]) -> list[Part]:
        listed = list(parts)
        size = sum(part.nbytes if isinstance(part, memoryview) else len(part)
                   for part in listed)
        return [self._tag + _varint(size), *listed]


def joined(parts: Iterable[Part]) -> bytes:
    return b"".join(parts)
