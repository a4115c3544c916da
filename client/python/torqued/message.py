"""One view of every message that a server sends, and of its enums."""

from __future__ import annotations

import datetime
import enum
import functools
from typing import Any, Dict, Generic, Tuple, Type, TypeVar, Union

import numpy as np
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor

from torqued.v1 import quantity_pb2

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


class Message:
    """A message of the server. Its fields are attributes, under their names on the wire:
    an absent field is None (a limit: infinite), a table is an array, an enum a value of
    its class, a time a datetime in UTC. `proto` is the message, not to be changed."""

    def __init__(self, proto: Any) -> None:
        self.proto = proto

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "proto":
            raise AttributeError(name)
        field = self.proto.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        value = _viewed(self.proto, field)
        self.__dict__[name] = value
        return value

    def to_dict(self) -> Dict[str, Any]:
        """In words of JSON."""
        return json_format.MessageToDict(self.proto, preserving_proto_field_name=True)

    def __dir__(self) -> Any:
        return [*super().__dir__(), *self.proto.DESCRIPTOR.fields_by_name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and self.proto == other.proto

    def __repr__(self) -> str:
        shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}"
                          for field, _ in self.proto.ListFields())
        return f"{type(self).__name__}({shown})"


M = TypeVar("M")


class Messages(Tuple[M, ...], Generic[M]):
    """Messages in order, also by the name of their joint. An attribute has that of all
    of them: numbers as an array, NaN if absent."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        values = [None if message is None else getattr(message, name) for message in self]
        there = [value for value in values if value is not None]
        if all(isinstance(value, (int, float)) for value in there):
            return np.array([np.nan if value is None else value for value in values])
        return Messages(values)

    def __getitem__(self, place: Union[int, str, slice]) -> Any:  # type: ignore[override]
        if not isinstance(place, str):
            return super().__getitem__(place)
        for message in self:
            if place in (getattr(message, "joint", None), getattr(message, "name", None)):
                return message
        raise KeyError(place)


def view(message: Any) -> Any:
    """The message as the class that is generated for it."""
    return _kinds().get(message.DESCRIPTOR.name, Message)(message)


@functools.lru_cache(maxsize=None)
def _kinds() -> Dict[str, Any]:
    return {kind.__name__: kind for kind in Message.__subclasses__()}


def _viewed(message: Any, field: FieldDescriptor) -> Any:
    value = getattr(message, field.name)
    if field.label == FieldDescriptor.LABEL_REPEATED:
        if field.message_type is not None:
            return Messages(map(view, value))
        if field.type == FieldDescriptor.TYPE_DOUBLE:
            return np.array(value, float)
        return tuple(_enum(field, one) for one in value)
    if field.containing_oneof is not None and not message.HasField(field.name):
        absent = field.GetOptions().Extensions[quantity_pb2.absent]
        return float(absent) if absent else None
    if field.message_type is None:
        return _enum(field, value)
    if not message.HasField(field.name):
        return None
    if field.message_type.name == "Timestamp":
        return value.ToDatetime(datetime.timezone.utc)
    if field.message_type.name == "Duration":
        return value.ToNanoseconds() / 1e9
    return view(value)


def _enum(field: FieldDescriptor, value: Any) -> Any:
    if field.enum_type is None:
        return value
    from torqued import contract

    return getattr(contract, field.enum_type.name)(value) if value else None
