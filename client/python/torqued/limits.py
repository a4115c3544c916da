"""Limits and drives of joints in the place of the model's, and wrenches over time."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any, Union

from google.protobuf import json_format

from torqued import errors
from torqued.contract import Reason
from torqued.files import opened, read_csv, read_npy
from torqued.trees import read_tree
from torqued.v1 import trajectory_pb2 as pb
from torqued.values import Path

_FORM = ('; limits are written like '
         '{"drives": [{"dof": "elbow_joint", "velocity_limit": 2, "effort_limit": 120}], '
         '"position_limits": [{"coordinate": "elbow_joint", "lower": -3, "upper": 3}]}')
_COLUMNS = ("time", "mx", "my", "mz", "fx", "fy", "fz")

#: `drives` and `position_limits` of `CheckTrajectoryStart` by these two names, lists
#: of `Drive` and `PositionLimits` as dicts, or a JSON file of the same.
Limits = Union[Mapping[str, Any], Path]


def add_limits(limits: Limits, start: pb.CheckTrajectoryStart) -> errors.FilePlace | None:
    """Returns the file. Raises InvalidArgument, FileError, OSError. The server checks
    names and numbers."""
    place: errors.FilePlace | None = None
    tree: Any = limits
    if isinstance(limits, (str, os.PathLike)):
        place = errors.FilePlace(str(limits))
        try:
            tree = read_tree("JSON", pathlib.Path(limits).read_bytes(), place)
        except errors.FileError as error:
            error.message += _FORM
            raise
    read = pb.CheckTrajectoryStart()
    try:
        if not isinstance(tree, Mapping):
            raise TypeError("no JSON object and no dict is given")
        json_format.ParseDict(tree, read)
        if {field.name for field, _ in read.ListFields()} - {"drives", "position_limits"}:
            raise TypeError("only drives and position_limits are limits")
    except (json_format.ParseError, TypeError, AttributeError) as error:
        message = f"{error}{_FORM}"
        if place:
            raise place.problem(message, reason=Reason.INVALID_OPTION) from None
        raise errors.invalid(Reason.INVALID_OPTION, "limits",
                             f"limits: {message}") from None
    start.MergeFrom(read)
    return place


def add_wrench_profile(path: Path, start: pb.CheckTrajectoryStart) -> errors.FilePlace:
    """Returns the file, .csv or .npy with time, mx, my, mz, fx, fy, fz. Raises FileError,
    OSError. The server checks times and numbers."""
    place = errors.FilePlace(str(path))
    header: list[str] = []
    with opened(path) as (suffix, file):
        if suffix == ".npy":
            table = read_npy(file, place)
        elif suffix == ".csv":
            header, table, _ = read_csv(file, place)
        else:
            raise place.problem("a wrench profile is CSV or NPY")
    if header and set(_COLUMNS) <= set(header) and len(set(header)) == len(header):
        table = table[:, [header.index(name) for name in _COLUMNS]]
    elif header or table.shape[1] != len(_COLUMNS) or not len(table):
        raise place.problem(
            f"a wrench profile has the columns {', '.join(_COLUMNS)}, each once; this "
            f"file has {', '.join(header) or f'{len(table)} rows of {table.shape[1]}'}",
            reason=Reason.WRONG_COLUMN_COUNT)
    for time, *wrench in table.tolist():
        start.tip_wrench_profile.add(time=time, wrench=wrench)
    return place
