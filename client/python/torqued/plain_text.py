"""Text of files and servers for a person's terminal."""

from __future__ import annotations

import re

# Moves the cursor, ends the line, or turns the direction of what stands beside
# it; ends of lines and tabulators stay. torquectl escapes the same ones.
_STEERING = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e"
    "\u2066-\u2069]")


def plain(text: str) -> str:
    """The same with what could steer a terminal written as "\\u202e"."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
