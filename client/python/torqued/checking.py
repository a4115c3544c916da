"""What options accept, refused by name before anything is sent."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NoReturn

import numpy as np
from google.protobuf.descriptor import FieldDescriptor

from torqued import contract, errors
from torqued.choice import parse
from torqued.contract import Reason


def refuse(option: str, wanted: str, given: Any) -> NoReturn:
    """Raises InvalidArgument (INVALID_OPTION). wanted: what the option accepts."""
    raise errors.invalid(
        Reason.INVALID_OPTION, option,
        f"{option} accepts {wanted}, not {given!r:.60} ({type(given).__name__})")


def check_progress(given: Any) -> None:
    """None is absent."""
    if not (given is None or callable(given) or hasattr(given, "update")):
        refuse("progress", "a function of (done, total), or a bar that has update()",
               given)


def check_seconds(option: str, given: Any) -> None:
    """None is absent. At least 0; may be infinite."""
    if given is None:
        return
    if isinstance(given, bool) or not isinstance(
            given, (int, float, np.number)) or not given >= 0:
        refuse(option, "seconds, at least 0", given)


def set_field(message: Any, name: str, value: Any, word: str = "") -> None:
    """Sets a field from a value that a caller gave. Raises InvalidArgument
    (INVALID_OPTION) with the field's name, or `word`."""
    field = message.DESCRIPTOR.fields_by_name[name]
    word = word or name
    repeated = field.label == FieldDescriptor.LABEL_REPEATED
    if repeated and (isinstance(value, (str, bytes, Mapping))
                     or not isinstance(value, Iterable)):
        refuse(word, "a list", value)
    try:
        if field.enum_type is not None:
            kind = getattr(contract, field.enum_type.name)
            value = ([parse(kind, one) for one in value] if repeated
                     else parse(kind, value))
        elif isinstance(value, (np.ndarray, np.generic)):
            value = value.tolist()
        if field.message_type is not None:
            part = getattr(message, name)
            part.CopyFrom(type(part)(**value) if isinstance(value, Mapping) else value)
        elif repeated:
            getattr(message, name).extend(value)
        elif field.type == FieldDescriptor.TYPE_BOOL and value not in (True, False):
            refuse(word, "True or False", value)
        else:
            setattr(message, name, value)
    except (TypeError, ValueError) as error:
        if isinstance(error, errors.TorquedError):
            raise
        raise errors.invalid(Reason.INVALID_OPTION, word, f"{word}: {error}") from None


def check_count(option: str, given: Any) -> None:
    if isinstance(given, bool) or not (
            isinstance(given, (int, np.integer)) and given >= 1):
        refuse(option, "a whole number, at least 1", given)
