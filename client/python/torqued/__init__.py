"""Robot dynamics from a torqued server, with numpy in and out.

    with torqued.local("panda.urdf") as client:
        robot = client.model("panda")
        tau = robot.inverse_dynamics(q, v, a)

docs/python.md is a tour. `torqued.aio` is the same for asyncio.
"""

from torqued import aio
from torqued.client import Client, Robot, connect, local
from torqued.contract import *  # noqa: F403
from torqued.contract import __all__ as _contract
from torqued.errors import (
    Cancelled, DeadlineExceeded, FailedPrecondition, FieldViolation, FileError,
    InternalError, InvalidArgument, LeftOutWarning, LocalServerError, ModelWarning,
    NotFound, Overloaded, PermissionDenied, RequestTooLarge, ResourceExhausted, RowError,
    SingularTaskWarning, TorquedError, Unavailable, Unimplemented)
from torqued.evaluation import Evaluation
from torqued.local_server import LocalServer, find_server
from torqued.message import Message, Messages
from torqued.settings import Health, Settings
from torqued.trajectory import Trajectory
from torqued.values import ExternalWrench, FloatArray, JointInput
from torqued.verdict import TrajectoryVerdict

__version__ = "0.1.0"
__all__ = [
    "Cancelled", "Client", "DeadlineExceeded", "Evaluation", "ExternalWrench",
    "FailedPrecondition", "FieldViolation", "FileError", "FloatArray",
    "Health", "InternalError", "InvalidArgument", "JointInput",
    "LeftOutWarning", "LocalServer", "LocalServerError", "Message", "Messages",
    "ModelWarning", "NotFound", "Overloaded", "PermissionDenied", "RequestTooLarge",
    "ResourceExhausted", "Robot", "RowError", "Settings", "SingularTaskWarning",
    "TorquedError", "Trajectory", "TrajectoryVerdict", "Unavailable", "Unimplemented",
    "__version__", "aio", "connect", "find_server", "local",
]
__all__ += _contract
