"""Limits and drives of joints in the place of the model's, and wrenches over time."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any, Union

from google.protobuf import json_format

from torqued import errors
from torqued.contract import Reason
from torqued.formats import csv_table, numpy_files, opened, trees
from torqued.v1 import trajectory_pb2 as pb
from torqued.values import Path

_FORM = ('{"drives": [{"dof": "elbow_joint", "velocity_limit": 2, "effort_limit": 120}], '
         '"position_limits": [{"coordinate": "elbow_joint", "lower": -3, "upper": 3}]}')
_COLUMNS = ("time", "mx", "my", "mz", "fx", "fy", "fz")

#: `drives` and `position_limits` of `CheckTrajectoryStart` by these two names, lists
#: of `Drive` and `PositionLimits` as dicts, or a JSON file of the same.
Limits = Union[Mapping[str, Any], Path]


def add_limits(limits: Limits | None, start: pb.CheckTrajectoryStart,
               ) -> errors.FilePlace | None:
    """Returns the file. Raises InvalidArgument, FileError, OSError. The server checks
    names and numbers."""
    if limits is None:
        return None
    place: errors.FilePlace | None = None
    tree: Any = limits
    if isinstance(limits, (str, os.PathLike)):
        place = errors.FilePlace(str(limits))
        content = pathlib.Path(limits).read_bytes()
        if b"joint_limits:" in content:
            raise _problem(place, "this is a joint_limits.yaml of MoveIt, which is not "
                           "read")
        tree = trees.read_json(content, place, twice=Reason.INVALID_OPTION)
    if not isinstance(tree, Mapping):
        raise _problem(place, "no JSON object and no dict is given")
    read = pb.CheckTrajectoryStart()
    try:
        json_format.ParseDict(tree, read)
    except (json_format.ParseError, TypeError, AttributeError) as error:
        raise _problem(place, str(error)) from None
    if {field.name for field, _ in read.ListFields()} - {"drives", "position_limits"}:
        raise _problem(place, "only drives and position_limits are limits")
    start.MergeFrom(read)
    return place


def _problem(place: errors.FilePlace | None, problem: str) -> errors.TorquedError:
    message = f"{problem}; limits are written like {_FORM}"
    if place:
        return place.problem(message, reason=Reason.INVALID_OPTION)
    return errors.invalid(Reason.INVALID_OPTION, "limits", f"limits: {message}")


def add_wrench_profile(path: Path, start: pb.CheckTrajectoryStart) -> None:
    """Of a .csv or .npy file with time, mx, my, mz, fx, fy, fz. Raises FileError,
    OSError. The server checks times and numbers."""
    place = errors.FilePlace(str(path))
    with opened(pathlib.Path(path)) as (suffix, file):
        if suffix == ".npy":
            table = numpy_files.table_of(file, place)
        elif suffix == ".csv":
            csv = csv_table.parse(file, place)
            table = csv.numbers
            if csv.header:
                for name in _COLUMNS:
                    if csv.header.count(name) != 1:
                        raise place.problem(
                            f"the file has {csv.header.count(name)} columns {name!r}",
                            column=name, reason=Reason.MISSING_INPUT)
                table = table[:, [csv.header.index(name) for name in _COLUMNS]]
        else:
            raise place.problem("a wrench profile is CSV or NPY")
    if table.shape[1] != len(_COLUMNS) or not len(table):
        raise place.problem(
            f"a wrench profile has rows of {', '.join(_COLUMNS)}; this file has "
            f"{len(table)} rows of {table.shape[1]} numbers",
            reason=Reason.WRONG_COLUMN_COUNT)
    for time, *wrench in table.tolist():
        start.tip_wrench_profile.add(time=time, wrench=wrench)
