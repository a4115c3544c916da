"""The base of the contract's enums."""

from __future__ import annotations

import enum
from typing import Any, Type, TypeVar

C = TypeVar("C", bound="Choice")


class Choice(enum.IntEnum):
    """An enum of the contract. Its names are accepted in any case: "world",
    "linear_x". A number from a newer server that this client does not know is a
    value whose name is that number."""

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int):
            return None
        unknown = int.__new__(cls, value)
        unknown._name_ = str(int(value))
        unknown._value_ = int(value)
        return unknown

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self._value_,)


def parse(kind: Type[C], given: Any) -> C:
    """A member from itself, its name or its number. Raises ValueError."""
    if isinstance(given, kind) and kind.__members__.get(given.name) is given:
        return given
    if isinstance(given, str):
        name = given.upper().replace("-", "_")
        if name in kind.__members__:
            return kind[name]
        # "cubic" is enough for CUBIC_SPLINE.
        near = [member for member in kind if member.name.startswith(name + "_")]
        if len(near) == 1:
            return near[0]
    # Neither True nor a member of another enum.
    elif type(given) is int and given in list(kind):
        return kind(given)
    names = ", ".join(member.name.lower() for member in kind)
    raise ValueError(f"{given!r:.60} is not a {kind.__name__}; there are {names}")
