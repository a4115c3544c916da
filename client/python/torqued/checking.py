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


def check_number(option: str, given: Any, wanted: str, least: float) -> None:
    """wanted: "seconds", any; or "a whole number"."""
    kinds: Any = (int, np.integer) if wanted != "seconds" else (int, float, np.number)
    if isinstance(given, bool) or not isinstance(given, kinds) or not given >= least:
        refuse(option, f"{wanted}, at least {least}", given)


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
