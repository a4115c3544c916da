"""What a check says of the samples themselves."""

from __future__ import annotations

import dataclasses

from torqued.enums import RemarkKind
from torqued.plain_text import plain
from torqued.v1 import trajectory_pb2 as pb


@dataclasses.dataclass(frozen=True)
class Peak:
    """A number and the sample at which it stands; sample: from 0, time: s.
    between: an extremum of the derived spline, at `time` between this sample and
    the next one."""

    sample: int
    time: float
    value: float
    between: bool = False

    @property
    def place(self) -> str:
        """Of the sample: "sample 3" or "between samples 3 and 4"."""
        return (f"between samples {self.sample} and {self.sample + 1}"
                if self.between else f"sample {self.sample}")


@dataclasses.dataclass(frozen=True)
class Remark:
    """Steps close together in which the samples of one joint contradict each
    other: v is not the rate of q, or a not that of v; docs/trajectory.md.

    first_sample, last_sample, begin, end: where the first of the steps begins
    and the last one ends, and their times. steps: how many from first to last
    contradict. worst: the step from this sample to the next, or the middle step
    of the worst span of steps, with the mean of the rate. expected: the
    difference quotient over step or span; tolerance: by how much the two may
    differ. rad/s or m/s, or these per second.
    """

    kind: RemarkKind
    joint: str
    first_sample: int
    last_sample: int
    begin: float
    end: float
    steps: int
    worst: Peak
    expected: float
    tolerance: float

    def __str__(self) -> str:
        of = {RemarkKind.VELOCITY: "positions",
              RemarkKind.ACCELERATION: "velocities"}.get(self.kind, "samples")
        return (f"{self.kind.name.lower()} of {plain(self.joint)}: "
                f"{self.worst.value:g} where the {of} give "
                f"{self.expected:g}, at {self.worst.time:g} s (between samples "
                f"{self.worst.sample} and {self.worst.sample + 1})")


@dataclasses.dataclass(frozen=True)
class CoarseStep:
    """A step from a sample to the next that is too long to tell what happens
    within it; docs/trajectory.md.

    time, duration: s. position_change, velocity_change: of `joint`, rad or m,
    rad/s or m/s.
    """

    sample: int
    time: float
    duration: float
    joint: str
    position_change: float
    velocity_change: float


def peak_of(message: pb.Peak) -> Peak:
    return Peak(message.sample, message.time, message.value, message.between)


def remark_of(message: pb.Remark) -> Remark:
    return Remark(
        kind=RemarkKind(message.kind), joint=message.joint,
        first_sample=message.first_sample, last_sample=message.last_sample,
        begin=message.begin, end=message.end, steps=message.steps,
        worst=peak_of(message.worst), expected=message.expected,
        tolerance=message.tolerance)


def coarse_step_of(message: pb.CoarseStep) -> CoarseStep:
    return CoarseStep(
        message.sample, message.time, message.duration, message.joint,
        message.position_change, message.velocity_change)
