"""A check of a trajectory: which messages to send, what to make of the replies, and where
an error is. Sends nothing itself; connection.py does."""

from __future__ import annotations

import os
import pathlib
import re
import time
from typing import Any, Iterator, Mapping, Union

import numpy as np
from google.protobuf import json_format

from torqued import errors
from torqued.contract import ModelInfo, Reason, ReferenceFrame, TrajectoryTable
from torqued.errors import file_error
from torqued.evaluation import fill_request, order_of, teller
from torqued.files import contents, read_columns, read_tree
from torqued.inputs import F64, field, refuse, rows_field, set_field
from torqued.trajectory import Trajectory, wrenches
from torqued.v1 import array_pb2
from torqued.v1 import trajectory_pb2 as pb
from torqued.values import FloatArray, Path
from torqued.verdict import TrajectoryVerdict

_FORM = ('; limits are written like '
         '{"drives": [{"dof": "elbow_joint", "velocity_limit": 2, "effort_limit": 120}], '
         '"position_limits": [{"coordinate": "elbow_joint", "lower": -3, "upper": 3}]}')
_COLUMNS = ("time", "mx", "my", "mz", "fx", "fy", "fz")
_OF_FILE = re.compile(r"(?:start\.)?(\w+)\[(\d+)\]")
_OF_SPACE = ("sigma_min", "condition")

#: `drives` and `position_limits` of `CheckTrajectoryStart` by these two names, lists
#: of `Drive` and `PositionLimits` as dicts, or a JSON file of the same.
Limits = Union[Mapping[str, Any], Path]


def add_limits(limits: Limits, start: pb.CheckTrajectoryStart) -> str:
    """Returns the file, or "". Raises InvalidArgument, OSError."""
    file, tree = "", limits
    if isinstance(limits, (str, os.PathLike)):
        file = str(limits)
        tree = read_tree(".json", pathlib.Path(limits).read_bytes(), file)
    try:
        if not isinstance(tree, Mapping):
            raise TypeError("they are not an object")
        read = json_format.ParseDict(tree, pb.CheckTrajectoryStart())
        if {field.name for field, _ in read.ListFields()} - {"drives", "position_limits"}:
            raise TypeError("only drives and position_limits are limits")
    except (json_format.ParseError, TypeError, AttributeError) as error:
        raise errors.invalid(Reason.INVALID_OPTION, "limits",
                             f"limits: {error}{_FORM}", file) from None
    start.MergeFrom(read)
    return file


def add_wrench_profile(path: Path, start: pb.CheckTrajectoryStart) -> None:
    """A file .csv or .npy with the columns. Raises FileError, OSError."""
    suffix, content = contents(path)
    if suffix not in (".csv", ".npy"):
        raise file_error(path, "a wrench profile is CSV or NPY")
    header, table, _ = read_columns(suffix, content, path)
    if header and set(_COLUMNS) <= set(header) and len(set(header)) == len(header):
        table = table[:, [header.index(name) for name in _COLUMNS]]
    elif header or table.shape[1] != len(_COLUMNS):
        raise file_error(
            path, f"a wrench profile has the columns {', '.join(_COLUMNS)}, each once; this "
            f"file has {', '.join(header) or table.shape[1]}", Reason.WRONG_COLUMN_COUNT)
    for at, *wrench in table.tolist():
        start.tip_wrench_profile.add(time=at, wrench=wrench)


class Check:
    """One check, whose tries all begin from the start: all messages of `messages` are
    sent, and `take` takes the replies.

    words: keywords of `check_trajectory`, None if absent. Reads the trajectory if it is a
    file. Raises InvalidArgument, OSError.
    """

    def __init__(self, model: ModelInfo, words: Mapping[str, Any]) -> None:
        self.deadline = words.get("deadline")
        self._tell = teller(words.get("progress"))
        self._told = 0
        self._verdict: Any = None
        self._start = start = pb.CheckTrajectoryStart()
        joints = order_of(model, words)
        # There are no rows that fail one by one.
        fill_request(start, f"{model.name}@{model.revision}", {
            **words, "joint_names": joints, "fail_fast": None}, bool(words.get("task")))
        start.options.encoding = array_pb2.ENCODING_F64
        for word, value in words.items():
            if value is not None and word in start.DESCRIPTOR.fields_by_name:
                set_field(start, word, value)
        # Sources of the fields of the start.
        self._files: dict[str, str] = {}
        if words.get("limits") is not None:
            file = add_limits(words["limits"], start)
            self._files = {"drives": file, "position_limits": file}
        given = words["trajectory"]
        if isinstance(given, Trajectory):
            self._trajectory = given.in_order(joints)
            self._left_out = [joint for joint in given.joint_names or ()
                              if joint not in joints]
        elif isinstance(given, (str, os.PathLike)):
            self._trajectory, self._left_out = Trajectory.of_file(
                given, joints, named=True, rates=not start.derive)
        else:
            refuse("trajectory", "a torqued.Trajectory or the path of a file", given)
        self._rows = len(self._trajectory)
        frame = ReferenceFrame(start.tip_wrench_reference_frame or ReferenceFrame.LOCAL)
        self._inputs: dict[str, Any] = {"wrench_frame": "REFERENCE_FRAME_" + frame.name}
        self._arrays = self._sent(words.get("tip_wrench_on_environment"))
        self._begin = time.monotonic()
        names = (TrajectoryTable(table).name.lower() for table in start.tables)
        self._tables = {
            name: np.empty(self._rows if name in _OF_SPACE else (self._rows, model.nv))
            for name in names}

    def _sent(self, wrench: Any) -> dict[str, FloatArray]:
        """Arrays with a row for each sample. wrench: one and a file go into the start."""
        moved, start = self._trajectory, self._start
        arrays = {"time": moved.time[:, np.newaxis], "q": moved.q}
        self._files.update(dict.fromkeys(("time", "q", "v", "a"), moved.file))
        for name in () if start.derive else ("v", "a"):
            if getattr(moved, name) is None:
                raise errors.invalid(
                    Reason.MISSING_INPUT, name, f"the trajectory has no {name}; with "
                    'derive="cubic" or "quintic" v and a come from q', moved.file)
            arrays[name] = getattr(moved, name)
        if moved.tip_wrench is not None:
            if wrench is not None:
                raise errors.invalid(
                    Reason.INVALID_OPTION, "tip_wrench_on_environment",
                    "the trajectory has a tip wrench, and another one is given", moved.file)
            arrays["tip_wrench_on_environment"] = moved.tip_wrench
            self._files["tip_wrench_on_environment"] = moved.file
        elif isinstance(wrench, (str, os.PathLike)):
            self._files["tip_wrench_profile"] = str(wrench)
            add_wrench_profile(wrench, start)
        elif wrench is not None:
            rows = wrenches(wrench, len(moved))
            if np.size(wrench) == 6:
                start.tip_wrench_profile.add(wrench=rows[0])
            else:
                arrays["tip_wrench_on_environment"] = rows
                self._inputs["wrench"] = rows.tolist()
        return {name: np.ascontiguousarray(numbers, F64)
                for name, numbers in arrays.items()}

    def warn(self) -> None:
        """About joints that the robot does not move."""
        if self._left_out:
            file = self._trajectory.file
            errors.warn(errors.LeftOutWarning(
                (f"{file}: " if file else "") + "joints that the robot does "
                f"not move are left out: {', '.join(self._left_out)}"))

    def messages(self, payload: int) -> Iterator[bytes]:
        """The messages of one try. payload: bytes of rows in one."""
        yield pb.CheckTrajectoryRequest(start=self._start).SerializeToString()
        bytes_per_row = F64.itemsize * sum(
            numbers.shape[1] for numbers in self._arrays.values())
        count = max(1, payload // bytes_per_row)
        for first in range(0, self._rows, count):
            parts = [part for name, numbers in self._arrays.items() for part in rows_field(
                pb.TrajectorySamples, name, numbers[first:first + count])]
            yield b"".join(field(pb.CheckTrajectoryRequest, "samples", parts))

    def take(self, reply: pb.CheckTrajectoryReply) -> None:
        if reply.HasField("progress"):
            self._advance(reply.progress.samples_done)
        elif reply.HasField("verdict"):
            self._verdict = reply.verdict
        for name, numbers in self._tables.items():
            sent = np.frombuffer(getattr(reply.rows, name).f64)
            if len(sent):
                first, rows = reply.rows.first_sample, sent.reshape(-1, *numbers.shape[1:])
                numbers[first:first + len(rows)] = rows

    def _advance(self, done: int) -> None:
        # A try that begins again reports only what is beyond the one before.
        if done > self._told:
            self._told = done
            self._tell(done, self._rows)

    def verdict(self) -> TrajectoryVerdict:
        """After a try ended with OK."""
        self._advance(self._rows)
        return TrajectoryVerdict(self._verdict, self._trajectory, self._tables,
                                 self._inputs, time.monotonic() - self._begin)

    def placed(self, error: errors.TorquedError) -> errors.TorquedError:
        """A FileError if it is about a file."""
        found = _OF_FILE.match(error.field)
        if not found or not self._files.get(found[1]):
            return error
        name, row = found.groups()
        column, line = None, None
        if name in self._arrays:
            column = name
            if self._trajectory.lines:
                line = self._trajectory.lines[int(row)]
                column = f"{error.joint}.{name}" if error.joint else name
        return errors.invalid(
            error.reason, error.field, error.message, self._files[name], line=line,
            row=row if column or name == "tip_wrench_profile" else None, column=column,
            joint=error.joint)
