"""Typed exceptions.

Every failure of a call is a `TorquedError`. Its class says what kind it is, its
`reason` why; text is for people.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import grpc

from torqued.contract import Reason, RowCode, RowStatus
from torqued.v1 import errors_pb2


class FieldViolation(NamedTuple):
    """A field of the request that is at fault, by its path."""

    field: str
    description: str


class TorquedError(Exception):
    """A call that failed.

    Attributes
    ----------
    code
        The gRPC status code's name, "INVALID_ARGUMENT".
    reason
        Why, see `Reason`; None if gRPC itself failed the call.
    field
        Path of the first field at fault ("options.joint_names[3]"), or "".
    field_violations
        All that are listed.
    joint, row
        What is at fault, else "" and None.
    metadata
        What the reason is about, as strings.
    retry_delay
        Seconds after which another try may succeed, or None.
    message
        One sentence.
    """

    def __init__(self, message: str, *, code: str = "UNKNOWN",
                 reason: Reason | None = None,
                 field_violations: Sequence[FieldViolation] = (),
                 metadata: Mapping[str, str] = {}, retry_delay: float | None = None,
                 ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
        self.field_violations = tuple(field_violations)
        self.metadata = dict(metadata)
        self.retry_delay = retry_delay
        self.field = self.field_violations[0].field if self.field_violations else ""
        self.joint = self.metadata.get("joint", "")
        self.row = int(self.metadata["row"]) if "row" in self.metadata else None

    def __str__(self) -> str:
        # Most sentences name the field; those about files begin with their place.
        named = self.field not in self.message and "file" not in self.metadata
        return ((f"{self.field}: " if named else "") + self.message
                + (f" [{self.reason.name}]" if self.reason else ""))


class InvalidArgument(TorquedError, ValueError):
    """Something in the request cannot be used as it is."""


class FileError(InvalidArgument):
    """A file that cannot be used as it is.

    Attributes
    ----------
    file
        Its path.
    line
        Of a text, from 1, or None.
    row
        Of the samples, from 0, or None.
    column
        Its name, else its number from 1, or "".
    """

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message, **details)
        self.file = self.metadata.get("file", "")
        line = self.metadata.get("line", "")
        self.line = int(line) if line.isdigit() else None
        self.column = self.metadata.get("column", "")


class NotFound(TorquedError, LookupError):
    """No model of that name, label or revision."""


class FailedPrecondition(TorquedError):
    """The model is broken, or its name has moved."""


class ResourceExhausted(TorquedError):
    """Over a limit."""


class RequestTooLarge(ResourceExhausted):
    """One message is over a limit, and could not be cut further."""


class Overloaded(ResourceExhausted):
    """Too much work is in flight on the server; see retry_delay."""


class Unavailable(TorquedError, ConnectionError):
    """No server, or one that is shutting down."""


class DeadlineExceeded(TorquedError, TimeoutError):
    """The call took longer than its deadline."""


class Cancelled(TorquedError):
    """The call was cancelled."""


class PermissionDenied(TorquedError, PermissionError):
    """Not allowed, or not known who asks."""


class Unimplemented(TorquedError):
    """The server is too old for the call; from `connect`: it is not a torqued server."""


class InternalError(TorquedError):
    """A fault of the server."""


class RowError(TorquedError, ArithmeticError):
    """A state has no answer.

    Attributes
    ----------
    row
        Its index in the batch.
    row_code
        Why.
    field
        The input at fault or the quantity concerned.
    joint
        The joint concerned, or "".
    value
        The number at fault.
    status
        Its row status.
    """

    def __init__(self, status: RowStatus) -> None:
        super().__init__(
            f"row {status.row}: {status.message}", code="INVALID_ARGUMENT",
            field_violations=[FieldViolation(status.field, status.message)],
            metadata={"row": str(status.row), "joint": status.joint})
        self.status = status
        self.args = (status,)  # What pickle makes it from.
        self.row_code: RowCode = status.code or RowCode(0)
        self.value: float = status.value

    def __str__(self) -> str:
        return f"{self.message} [{self.row_code.name}]"


class LocalServerError(TorquedError, OSError):
    """The local server was not found or did not start; with the end of its log."""


class LeftOutWarning(UserWarning):
    """A trajectory has joints that the robot does not move; they are left out."""


class ModelWarning(UserWarning):
    """A robot description loads, but a part of it is ignored or looks wrong."""


class SingularTaskWarning(UserWarning):
    """Rows follow the singularity rule, because their task is singular."""


def warn(warning: Warning) -> None:
    """Warns about the line outside this package that called it."""
    package = os.path.dirname(__file__)
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


_BY_CODE: dict[str, Any] = {
    **{re.sub("(?!^)([A-Z])", r"_\1", kind.__name__).upper(): kind for kind in (
        InvalidArgument, NotFound, FailedPrecondition, ResourceExhausted, Unavailable,
        DeadlineExceeded, Cancelled, PermissionDenied, Unimplemented)},
    "OUT_OF_RANGE": InvalidArgument, "UNAUTHENTICATED": PermissionDenied,
    "INTERNAL": InternalError}
_BY_REASON: dict[Any, Any] = {
    Reason.REQUEST_TOO_LARGE: RequestTooLarge, Reason.OVERLOADED: Overloaded}


def make(code: str, message: str, *, reason: Reason | None = None,
         **details: Any) -> TorquedError:
    """The exception of the class that fits. details: of `TorquedError`."""
    kind = _BY_REASON.get(reason, _BY_CODE.get(code, TorquedError))
    # gRPC itself refuses a message for its size without details.
    if kind is ResourceExhausted and "essage larger than max" in message:
        kind = RequestTooLarge
    return kind(message, code=code, reason=reason, **details)


def invalid(reason: Reason | None, field: str, message: str, file: object = "",
            **where: object) -> InvalidArgument:
    """What this client refuses by itself, as the server would. With a `file` a FileError,
    whose message begins with the place. where: line, row, column, joint, as far as there
    are."""
    known = {key: str(value) for key, value in where.items() if value not in (None, "")}
    kind: Any = InvalidArgument
    if file:
        place = str(file)
        if "line" in known:
            place += f":{known['line']}"
        elif "row" in known:
            place += f", row {known['row']}"
        if "column" in known:
            place += f", column {known['column']}"
        kind, message, known["file"] = FileError, f"{place}: {message}", str(file)
    return kind(message, code="INVALID_ARGUMENT", reason=reason, metadata=known,
                field_violations=[FieldViolation(field, message)] if field else [])


def file_error(file: object, message: str, reason: Reason = Reason.MALFORMED_ARRAY,
               **where: object) -> InvalidArgument:
    """See `invalid`."""
    return invalid(reason, "", message, file, **where)


# The words for a connection that ended during a call, with another code than
# UNAVAILABLE.
_LOST = re.compile(
    "RST_STREAM|Stream removed|[Ss]ocket closed|[Cc]onnection (reset|closed)"
    "|[Bb]roken pipe|GOAWAY|[Tt]ransport (is )?clos|No status received")


def decode(failure: grpc.RpcError) -> TorquedError:
    """The failure of a call, with the details that the server sent. A connection
    that ended under a call is UNAVAILABLE."""
    code, message = failure.code().name, failure.details() or failure.code().name
    status = errors_pb2.Status()
    status.ParseFromString(dict([*(failure.trailing_metadata() or ())]).get(
        "grpc-status-details-bin", b""))
    # Details of another code are void: gRPC ended the call before the service.
    if status.code != failure.code().value[0]:
        lost = code in ("INTERNAL", "UNKNOWN") and _LOST.search(message)
        return make("UNAVAILABLE" if lost else code, message)
    # The messages mirror google.rpc, and so do the type URLs.
    details = {detail.type_url.rpartition(".")[2]: detail.value
               for detail in status.details}

    def read(name: str) -> Any:
        """Empty if it is absent."""
        return getattr(errors_pb2, name).FromString(details.get(name, b""))

    info = read("ErrorInfo")
    # A newer server may have reasons that are not known here.
    reason = Reason.__members__.get(info.reason)
    unknown = {"reason": info.reason} if info.reason and not reason else {}
    return make(
        code, message, reason=reason, metadata={**unknown, **info.metadata},
        field_violations=[FieldViolation(violation.field, violation.description)
                          for violation in read("BadRequest").field_violations],
        retry_delay=read("RetryInfo").retry_delay.ToNanoseconds() / 1e9
        if "RetryInfo" in details else None)
