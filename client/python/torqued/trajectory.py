"""Samples of a motion."""

from __future__ import annotations

import copy
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from torqued import errors
from torqued.contract import Reason
from torqued.files import read, unwritable, write
from torqued.inputs import names_of, refuse, table
from torqued.values import Columns, FloatArray, JointInput, Path


class Trajectory:
    """Samples of a motion, a row each, in order of time.

    Parameters
    ----------
    time
        (N,), s, strictly increasing.
    q, v, a
        (N, n), rad or m, rad/s or m/s, rad/s^2 or m/s^2, or a dict or a table with a
        column for each joint, by name. v and a may be None, if a check derives them.
    tip_wrench
        (6,) or (N, 6), (moment; force) that the tip exerts ON THE ENVIRONMENT, N m, N;
        None: nothing.
    joint_names
        Of the columns of q, v and a; None: the joints of the robot that checks it, in
        its order.

    Attributes
    ----------
    file
        The one that was read, or "".
    unused
        Names of columns and joints of that file that are not in here.

    Raises
    ------
    InvalidArgument
        Rows and columns do not fit; it names the array. A check finds numbers that are
        not finite and times that do not increase.
    """

    def __init__(
            self, time: npt.ArrayLike, q: JointInput,
            v: JointInput | None = None, a: JointInput | None = None, *,
            tip_wrench: npt.ArrayLike | None = None,
            joint_names: Sequence[str] | None = None) -> None:
        if joint_names is None and isinstance(q, Columns):
            joint_names = list(q.keys())
        self.joint_names = None if joint_names is None else _names(joint_names)
        numbers = table("time", time)
        if numbers.ndim > 1 and numbers.shape[-1] != 1:
            raise errors.invalid(
                Reason.WRONG_COLUMN_COUNT, "time",
                f"time has {numbers.shape[-1]} columns; give one number per sample")
        self.time: FloatArray = np.asarray(numbers.reshape(-1), float)
        if not len(self.time):
            raise errors.invalid(Reason.MISSING_INPUT, "time", "there are no samples")
        self.q: FloatArray = self._rows("q", q)
        self.v: FloatArray | None = self._rows("v", v)
        self.a: FloatArray | None = self._rows("a", a)
        self.tip_wrench = None if tip_wrench is None else wrenches(
            tip_wrench, len(self.time))
        self.file = ""
        self.unused: tuple[str, ...] = ()
        #: Line of a file of text, from 1.
        self.lines: Sequence[int] = ()

    @classmethod
    def read(cls, path: Path, joints: Sequence[str] | None = None) -> Trajectory:
        """Reads a file, known by its first bytes if numpy wrote it, else by its suffix,
        else by its text.

        .csv
            Columns `time`, `<joint>.q`, `<joint>.v`, `<joint>.a` in any order; or without
            a header time, q, or time, q, v, a in the order of `joints`.
        .npy
            The same columns as one table, in the order of `joints`.
        .npz
            Arrays time, q and, if there are, v, a, tip_wrench; joint_names is one of
            them, or `joints` is given.
        .yaml, .yml, .json
            A trajectory_msgs/JointTrajectory of ROS 1 or 2, as `rostopic echo` and `ros2
            topic echo` print it, or the goal of an action with one. YAML takes PyYAML.

        Parameters
        ----------
        path
            The file.
        joints
            These only, in this order; of a file without names, its columns.

        Raises
        ------
        FileError
            With line or row and column.
        OSError, ImportError
            The latter without PyYAML.
        """
        joints = None if joints is None else _names(joints)
        return cls.of_file(path, joints)[0]

    @classmethod
    def of_file(cls, path: Path, joints: Sequence[str] | None, named: bool = False,
                rates: bool = True) -> tuple[Trajectory, list[str]]:
        """With the joints that are left out. named: columns without names are refused.
        rates: whether v and a are read. Raises as `read` does."""
        samples = read(path, joints, named, rates)
        try:
            motion = cls(**samples.arrays, joint_names=samples.joints)
            if joints is not None:
                motion = motion.in_order(joints)
        except errors.InvalidArgument as error:
            raise errors.invalid(error.reason, error.field, error.message, path,
                                 joint=error.joint, column=error.field) from None
        others = [*motion.unused, *(name[:-2] for name in samples.unused
                                    if name.endswith(".q"))]
        motion.file, motion.lines = str(path), samples.lines
        motion.unused += tuple(samples.unused)
        return motion, others

    def write(self, path: Path) -> None:
        """Writes the format of the suffix, see `read`.

        .csv has plain columns without joint_names, .npy always; .npz alone keeps a
        tip_wrench. Times in .yaml and .json are rounded to nanoseconds.

        Raises
        ------
        InvalidArgument
            The format cannot hold it. Of a time beyond 32 bits of seconds a FileError.
        OSError
        """
        suffix = pathlib.Path(path).suffix.lower()
        blocks = self._arrays("q", "v", "a", "tip_wrench")
        if "tip_wrench" in blocks and suffix != ".npz":
            raise unwritable(path, "only .npz keeps a tip_wrench")
        if len(blocks) == 2 and (
                suffix == ".npy" or suffix == ".csv" and self.joint_names is None):
            raise unwritable(path, "plain columns have both v and a, or none")
        write(path, self.joint_names, self.time, blocks)

    def in_order(self, joints: Sequence[str]) -> Trajectory:
        """The columns of these joints, in this order; others are `unused`. Raises
        InvalidArgument (WRONG_JOINT_NAMES) if one is missing."""
        if self.joint_names is None or tuple(joints) == self.joint_names:
            return self
        for joint in joints:
            if joint not in self.joint_names:
                raise errors.invalid(
                    Reason.WRONG_JOINT_NAMES, "joint_names",
                    f"the trajectory lacks the joint {joint!r}; there are "
                    f"{', '.join(self.joint_names)}", self.file, joint=joint)
        columns = [self.joint_names.index(joint) for joint in joints]
        return self._with(
            unused=self.unused + tuple(
                joint for joint in self.joint_names if joint not in joints),
            joint_names=tuple(joints), **{name: np.ascontiguousarray(numbers[:, columns])
               for name, numbers in self._arrays("q", "v", "a").items()})

    def slower(self, factor: float) -> Trajectory:
        """The same path in `factor` times the time, a finite number above 0."""
        if not 0 < factor < np.inf:
            refuse("factor", "a finite number above 0", factor)
        power = {"v": 1, "a": 2}
        return self._with(time=self.time * factor, **{
            name: numbers / factor**power[name]
            for name, numbers in self._arrays("v", "a").items()})

    @property
    def duration(self) -> float:
        """s, from the first sample to the last."""
        return float(self.time[-1] - self.time[0])

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return (f"<torqued.Trajectory of {len(self)} samples of "
                f"{self.q.shape[1]} joints over {self.duration:g} s"
                + (f", {self.file}>" if self.file else ">"))

    def _arrays(self, *names: str) -> dict[str, FloatArray]:
        """Those that there are."""
        return {name: numbers for name in names
                if (numbers := getattr(self, name)) is not None}

    def _with(self, **changed: Any) -> Trajectory:
        other = copy.copy(self)
        other.__dict__.update(changed)
        return other

    def _rows(self, name: str, given: Any) -> Any:
        if given is None:
            return None
        numbers = np.asarray(table(name, given, self.joint_names), float)
        n = (len(self.joint_names) if self.joint_names is not None
             else numbers.shape[-1] if name == "q" else self.q.shape[1])
        return _checked(name, numbers, (len(self.time), n))


def wrenches(given: npt.ArrayLike, rows: int) -> FloatArray:
    """(rows, 6), from 6 numbers or as many rows of them. Raises InvalidArgument."""
    numbers = np.asarray(table("tip_wrench", given), float)
    if numbers.shape in ((6,), (1, 6)):
        numbers = np.broadcast_to(numbers, (rows, 6))
    return np.ascontiguousarray(_checked("tip_wrench", numbers, (rows, 6)))


def _checked(name: str, numbers: FloatArray, shape: tuple[int, int]) -> FloatArray:
    if numbers.shape == shape:
        return numbers
    reason = (Reason.WRONG_COLUMN_COUNT if numbers.shape[-1] != shape[1]
              else Reason.WRONG_ROW_COUNT)
    raise errors.invalid(
        reason, name, f"{name} has the shape {numbers.shape}; give {shape[1]} columns, and "
        f"a row for each of the {shape[0]} samples")


def _names(joints: Sequence[str]) -> tuple[str, ...]:
    names = tuple(names_of(joints))
    for name in names:
        if names.count(name) > 1:
            raise errors.invalid(Reason.WRONG_JOINT_NAMES, "joint_names",
                                 f"the joint {name!r} is named twice", joint=name)
    return names
