"""What registering a robot description takes."""

from __future__ import annotations

import os
import pathlib
import re
from typing import TypedDict, Union

from torqued.enums import Validation
from torqued.keywords import check_keywords
from torqued.option_types import check_text
from torqued.options import choice
from torqued.v1 import model_registry_pb2 as pb

#: A path, the text itself (it has a "<"), or its bytes.
Urdf = Union[str, bytes, "os.PathLike[str]"]

_ROBOT_NAME = re.compile(
    rb"<robot\b[^>]*?\sname\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


class DescriptionWords(TypedDict, total=False):
    """tip_frame: link that serves as tip where a call names none; part of the
    revision. validation: a Validation or its name in any case ("lenient");
    part of the revision. deadline: seconds of this call; None: that of
    `connect`.
    """

    tip_frame: str | None
    validation: Validation | str | None
    deadline: float | None


class RegistrationWords(DescriptionWords, total=False):
    """Those of `DescriptionWords` and

    label: for this revision under this name.
    expected_current: the name moves only if its current revision is this one
    ("" = it must not exist yet); else FailedPrecondition (REVISION_CONFLICT).
    """

    label: str
    expected_current: str | None


def source_of(urdf: Urdf) -> bytes:
    """Raises OSError for a file that cannot be read."""
    if isinstance(urdf, bytes):
        return urdf
    if isinstance(urdf, str) and "<" in urdf:
        return urdf.encode()
    return pathlib.Path(urdf).read_bytes()


def name_of(urdf: Urdf) -> str:
    """One to register it under: the file's, else the robot's own."""
    if not isinstance(urdf, bytes) and not (
            isinstance(urdf, str) and "<" in urdf):
        name = pathlib.Path(urdf).stem
    else:
        found = _ROBOT_NAME.search(source_of(urdf))
        name = (found[1] or found[2] or b"").decode(
            errors="replace") if found else ""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[:128] or "robot"


def register_request(name: str, urdf: Urdf,
                     words: RegistrationWords) -> pb.RegisterModelRequest:
    """Raises TypeError for a keyword that there is not."""
    check_keywords(words, RegistrationWords.__annotations__)
    request = pb.RegisterModelRequest(
        name=name, format=pb.MODEL_FORMAT_URDF, source=source_of(urdf),
        options=options_of(words), label=words.get("label", ""))
    expected = words.get("expected_current")
    if expected is not None:
        check_text("expected_current", expected)
        request.expected_current = expected
    return request


def validate_request(urdf: Urdf,
                     words: DescriptionWords) -> pb.ValidateModelRequest:
    """Raises TypeError for a keyword that there is not."""
    check_keywords(words, DescriptionWords.__annotations__)
    return pb.ValidateModelRequest(
        format=pb.MODEL_FORMAT_URDF, source=source_of(urdf),
        options=options_of(words))


def options_of(words: DescriptionWords) -> pb.RegistrationOptions:
    return pb.RegistrationOptions(
        default_tip=words.get("tip_frame") or "",
        validation=choice(
            Validation, words.get("validation"), "validation"))
