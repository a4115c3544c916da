"""Robots as a server describes them."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import math
from typing import TypeVar

import numpy as np

from torqued.arrays import FloatArray
from torqued.enums import (
    JointType, ModelFormat, ModelState, Severity, Validation)
from torqued.v1 import lint_pb2, model_registry_pb2, server_info_pb2


_EPOCH = datetime.datetime.fromtimestamp(0, datetime.timezone.utc)


@dataclasses.dataclass(frozen=True)
class Joint:
    """A movable joint.

    lower, upper: rad or m; velocity: rad/s or m/s; effort: N m or N. Infinite
    where there is no limit. damping, friction: off in a call unless asked for.
    armature: part of M. axis: unit, in the joint frame, which is the child
    link's.
    """

    name: str
    type: JointType
    parent_link: str
    child_link: str
    axis: tuple[float, ...]
    lower: float
    upper: float
    velocity: float
    effort: float
    damping: float
    friction: float
    armature: float


@dataclasses.dataclass(frozen=True)
class FindingPlace:
    """Where in a robot and in its source. joint, link: "" where none is
    concerned. line: from 1; 0 where no line applies."""

    joint: str
    link: str
    line: int


@dataclasses.dataclass(frozen=True)
class Finding:
    """What the loader has to say about a description; docs/lint.md explains the
    codes. line: of the source, from 1; 0 where no line applies. count: how
    often it was found; the other fields tell of the first time. more_places:
    the next times, at most 9."""

    severity: Severity
    code: str
    joint: str
    link: str
    line: int
    message: str
    count: int = 1
    more_places: tuple[FindingPlace, ...] = ()


@dataclasses.dataclass(frozen=True)
class Model:
    """A revision of a robot.

    joints: movable ones, in the order of all arrays. frames: link names, root
    first. tip_frame: used where a call names none; "" where there is none.
    moving_mass: kg. gravity: (3,), base axes, m/s^2. format, validation: as
    stored and as registered. state: BROKEN: this server cannot load it, and
    calls fail with MODEL_BROKEN. problem: why it cannot; "" otherwise.
    registered_at: when the name was last pointed at this revision, in UTC; None
    where the server tells no time, as for a dry run's model.
    """

    name: str
    revision: str
    robot_name: str
    nq: int
    nv: int
    joints: tuple[Joint, ...]
    frames: tuple[str, ...]
    tip_frame: str
    moving_mass: float
    gravity: FloatArray
    labels: tuple[str, ...]
    findings: tuple[Finding, ...]
    format: ModelFormat
    validation: Validation
    state: ModelState
    problem: str
    registered_at: datetime.datetime | None


@dataclasses.dataclass(frozen=True)
class Report:
    """The answer to a dry run. errors, warnings, infos: counts of all findings,
    also of those that are not listed. model: as it would be, without a name;
    None where it is refused."""

    valid: bool
    findings: tuple[Finding, ...]
    errors: int
    warnings: int
    infos: int
    model: Model | None


@dataclasses.dataclass(frozen=True)
class ModelSummary:
    """A name that a server knows.

    nq, nv: 0 where its current revision is BROKEN. state, problem,
    registered_at: see Model.
    """

    name: str
    revision: str
    nq: int
    nv: int
    problem: str
    format: ModelFormat
    state: ModelState
    registered_at: datetime.datetime | None


@dataclasses.dataclass(frozen=True)
class ServerInfo:
    """What a server is and what it takes at a time; see docs/server.md.

    memory_bytes: that the server may use; max_arriving_bytes: how much of it what
    arrives may hold. None: an older server does not tell.
    """

    server_version: str
    target: str
    targets: tuple[str, ...]
    threads: int
    max_rows: int
    max_message_bytes: int
    max_inflight_bytes: int
    max_inflight_streams: int
    memory_bytes: int | None
    max_arriving_bytes: int | None
    revision_layout: str


K = TypeVar("K", bound=enum.IntEnum)


def known(kind: type[K], number: int, otherwise: K) -> K:
    """Of a number that a newer server may have sent, or none, for an enum
    without UNKNOWN."""
    try:
        return kind(number)
    except ValueError:
        return otherwise


def _registered_at(
        message: model_registry_pb2.ModelInfo | model_registry_pb2.ModelSummary,
) -> datetime.datetime | None:
    if not message.HasField("registered_at"):
        return None
    stamp = message.registered_at
    try:
        return _EPOCH + datetime.timedelta(
            seconds=stamp.seconds, microseconds=stamp.nanos // 1000)
    except OverflowError:  # Not within the years 1 to 9999.
        return None


def joint_of(info: model_registry_pb2.JointInfo) -> Joint:
    def limit(field: str, absent: float) -> float:
        return getattr(info, field) if info.HasField(field) else absent

    return Joint(
        name=info.name, type=JointType(info.type),
        parent_link=info.parent_link, child_link=info.child_link,
        axis=tuple(info.axis), lower=limit("lower", -math.inf),
        upper=limit("upper", math.inf), velocity=limit("velocity", math.inf),
        effort=limit("effort", math.inf), damping=info.damping,
        friction=info.friction, armature=info.armature)


def findings_of(report: lint_pb2.LintReport) -> tuple[Finding, ...]:
    return tuple(
        Finding(Severity(finding.severity), finding.code, finding.joint,
                finding.link, finding.line, finding.message,
                max(finding.count, 1), tuple(
                    FindingPlace(place.joint, place.link, place.line)
                    for place in finding.more_places))
        for finding in report.findings)


def model_of(info: model_registry_pb2.ModelInfo) -> Model:
    return Model(
        name=info.name, revision=info.revision, robot_name=info.robot_name,
        nq=info.nq, nv=info.nv, joints=tuple(map(joint_of, info.joints)),
        frames=tuple(info.frames), tip_frame=info.tip_frame,
        moving_mass=info.moving_mass, gravity=np.array(info.gravity),
        labels=tuple(info.labels), findings=findings_of(info.report),
        format=ModelFormat(info.format),
        validation=known(
            Validation, info.options.validation, Validation.DEFAULT),
        state=ModelState(info.state), problem=info.problem,
        registered_at=_registered_at(info))


def report_of(reply: model_registry_pb2.ValidateModelReply) -> Report:
    return Report(
        valid=reply.valid, findings=findings_of(reply.report),
        errors=reply.report.errors, warnings=reply.report.warnings,
        infos=reply.report.infos,
        model=model_of(reply.model) if reply.HasField("model") else None)


def summary_of(summary: model_registry_pb2.ModelSummary) -> ModelSummary:
    return ModelSummary(
        name=summary.name, revision=summary.revision, nq=summary.nq,
        nv=summary.nv, problem=summary.problem,
        format=ModelFormat(summary.format), state=ModelState(summary.state),
        registered_at=_registered_at(summary))


def info_of(reply: server_info_pb2.GetServerInfoReply) -> ServerInfo:
    return ServerInfo(
        server_version=reply.server_version, target=reply.target,
        targets=tuple(target.name for target in reply.targets),
        threads=reply.threads, max_rows=reply.max_rows,
        max_message_bytes=reply.max_message_bytes,
        max_inflight_bytes=reply.max_inflight_bytes,
        max_inflight_streams=reply.max_inflight_streams,
        memory_bytes=reply.memory_bytes or None,
        max_arriving_bytes=reply.max_arriving_bytes or None,
        revision_layout=reply.revision_layout)
