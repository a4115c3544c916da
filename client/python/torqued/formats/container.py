"""Which container a file is."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re
from collections.abc import Iterator
from typing import BinaryIO

# First bytes of numpy's arrays and of ZIP archives, also empty ones.
_NPY = b"\x93NUMPY"
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")
_MESSAGE = re.compile(rb"^ *joint_names:", re.MULTILINE)

#: Suffixes that have a container.
SUFFIXES = (".csv", ".npy", ".npz", ".yaml", ".yml", ".json")


@contextlib.contextmanager
def opened(path: pathlib.Path) -> Iterator[tuple[str, BinaryIO]]:
    """The suffix of the container, and the file from its beginning. Raises
    OSError.

    By the first bytes where numpy wrote it, else by the name; a text that is
    called neither YAML nor JSON is JSON where it begins with a brace, YAML where
    a line begins with joint_names, which none of CSV does, and CSV otherwise.
    """
    with path.open("rb") as file:
        begin = file.read(len(_NPY))
        if begin == _NPY or begin.startswith(_ZIPS):
            file.seek(0)
            yield ".npy" if begin == _NPY else ".npz", file
            return
        content = begin + file.read()
    yield _of_text(path.suffix.lower(), content), io.BytesIO(content)


def _of_text(named: str, content: bytes) -> str:
    if named in (".yaml", ".yml", ".json"):
        return named
    if content.lstrip(b" \t\r\n").startswith(b"{"):
        return ".json"
    return ".yaml" if _MESSAGE.search(content) else ".csv"
