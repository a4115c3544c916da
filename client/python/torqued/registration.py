"""What registering a robot description sends."""

from __future__ import annotations

import os
import pathlib
import re
from typing import Any, Dict, Union

from torqued.contract import Validation
from torqued.checking import set_field
from torqued.v1 import model_registry_pb2 as pb

#: A path, the text itself (it has a "<"), or its bytes.
Urdf = Union[str, bytes, "os.PathLike[str]"]

_ROBOT_NAME = re.compile(
    rb"<robot\b[^>]*?\sname\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


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
        name = (found[1] or found[2] or b"").decode(
            errors="replace") if found else ""
    else:
        name = pathlib.Path(urdf).stem
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[:128] or "robot"


def description_of(urdf: Urdf, tip_frame: str,
                   validation: Union[Validation, str, None]) -> Dict[str, Any]:
    """The fields that registration and dry run share."""
    options = pb.RegistrationOptions(default_tip=tip_frame)
    if validation is not None:
        set_field(options, "validation", validation)
    return {"format": pb.MODEL_FORMAT_URDF, "source": source_of(urdf),
            "options": options}
