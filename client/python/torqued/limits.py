"""Limits and drives of joints instead of the model's, and wrenches over time."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any, Union

from google.protobuf import json_format

from torqued import errors
from torqued.contract import Reason
from torqued.errors import file_error
from torqued.files import contents, read_columns, read_tree
from torqued.v1 import trajectory_pb2 as pb
from torqued.values import Path

_FORM = ('; limits are written like '
         '{"drives": [{"dof": "elbow_joint", "velocity_limit": 2, "effort_limit": 120}], '
         '"position_limits": [{"coordinate": "elbow_joint", "lower": -3, "upper": 3}]}')
_COLUMNS = ("time", "mx", "my", "mz", "fx", "fy", "fz")

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
    for time, *wrench in table.tolist():
        start.tip_wrench_profile.add(time=time, wrench=wrench)
