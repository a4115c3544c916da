"""Which container a file is."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re
from collections.abc import Iterator
from typing import BinaryIO

#: Suffixes that have a container.
SUFFIXES = (".csv", ".npy", ".npz", ".yaml", ".yml", ".json")


@contextlib.contextmanager
def opened(path: pathlib.Path) -> Iterator[tuple[str, BinaryIO]]:
    """The suffix of the container, and the file from its beginning. Raises OSError.

    By the first bytes if numpy wrote it, else by the name; a text that is called neither
    YAML nor JSON is JSON if it begins with a brace, YAML if a line begins with
    joint_names, which none of CSV does, and CSV otherwise.
    """
    with path.open("rb") as file:
        begin = file.read(6)
        numpys = {b"\x93NUM": ".npy", b"PK\x03\x04": ".npz", b"PK\x05\x06": ".npz"}
        if begin[:4] in numpys:
            file.seek(0)
            yield numpys[begin[:4]], file
            return
        content = begin + file.read()
    suffix = path.suffix.lower()
    if suffix not in (".yaml", ".yml", ".json"):
        suffix = ".json" if content.lstrip(b" \t\r\n").startswith(b"{") else (
            ".yaml" if re.search(rb"^ *joint_names:", content, re.MULTILINE) else ".csv")
    yield suffix, io.BytesIO(content)
