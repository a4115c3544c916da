"""Whether a robot keeps its limits along a trajectory, also as a page to look at: that of
`torquectl trajectory check --html`."""

from __future__ import annotations

import base64
import html
import inspect
import json
import pathlib
from typing import Any, Iterator, Mapping

import numpy as np
import numpy.typing as npt
from google.protobuf import json_format

from torqued import errors
from torqued.contract import Reason
from torqued.contract import TrajectoryVerdict as _Fields
from torqued.files import write
from torqued.trajectory import Trajectory
from torqued.v1 import trajectory_pb2 as pb
from torqued.values import FloatArray, Path

# Newer protobufs have another name for it.
_WITH_ZEROS = next(
    name for name in inspect.signature(json_format.MessageToDict).parameters
    if name in ("including_default_value_fields",
                "always_print_fields_with_no_presence"))
# Numbers of samples, which protobuf's JSON makes strings.
_COUNTS = frozenset(
    field.name for message in pb.DESCRIPTOR.message_types_by_name.values()
    for field in message.fields if field.type == field.TYPE_UINT64)
# Points of all joints in a page of less than 1 MB.
_PAGE_SAMPLES = 27_000


class TrajectoryVerdict(_Fields):
    """The server's verdict, see the fields of its message, and what was asked.

    Attributes
    ----------
    tables
        Those that were asked for, by name: "tau", "v", "a", "path_a" to "path_e" and
        "torque_limit" (N, n), "sigma_min" and "condition" (N,).
    trajectory
        What was checked, columns in the order of `joints`.
    inputs
        What was asked beside `asked` and the trajectory: "wrench_frame", and, if each
        sample has one of its own, "wrench".
    seconds
        That the check took.
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
                "inputs": self.inputs, "seconds": self.seconds}

    def to_json(self, indent: int | None = 2) -> str:
        """See `to_dict`."""
        return json.dumps(self.to_dict(), indent=indent)

    def _message(self) -> dict[str, Any]:
        return json.loads(
            json_format.MessageToJson(
                self.proto, preserving_proto_field_name=True, **{_WITH_ZEROS: True}),
            object_hook=lambda members: {
                name: int(value) if name in _COUNTS else value
                for name, value in members.items()})

    def save_html(self, path: Path) -> None:
        """Writes a page to `path` that fetches nothing: verdict, violations and curves, as
        `torquectl trajectory check --html` does.

        `tables` must have "tau" and "torque_limit"; also "v" with `derive`, "sigma_min"
        and "condition" with `task`. Raises InvalidArgument, OSError.
        """
        needed = ["tau", "torque_limit", *(["v"] if self.derived else []), *(
            ["sigma_min", "condition"] if self.path_inertia else [])]
        if not set(needed) <= set(self.tables):
            raise errors.invalid(
                Reason.MISSING_INPUT, "tables",
                f"there are no curves: give tables={json.dumps(needed)} to the check")
        title = self.trajectory.file or "trajectory"
        most = min(max(_PAGE_SAMPLES // (len(self.joints) + 1), 200), 4000)
        data = {"title": title, "asked": [], "verdict": self._message(),
                **_curves(self, most)}
        text = "\n".join([title, *_lines(self.proto)])
        template = pathlib.Path(__file__).with_name("report.html").read_text("utf-8")
        before, _, rest = template.partition("/*TEXT*/")
        between, _, after = rest.partition("/*DATA*/")
        # No text of the data ends the script.
        packed = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
        pathlib.Path(path).write_text(
            before + html.escape(text) + between + packed + after, "utf-8")

    def write_torques(self, path: Path) -> None:
        """Writes the torques, if `tables` has "tau", to `path` in the format of its suffix.

        .csv has the columns `time`, `<joint>.tau`; .npy has tau; .npz has tau beside time,
        q, v, a and joint_names; .yaml, .yml and .json are a trajectory_msgs/JointTrajectory
        with the torques as effort. Raises InvalidArgument, OSError.
        """
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
        moved = self.trajectory
        blocks = {"q": moved.q, "v": self.tables.get("v", moved.v),
                  "a": self.tables.get("a", moved.a), "tau": tau}
        write(path, self.joints.joint, moved.time, {
            name: numbers for name, numbers in blocks.items()
            if numbers is not None and (name == "tau" or suffix != ".csv")})

    def __str__(self) -> str:
        doubts = (self.inconsistency.message if self.inconsistency else "",
                  self.units_message)
        gravest = (*self.violations[:1], *self.remarks[:1])
        return " ".join(["passes:" if self.passes else "fails:", *filter(None, doubts),
                         self.message, *(found.message for found in gravest)])

    def __repr__(self) -> str:
        return (f"<torqued.TrajectoryVerdict of {self.proto.echo.model}, "
                f"{self.samples} samples over {self.duration:g} s: {self}>")


def _lines(verdict: Any) -> Iterator[str]:
    """For readers without scripts."""
    yield f"{'PASS' if verdict.passes else 'FAIL'}: {verdict.message}"
    yield from filter(None, [verdict.units_message])
    for part in (*filter(None, [verdict.inconsistency]), *verdict.violations[:10],
                 *verdict.remarks[:10], *verdict.joints,
                 verdict.payload, verdict.slow_down, verdict.path_inertia):
        yield part.message
    yield verdict.energy_message
    for asked in verdict.asked_words:
        yield f"{asked.title}: {asked.words}"


def _curves(verdict: TrajectoryVerdict, most: int) -> dict[str, Any]:
    """The samples that show the curves of each joint, the robot and the task."""
    clock, q, tables = verdict.trajectory.time, verdict.trajectory.q, verdict.tables
    # A clock's time does not fit single precision.
    curves: dict[str, Any] = {"start": float(clock[0]), "joints": []}
    time, tau, limit = clock - clock[0], tables["tau"], tables["torque_limit"]
    v = tables["v"] if verdict.derived else verdict.trajectory.v
    if v is not None and v.shape[1] > 0:
        # The share of a limit, which falls with speed, has peaks of its own.
        share = np.abs(tau) / np.maximum(limit, 1e-200)
        for j in range(v.shape[1]):
            shown = {"q": q[:, j], "v": v[:, j], "tau": tau[:, j]}
            rows = _thinned([*shown.values(), share[:, j]], most)
            curves["joints"].append(_packed(rows, time=time, limit=limit[:, j], **shown))
        power = (tau * v).sum(axis=1)
        curves["robot"] = _packed(_thinned([power], most), time=time, power=power)
    if verdict.path_inertia:
        task = {name: tables[name] for name in ("sigma_min", "condition")}
        curves["task"] = _packed(_thinned(list(task.values()), most), time=time, **task)
    return curves


def _thinned(curves: list[FloatArray], most: int) -> npt.NDArray[np.intp]:
    """Both ends, and of equal parts those rows in which a curve is lowest or highest."""
    columns = np.column_stack(curves)
    rows = np.arange(len(columns))
    if len(rows) <= most:
        return rows
    chosen = [rows[[0, -1]]]
    for part in np.array_split(rows, (most - 2) // (2 * len(curves))):
        values = columns[part]
        chosen += [part[values.argmin(0)], part[values.argmax(0)]]
    return np.unique(np.concatenate(chosen))


def _packed(rows: npt.NDArray[np.intp], **curves: FloatArray) -> dict[str, str]:
    """Base64 of single precision."""
    return {name: base64.b64encode(curve[rows].astype("<f4").tobytes()).decode()
            for name, curve in curves.items()}
