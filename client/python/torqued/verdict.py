"""Whether a robot keeps its limits along a trajectory."""

from __future__ import annotations

import inspect
import json
import pathlib
from typing import Any, Mapping

import numpy as np
from google.protobuf import json_format

from torqued import errors
from torqued.contract import Reason
from torqued.contract import TrajectoryVerdict as _Fields
from torqued.errors import plain
from torqued.files import write
from torqued.report import page
from torqued.trajectory import Trajectory
from torqued.v1 import trajectory_pb2 as pb
from torqued.values import FloatArray, Path


class TrajectoryVerdict(_Fields):
    """The server's verdict, see the fields of its message, and what was asked.

    tables: those that were asked for, by name: "tau", "v", "a", "path_a" to "path_e"
        and "torque_limit" (N, n), "sigma_min" and "condition" (N,).
    trajectory: what was checked, columns in the order of `joints`.
    inputs: what was asked beside `asked` and the trajectory: "wrench_frame", and, if
        each sample has one of its own, "wrench".
    seconds: that the check took.
    """

    def __init__(self, proto: pb.TrajectoryVerdict, trajectory: Trajectory,
                 tables: Mapping[str, FloatArray], inputs: Mapping[str, Any],
                 seconds: float) -> None:
        super().__init__(proto)
        self.trajectory = trajectory
        self.tables = tables
        self.inputs = inputs
        self.seconds = seconds

    def to_dict(self) -> dict[str, Any]:
        """Everything but the tables, in words of JSON, as `torquectl trajectory check
        --output json` writes it. Numbers that JSON lacks are strings: "Infinity"."""
        return {"trajectory": self.trajectory.file, **self._message(),
                "inputs": {name: said.tolist() if isinstance(said, np.ndarray)
                           else said for name, said in self.inputs.items()},
                "seconds": self.seconds}

    def to_json(self, indent: int | None = 2) -> str:
        """See `to_dict`."""
        return json.dumps(self.to_dict(), indent=indent)

    def _message(self) -> dict[str, Any]:
        return _counts_as_numbers(json_format.MessageToDict(
            self.proto, preserving_proto_field_name=True, **{_WITH_ZEROS: True}))

    def save_html(self, path: Path) -> None:
        """One page that fetches nothing, for a browser or a printer: verdict,
        violations and curves, as `torquectl trajectory check --html` writes it. It
        takes `tables` with "tau" and "torque_limit"; also "v" with `derive`,
        "sigma_min" and "condition" with `task`. Raises InvalidArgument, OSError."""
        pathlib.Path(path).write_text(page(self, self._message()), "utf-8")

    def write_torques(self, path: Path) -> None:
        """The torques, where `tables` had "tau", by the suffix of the file: .csv with
        the columns `time`, `<joint>.tau`; .npy with tau; .npz with tau beside time, q,
        v, a and joint_names; .yaml, .yml and .json, a trajectory_msgs/JointTrajectory
        with the torques as effort. Raises InvalidArgument, OSError."""
        tau = self.tables.get("tau")
        if tau is None:
            raise errors.invalid(
                Reason.MISSING_INPUT, "tables",
                'there are no torques: give tables=["tau"] to the check')
        path = pathlib.Path(path)
        suffix = path.suffix.lower()
        if suffix == ".npy":
            with path.open("wb") as file:
                np.save(file, tau)
            return
        blocks = {"tau": tau}
        if suffix != ".csv":
            moved = self.trajectory
            blocks = {name: numbers for name, numbers in (
                ("q", moved.q), ("v", self.tables.get("v", moved.v)),
                ("a", self.tables.get("a", moved.a)), ("tau", tau))
                if numbers is not None}
        write(path, self.joints.joint, self.trajectory.time, blocks)

    def __str__(self) -> str:
        gravest = (*self.violations[:1], *self.remarks[:1])
        return plain(" ".join(("passes:" if self.passes else "fails:", self.message,
                               *(found.message for found in gravest))))

    def __repr__(self) -> str:
        return (f"<torqued.TrajectoryVerdict of {plain(self.proto.echo.model)}, "
                f"{self.samples} samples over {self.duration:g} s: {self}>")


# --- As JSON -----------------------------------------------------------------

# Newer protobufs have another name for it.
_WITH_ZEROS = next(
    name for name in inspect.signature(json_format.MessageToDict).parameters
    if name in ("including_default_value_fields",
                "always_print_fields_with_no_presence"))
# Numbers of samples, which protobuf's JSON makes strings.
_COUNTS = frozenset(
    field.name for message in pb.DESCRIPTOR.message_types_by_name.values()
    for field in message.fields if field.type == field.TYPE_UINT64)


def _counts_as_numbers(json_of_message: Any) -> Any:
    if isinstance(json_of_message, dict):
        return {name: int(value) if name in _COUNTS else
                _counts_as_numbers(value)
                for name, value in json_of_message.items()}
    if isinstance(json_of_message, list):
        return [_counts_as_numbers(item) for item in json_of_message]
    return json_of_message
