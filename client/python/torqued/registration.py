"""What registering a robot description sends, and what is wrong with one that is
refused."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
from typing import Any, Dict, Iterator, Union

from torqued.checking import set_field
from torqued.contract import Reason, Validation
from torqued.errors import FileError, InvalidArgument
from torqued.v1 import model_registry_pb2 as pb

#: A path, the text itself (it has a "<"), or its bytes.
Urdf = Union[str, bytes, "os.PathLike[str]"]

_ROBOT_NAME = re.compile(rb"<robot\b[^>]*?\sname\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def is_text(urdf: Urdf) -> bool:
    return isinstance(urdf, bytes) or isinstance(urdf, str) and "<" in urdf


def source_of(urdf: Urdf) -> bytes:
    """Raises OSError for a file that cannot be read."""
    if isinstance(urdf, bytes):
        return urdf
    return urdf.encode() if isinstance(urdf, str) and is_text(urdf) else (
        pathlib.Path(urdf).read_bytes())


def name_of(urdf: Urdf) -> str:
    """One to register it under: the file's, else the robot's own."""
    if isinstance(urdf, bytes) or is_text(urdf):
        found = _ROBOT_NAME.search(source_of(urdf))
        name = (found[1] or found[2] or b"").decode(errors="replace") if found else ""
    else:
        name = pathlib.Path(urdf).stem
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[:128] or "robot"


def description_of(urdf: Urdf, tip_frame: str,
                   validation: Union[Validation, str, None]) -> Dict[str, Any]:
    """The fields that registration and dry run share."""
    options = pb.RegistrationOptions(default_tip=tip_frame)
    if validation is not None:
        set_field(options, "validation", validation)
    return {"format": pb.MODEL_FORMAT_URDF, "source": source_of(urdf), "options": options}


# Faults that a message lists; `Client.validate` has all.
_LISTED = 20


@contextlib.contextmanager
def with_places(urdf: Urdf) -> Iterator[None]:
    """What is raised within for a refused model lists its faults by line, and is a
    FileError for a file."""
    try:
        yield
    except InvalidArgument as error:
        if error.reason is not Reason.INVALID_MODEL or not error.field_violations:
            raise
        raise _with_places(error, None if is_text(urdf) else os.fspath(urdf)) from None


def _with_places(error: InvalidArgument, file: Any) -> InvalidArgument:
    source = file or "source"
    # "source:12", a line of the text, is one of the file.
    places = [re.sub(r"^source(?=(:\d+)?$)", lambda _: source, violation.field)
              for violation in error.field_violations]
    faults = [f"{place}: {violation.description}"
              for place, violation in zip(places, error.field_violations)]
    total = max(int(error.metadata.get("errors", 0)), len(faults))
    message = faults[0]
    if total > 1:
        more = total - len(faults[:_LISTED])
        message = "\n  ".join([f"{source}: {total} errors", *faults[:_LISTED],
                               *([f"and {more} more"] if more else [])])
    if not file:
        return InvalidArgument(
            message, code=error.code, reason=error.reason,
            field_violations=error.field_violations, metadata=error.metadata)
    lines = [found[1] for violation in error.field_violations
             if (found := re.match(r"source:(\d+)$", violation.field))]
    return FileError(
        message, code=error.code, reason=error.reason,
        field_violations=error.field_violations,
        metadata={**error.metadata, "file": file, **{"line": line for line in lines[:1]}})
