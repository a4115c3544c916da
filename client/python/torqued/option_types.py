"""What kind of thing an option takes: refused before anything is sent, by the
option's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import numpy as np

from torqued import errors
from torqued.enums import Reason

# Characters of a wrong value that a complaint shows.
_SHOWN = 60


def refuse(option: str, wanted: str, given: Any) -> NoReturn:
    """Raises InvalidArgument (INVALID_OPTION) with `option` as field. wanted:
    what it takes, "a number"."""
    shown = repr(given)
    if len(shown) > _SHOWN:
        shown = shown[:_SHOWN] + "..."
    raise errors.invalid(
        Reason.INVALID_OPTION, option,
        f"{option} takes {wanted}, not {shown} ({type(given).__name__})")


def check_text(option: str, given: Any) -> None:
    if not isinstance(given, str):
        refuse(option, "a name", given)


def check_switch(option: str, given: Any) -> None:
    """Numbers are none but 0 and 1."""
    if isinstance(given, (bool, np.bool_)) or (
            isinstance(given, int) and given in (0, 1)):
        return
    refuse(option, "True or False", given)


def check_number(option: str, given: Any) -> None:
    """None is absent."""
    if given is not None:
        number(option, given)


def real(given: Any) -> float | None:
    """None for what is no number, or one beyond those of a double."""
    # What float() takes beside numbers is none.
    if isinstance(given, (str, bytes, bytearray, bool)) or (
            isinstance(given, (np.ndarray, np.generic))
            and given.dtype.kind not in "fiu"):
        return None
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        return None


def number(option: str, given: Any) -> float:
    found = real(given)
    if found is None:
        refuse(option, "a number", given)
    return found


def check_seconds(option: str, given: Any) -> None:
    """None is absent; at least 0, and may be infinite."""
    if given is not None and not number(option, given) >= 0:
        refuse(option, "seconds, at least 0", given)


def check_count(option: str, given: Any) -> None:
    if isinstance(given, bool) or not (
            isinstance(given, (int, np.integer)) and given >= 1):
        refuse(option, "a whole number, at least 1", given)


def numbers(option: str, given: Any) -> tuple[float, ...] | None:
    """None for None."""
    if given is None:
        return None
    if isinstance(given, (str, bytes, bytearray, Mapping)) or not isinstance(
            given, Iterable) or getattr(given, "ndim", 1) == 0:
        refuse(option, "a list of numbers", given)
    return tuple(number(f"{option}[{index}]", one)
                 for index, one in enumerate(given))


def check_progress(given: Any) -> None:
    """None is absent."""
    if not (given is None or callable(given) or hasattr(given, "update")):
        refuse("progress", "a function of (done, total), or a bar that has "
               "update()", given)


def names(option: str, given: Any) -> tuple[str, ...] | None:
    """None for None."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        refuse(option, "a list of names", given)
    listed = tuple(given)
    for index, name in enumerate(listed):
        check_text(f"{option}[{index}]", name)
    return tuple(map(str, listed))
