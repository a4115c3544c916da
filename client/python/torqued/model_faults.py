"""What is wrong with a description that a server refuses, all at once and with
its file."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator

from torqued.contract import Reason
from torqued.errors import FileError, InvalidArgument
from torqued.registration import Urdf, is_text

# Faults that a message lists; `Client.validate` has all.
_LISTED = 20
_SOURCE = re.compile(r"source(?::(\d+))?$")


@contextlib.contextmanager
def with_places(file: str | None) -> Iterator[None]:
    """What is raised within for a refused model lists its faults, by the lines of
    `file` and as a FileError; None: by those of the text that was given."""
    try:
        yield
    except InvalidArgument as error:
        if error.reason is not Reason.INVALID_MODEL:
            raise
        raise _with_places(error, file) from None


def file_of(urdf: Urdf) -> str | None:
    """None for a text."""
    return None if isinstance(urdf, bytes) or is_text(urdf) else os.fspath(urdf)


def _with_places(error: InvalidArgument, file: str | None) -> InvalidArgument:
    faults = []
    first_line = ""
    for violation in error.field_violations:
        found = _SOURCE.match(violation.field)
        line = found[1] or "" if found else ""
        first_line = first_line or line
        place = violation.field if not found else (file or "source") + (
            f":{line}" if line else "")
        faults.append(f"{place}: {violation.description}")
    if not faults:
        return error
    count = error.metadata.get("errors", "")
    total = max(int(count) if count.isdigit() else 0, len(faults))
    if total == 1:
        message = faults[0]
    else:
        listed = faults[:_LISTED]
        if total > len(listed):
            listed.append(f"and {total - len(listed)} more")
        message = "\n  ".join([f"{file or 'source'}: {total} errors", *listed])
    metadata = error.metadata
    if file:
        metadata = {**metadata, "file": file}
        if first_line:
            metadata["line"] = first_line
    return (FileError if file else InvalidArgument)(
        message, code=error.code, reason=error.reason,
        field_violations=error.field_violations, metadata=metadata)
