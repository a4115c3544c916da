"""What all containers of trajectories have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from torqued.values import FloatArray
from torqued.contract import Reason
from torqued.errors import FilePlace


class Wanted(NamedTuple):
    """What a reader is to take from a file.

    joints: of the joints that have names, these only, in this order; None: all.
    columns: what columns without names are; None: such are refused.
    rates: whether v and a are read; otherwise they are left out like all that
        nobody asked for.
    """

    joints: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    rates: bool = True


class Samples(NamedTuple):
    """As a file has them; nothing is looked at but its form.

    joints: None where the file does not name them. lines: of the rows, from 1,
    for a text with a line for each. unused: names of what else is in the file;
    others: of its joints that are not among `joints`.
    """

    joints: Sequence[str] | None
    time: FloatArray
    q: FloatArray
    v: FloatArray | None = None
    a: FloatArray | None = None
    tip_wrench: FloatArray | None = None
    lines: Sequence[int] | None = None
    unused: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def split_plain(numbers: FloatArray, wanted: Wanted, place: FilePlace,
                lines: Sequence[int] | None = None) -> Samples:
    """Columns without names: time, q, or time, q, v, a, in the order of
    `wanted.columns`."""
    joints = wanted.columns
    if joints is None:
        raise place.problem(
            "the columns have no names; say with `joints` which joints they "
            "are of, in their order", reason=Reason.WRONG_JOINT_NAMES)
    n, columns = len(joints), numbers.shape[1]
    if columns not in (1 + n, 1 + 3 * n):
        raise place.problem(
            f"there are {columns} columns; {n} joints have {1 + n} with time "
            f"and q, or {1 + 3 * n} with time, q, v and a",
            reason=Reason.WRONG_COLUMN_COUNT)
    q, v, a = (np.ascontiguousarray(numbers[:, 1 + k * n:1 + (k + 1) * n])
               for k in range(3))
    has_rates = columns == 1 + 3 * n and wanted.rates
    return Samples(joints, numbers[:, 0].copy(), q, v if has_rates else None,
                   a if has_rates else None, lines=lines)


def chosen(present: Sequence[str], joints: Sequence[str] | None,
           place: FilePlace) -> tuple[list[int], tuple[str, ...]]:
    """Columns of `joints` (None: all that are present), and the names of the
    others."""
    repeated = {name for name in present if list(present).count(name) > 1}
    if repeated:
        joint = min(repeated)
        raise place.problem(f"has the joint {joint!r} twice", joint=joint,
                            reason=Reason.WRONG_JOINT_NAMES)
    if joints is None:
        return list(range(len(present))), ()
    for joint in joints:
        if joint not in present:
            raise place.problem(
                f"lacks the joint {joint!r}; there are {', '.join(present)}",
                joint=joint, reason=Reason.WRONG_JOINT_NAMES)
    return [list(present).index(joint) for joint in joints], tuple(
        name for name in present if name not in joints)


def of_joints(samples: Samples, joints: Sequence[str] | None,
              place: FilePlace) -> Samples:
    """Of `joints` only, in their order; samples whose joints have names."""
    assert samples.joints is not None
    columns, others = chosen(samples.joints, joints, place)
    if joints is None:
        return samples

    def taken(numbers: FloatArray | None) -> FloatArray | None:
        return None if numbers is None else np.ascontiguousarray(
            numbers[:, columns])

    return samples._replace(
        joints=joints, q=np.ascontiguousarray(samples.q[:, columns]),
        v=taken(samples.v), a=taken(samples.a),
        unused=samples.unused + others, others=others)
