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
    Health, JointType, Precision, Quantity, Reason, ReferenceFrame, RowCode,
    Severity, SingularityRule, TaskAxis, TaskRule)
from torqued.errors import (
    BadRowsWarning, Cancelled, DeadlineExceeded, FailedPrecondition,
    FieldViolation, InternalError, InvalidArgument, LocalServerError, NotFound,
    Overloaded, PermissionDenied, RequestTooLarge, ResourceExhausted, RowError,
    RowStatus, SingularTaskWarning, TorquedError, Unavailable, Unimplemented)
from torqued.evaluation import (
    CenterOfMass, Energy, Evaluation, ForwardDynamicsDerivatives,
    FrameAcceleration, Handover, InverseDynamicsDerivatives, OperationalSpace,
    PowerBalance, TaskProjection)
from torqued.local_server import LocalServer, find_server
from torqued.model import (
    Finding, Joint, Model, ModelSummary, Report, ServerInfo)
from torqued.options import ExternalWrench, Options, Payload
from torqued.robot import Robot
from torqued.settings import Settings
from torqued.version import __version__

__all__ = [
    "BadRowsWarning", "Cancelled", "CenterOfMass", "Client",
    "DeadlineExceeded", "Energy", "Evaluation", "ExternalWrench",
    "FailedPrecondition", "FieldViolation", "Finding", "FloatArray",
    "ForwardDynamicsDerivatives", "FrameAcceleration", "Handover", "Health",
    "InternalError", "InvalidArgument", "InverseDynamicsDerivatives", "Joint",
    "JointInput", "JointType", "LocalServer", "LocalServerError", "Model",
    "ModelSummary", "NotFound", "OperationalSpace", "Options", "Overloaded",
    "Payload", "PermissionDenied", "PowerBalance", "Precision", "Quantity",
    "Reason", "ReferenceFrame", "Report", "RequestTooLarge",
    "ResourceExhausted", "Robot", "RowCode", "RowError", "RowStatus",
    "ServerInfo", "Settings", "Severity", "SingularTaskWarning",
    "SingularityRule", "TaskAxis", "TaskProjection", "TaskRule",
    "TorquedError", "Unavailable", "Unimplemented", "__version__", "aio",
    "connect", "find_server", "local",
]
