"""The choices of the wire as Python enums.

Wherever one is taken, its name does as well, in any case: "world",
"linear_x", "damped".

Enums that replies carry have a member UNKNOWN. A number that this client does
not know, from a newer server, is UNKNOWN: `RowCode(99) is RowCode.UNKNOWN`. No
option takes UNKNOWN.
"""

from __future__ import annotations

import enum
import numbers
from typing import TypeVar

E = TypeVar("E", bound=enum.IntEnum)


class _Received(enum.IntEnum):
    """An enum that replies carry, with UNKNOWN for all numbers that it does not
    list."""

    @classmethod
    def _missing_(cls, value: object) -> enum.IntEnum | None:
        return (cls["UNKNOWN"] if isinstance(value, numbers.Integral)
                else None)


class Quantity(enum.IntEnum):
    """What can be computed; docs/quantities.md has the formulas."""

    INVERSE_DYNAMICS = 1
    MASS_MATRIX = 2
    FORWARD_DYNAMICS = 3
    BIAS_FORCES = 4
    FRAME_POSE = 5
    JACOBIAN = 6
    JACOBIAN_DRIFT = 7
    OPERATIONAL_SPACE = 8
    GRAVITY_FORCES = 9
    CORIOLIS_FORCES = 10
    CORIOLIS_MATRIX = 11
    CHRISTOFFEL_SYMBOLS = 12
    MASS_MATRIX_RATE = 13
    MASS_MATRIX_INVERSE = 14
    ENERGY = 15
    CENTER_OF_MASS = 16
    MOMENTUM = 17
    MOMENTUM_MATRIX = 18
    LINK_TWISTS = 19
    LINK_ACCELERATIONS = 20
    FRAME_VELOCITY = 21
    FRAME_ACCELERATION = 22
    JACOBIAN_RATE = 23
    JOINT_WRENCHES = 24
    BASE_WRENCH = 25
    REGRESSOR = 26
    INVERSE_DYNAMICS_DERIVATIVES = 27
    FORWARD_DYNAMICS_DERIVATIVES = 28
    TASK_PROJECTION = 29
    FORWARD_FRAME_ACCELERATION = 30
    TASK_TORQUE = 31
    POWER_BALANCE = 32


class ReferenceFrame(_Received):
    """In which axes and at which point a spatial vector is given."""

    #: One that this client does not know.
    UNKNOWN = 0
    #: Axes and origin of the tip frame.
    LOCAL = 1
    #: Axes of the base, origin of the tip frame.
    LOCAL_WORLD_ALIGNED = 2
    #: Axes and origin of the base.
    WORLD = 3


class Precision(enum.IntEnum):
    """Of the computing; arrays are float64 either way.

    A model whose mass matrix single precision cannot judge at most of its
    states is computed in DOUBLE whatever is asked for:
    `Evaluation.computed_precision` tells.
    """

    DOUBLE = 1
    SINGLE = 2


class TaskAxis(enum.IntEnum):
    """One row of a task, in the reference frame."""

    ANGULAR_X = 1
    ANGULAR_Y = 2
    ANGULAR_Z = 3
    LINEAR_X = 4
    LINEAR_Y = 5
    LINEAR_Z = 6


class SingularityRule(enum.IntEnum):
    """What to return where a task loses rank."""

    REPORT = 1
    DAMPED = 2


class TaskRule(_Received):
    """The rule that a row's Lambda follows."""

    #: One that this client does not know.
    UNKNOWN = 0
    FULL_RANK = 1
    RANGE_RESTRICTED = 2
    DAMPED = 3
    UNDEFINED = 4


class RowCode(_Received):
    """Why a row is not OK."""

    #: One that this client does not know; the row counts as one without an
    #: answer.
    UNKNOWN = 0
    INVALID_INPUT = 1
    SINGULAR_MASS_MATRIX = 2
    #: With an answer: the singularity rule's.
    SINGULAR_TASK_SPACE = 3
    NOT_FINITE_RESULT = 4
    #: Not given any more. With an answer: that of full rank, of a task that
    #: hardly moves.
    WEAK_TASK_SPACE = 5


class JointType(_Received):
    """How a joint moves."""

    #: One that this client does not know.
    UNKNOWN = 0
    REVOLUTE = 1
    CONTINUOUS = 2
    PRISMATIC = 3


class Validation(enum.IntEnum):
    """Whether mass properties that no body has, and joints that move no mass,
    refuse a robot description; docs/lint.md says it code by code."""

    #: Where an answer follows from them.
    DEFAULT = 1
    #: Always.
    STRICT = 2
    #: Only where the mass matrix is singular.
    LENIENT = 3


class ModelFormat(_Received):
    """Of a robot description, as stored."""

    #: One that this client or the server does not know.
    UNKNOWN = 0
    URDF = 1


class ModelState(_Received):
    """Whether a server can compute with a stored revision."""

    #: One that this client does not know.
    UNKNOWN = 0
    READY = 1
    #: Stored, but this version of the server cannot load it.
    BROKEN = 2


class Severity(_Received):
    """Of a finding about a robot description."""

    #: One that this client does not know.
    UNKNOWN = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


class Differentiation(_Received):
    """How velocities and accelerations follow from positions; `CUBIC` and
    `QUINTIC` do as well."""

    #: One that this client does not know.
    UNKNOWN = 0
    #: Derivatives of the interpolating cubic spline with not-a-knot ends.
    CUBIC_SPLINE = 1
    #: The same of the quintic spline, whose accelerations are smooth.
    QUINTIC_SPLINE = 2
    CUBIC = 1
    QUINTIC = 2


class TrajectoryTable(enum.IntEnum):
    """A table of one row a sample; `TrajectoryVerdict.tables`."""

    TAU = 1
    V = 2
    A = 3
    PATH_A = 4
    PATH_B = 5
    PATH_C = 6
    PATH_D = 7
    PATH_E = 8
    SIGMA_MIN = 9
    CONDITION = 10
    TORQUE_LIMIT = 11


class RemarkKind(_Received):
    """Which rate of the samples contradicts the others."""

    #: One that this client does not know.
    UNKNOWN = 0
    #: v is not the rate of q.
    VELOCITY = 1
    #: a is not the rate of v.
    ACCELERATION = 2


class LimitKind(_Received):
    """What of a joint is limited."""

    #: One that this client does not know.
    UNKNOWN = 0
    TORQUE = 1
    VELOCITY = 2
    POSITION = 3


class Health(enum.IntEnum):
    """What a server says of itself."""

    UNKNOWN = 0
    SERVING = 1
    NOT_SERVING = 2


class Reason(enum.IntEnum):
    """Why a call failed; `UNSPECIFIED` where gRPC itself failed it."""

    UNSPECIFIED = 0
    MODEL_NOT_FOUND = 1
    INVALID_MODEL_REFERENCE = 2
    AMBIGUOUS_REVISION = 3
    MODEL_BROKEN = 4
    INVALID_MODEL = 5
    INVALID_MODEL_NAME = 6
    REVISION_CONFLICT = 7
    WRONG_COLUMN_COUNT = 10
    WRONG_ROW_COUNT = 11
    MALFORMED_ARRAY = 12
    MISSING_INPUT = 13
    WRONG_JOINT_NAMES = 14
    UNKNOWN_FRAME = 15
    TIP_FRAME_REQUIRED = 16
    INVALID_OPTION = 17
    ROW_FAILED = 18
    INVALID_FIELD = 19
    INVALID_SAMPLE = 20
    REQUEST_TOO_LARGE = 30
    OVERLOADED = 31
    QUOTA_REACHED = 32
    UNAUTHENTICATED = 35
    PERMISSION_DENIED = 36
    READ_ONLY = 37
    DRAINING = 40
    STORE_UNAVAILABLE = 41
    INTERNAL_ERROR = 42


def parse(kind: type[E], choice: E | str | int) -> E:
    """A member of `kind` from itself, its name or its number; numbers are
    whole ones, and no members of other kinds.

    Raises ValueError with the names that there are.
    """
    member = None
    try:
        if isinstance(choice, str):
            member = kind[choice.upper().replace("-", "_")]
        # What only equals a number is none: True, 1.0, another enum's member.
        elif isinstance(choice, kind) or (
                isinstance(choice, numbers.Integral)
                and not isinstance(choice, (bool, enum.Enum))):
            member = kind(choice)
    except (KeyError, ValueError):
        pass
    if member is not None and member.name != "UNKNOWN":
        return member
    names = ", ".join(each.name.lower() for each in kind
                      if each.name != "UNKNOWN")
    raise ValueError(f"{choice!r:.60} is no {kind.__name__}; there are {names}")
