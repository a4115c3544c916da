"""Robot dynamics from a torqued server, with numpy in and out.

    with torqued.local(models=["panda.urdf"]) as client:
        robot = client.model("panda")
        tau = robot.inverse_dynamics(q, v, a)

docs/python.md is a tour. `torqued.aio` is the same for asyncio.
"""

from torqued import aio
from torqued.arrays import FloatArray, JointInput
from torqued.client import Client, connect, local
from torqued.enums import (
    Differentiation, Health, JointType, LimitKind, ModelFormat, ModelState,
    Precision, Quantity, Reason, ReferenceFrame, RemarkKind, RowCode, Severity,
    SingularityRule, TaskAxis, TaskRule, TrajectoryTable, Validation)
from torqued.errors import (
    BadRowsWarning, Cancelled, DeadlineExceeded, FailedPrecondition,
    FieldViolation, FileError, InternalError, InvalidArgument, LeftOutWarning,
    LocalServerError, NotFound, Overloaded, PermissionDenied, RequestTooLarge,
    ResourceExhausted, RowError, RowStatus, SingularTaskWarning, TorquedError,
    Unavailable, Unimplemented, WeakTaskWarning)
from torqued.evaluation import (
    CenterOfMass, Energy, Evaluation, ForwardDynamicsDerivatives,
    FrameAcceleration, Handover, InverseDynamicsDerivatives, OperationalSpace,
    PowerBalance, TaskProjection)
from torqued.limits import JointLimits
from torqued.local_server import LocalServer, find_server
from torqued.model import (
    Finding, FindingPlace, Joint, Model, ModelSummary, Report, ServerInfo)
from torqued.options import ExternalWrench, Options, Payload
from torqued.remarks import CoarseStep, Peak, Remark
from torqued.robot import Robot
from torqued.settings import Settings
from torqued.trajectory import Trajectory
from torqued.verdict import (
    JointDemands, JointPeaks, LimitedBy, LimitViolation, PathInertia,
    PayloadRange, SlowDown, TrajectoryVerdict)
from torqued.version import __version__

__all__ = [
    "BadRowsWarning", "Cancelled", "CenterOfMass", "Client",
    "CoarseStep", "DeadlineExceeded", "Differentiation", "Energy", "Evaluation",
    "ExternalWrench", "FailedPrecondition", "FieldViolation", "FileError",
    "Finding", "FindingPlace", "FloatArray", "ForwardDynamicsDerivatives",
    "FrameAcceleration", "Handover", "Health", "InternalError",
    "InvalidArgument", "InverseDynamicsDerivatives", "Joint",
    "JointDemands", "JointInput", "JointLimits", "JointPeaks", "JointType",
    "LeftOutWarning", "LimitKind", "LimitViolation", "LimitedBy",
    "LocalServer", "LocalServerError", "Model", "ModelFormat", "ModelState",
    "ModelSummary", "NotFound", "OperationalSpace", "Options", "Overloaded",
    "PathInertia", "Payload", "PayloadRange", "Peak", "PermissionDenied",
    "PowerBalance", "Precision", "Quantity", "Reason", "ReferenceFrame", "Remark",
    "RemarkKind", "Report", "RequestTooLarge", "ResourceExhausted", "Robot",
    "RowCode", "RowError", "RowStatus", "ServerInfo", "Settings", "Severity",
    "SingularTaskWarning", "SingularityRule", "SlowDown", "TaskAxis",
    "TaskProjection", "TaskRule", "TorquedError", "Trajectory",
    "TrajectoryTable", "TrajectoryVerdict", "Unavailable", "Unimplemented",
    "Validation", "WeakTaskWarning", "__version__", "aio", "connect",
    "find_server", "local",
]
