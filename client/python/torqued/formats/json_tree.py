"""What a JSON file says, as torquectl takes it."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from torqued.contract import Reason
from torqued.errors import FileError, FilePlace

# Brackets, and texts, in which there are none. One that does not end goes to the
# end of the file, so that nothing is looked at twice.
_MARKS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[][{}]', re.DOTALL)


def parse(content: bytes, most_levels: int, place: FilePlace,
          twice: Reason = Reason.MALFORMED_ARRAY) -> Any:
    """A text in UTF-8, of so many levels at most. Raises FileError, also for a
    member that stands twice in its object, of which the last would win in
    silence, with the reason `twice`."""
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise place.problem(f"{name!r:.128} stands there twice",
                                    reason=twice)
            found[name] = value
        return found

    def no_constant(word: str) -> NoReturn:
        # Python takes NaN and Infinity.
        raise place.problem(f"is not JSON: it has no {word}")

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise place.problem("is not JSON: it is not UTF-8") from None
    _check_levels(text, most_levels, place)
    try:
        return json.loads(text, object_pairs_hook=members,
                          parse_constant=no_constant)
    except FileError:
        raise
    except json.JSONDecodeError as error:
        raise place.problem(f"is not JSON at column {error.colno}",
                            line=error.lineno) from None
    except ValueError:  # A whole number of thousands of digits.
        raise place.problem("has a number that no double holds") from None


def _check_levels(text: str, most: int, place: FilePlace) -> None:
    """Parsers call themselves for every level."""
    level = 0
    for mark in _MARKS.finditer(text):
        if mark[0] in ("[", "{"):
            level += 1
            if level > most:
                raise place.problem("is nested too deeply")
        elif mark[0] in ("]", "}"):
            level -= 1
