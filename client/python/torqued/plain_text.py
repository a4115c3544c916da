"""Text of files and servers for a person's terminal."""

from __future__ import annotations

import re

# Characters that a terminal acts on instead of showing them: controls, separators
# of lines, and those that turn the direction of the text beside them. Newlines and
# tabs stay as they are. torquectl escapes the same characters.
_STEERING = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e"
    "\u2066-\u2069]")


def plain(text: str) -> str:
    """The same with what could steer a terminal written as "\\u202e"."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
