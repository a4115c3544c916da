"""What all containers of trajectories have in common."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np

from torqued.contract import Reason
from torqued.errors import FilePlace
from torqued.values import FloatArray

#: Suffixes that have a container.
SUFFIXES = (".csv", ".npy", ".npz", ".yaml", ".yml", ".json")


@contextlib.contextmanager
def opened(path: pathlib.Path) -> Iterator[tuple[str, BinaryIO]]:
    """The suffix of the container, and the file from its beginning. Raises OSError.

    By the first bytes if numpy wrote it, else by the name; a text that is called neither
    YAML nor JSON is JSON if it begins with a brace, YAML if a line begins with
    joint_names, which none of CSV does, and CSV otherwise.
    """
    with path.open("rb") as file:
        begin = file.read(6)
        numpys = {b"\x93NUM": ".npy", b"PK\x03\x04": ".npz", b"PK\x05\x06": ".npz"}
        if begin[:4] in numpys:
            file.seek(0)
            yield numpys[begin[:4]], file
            return
        content = begin + file.read()
    suffix = path.suffix.lower()
    if suffix not in (".yaml", ".yml", ".json"):
        suffix = ".json" if content.lstrip(b" \t\r\n").startswith(b"{") else (
            ".yaml" if re.search(rb"^ *joint_names:", content, re.MULTILINE) else ".csv")
    yield suffix, io.BytesIO(content)


class Wanted(NamedTuple):
    """What a reader is to take from a file.

    joints: of the joints that have names, these only, in this order; None: all.
    columns: what columns without names are; None: such are refused.
    rates: whether v and a are read.
    """

    joints: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    rates: bool = True


class Samples(NamedTuple):
    """As a file has them; nothing is looked at but its form.

    joints: None if the file does not name them. lines: of the rows, from 1, for a text
    with a line for each. unused: names of what else is in the file; others: of its
    joints that are not among `joints`.
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
            "the columns have no names; say with `joints` which joints they are of, in "
            "their order", reason=Reason.WRONG_JOINT_NAMES)
    n, columns = len(joints), numbers.shape[1]
    if columns not in (1 + n, 1 + 3 * n):
        raise place.problem(
            f"there are {columns} columns; {n} joints have {1 + n} with time and q, or "
            f"{1 + 3 * n} with time, q, v and a", reason=Reason.WRONG_COLUMN_COUNT)
    blocks = [numbers[:, k:k + n].copy("C") for k in range(1, columns, n)] if n else [
        numbers[:, 1:].copy()] * 3
    v, a = blocks[1:] if wanted.rates and len(blocks) == 3 else (None, None)
    return Samples(joints, numbers[:, 0].copy(), blocks[0], v, a, lines=lines)


def chosen(present: Sequence[str], joints: Sequence[str] | None,
           place: FilePlace) -> tuple[list[int], tuple[str, ...]]:
    """Columns of `joints` (None: all that are present), and the names of the others."""
    names = list(present)
    for joint in names:
        if names.count(joint) > 1:
            raise place.problem(f"the joint {joint!r} is there twice", joint=joint,
                                reason=Reason.WRONG_JOINT_NAMES)
    for joint in joints or ():
        if joint not in names:
            raise place.problem(
                f"there is no joint {joint!r}; there are {', '.join(names)}",
                joint=joint, reason=Reason.WRONG_JOINT_NAMES)
    wanted = names if joints is None else joints
    return [names.index(joint) for joint in wanted], tuple(
        name for name in names if name not in wanted)


def of_joints(samples: Samples, joints: Sequence[str] | None,
              place: FilePlace) -> Samples:
    """Of `joints` only, in their order; samples whose joints have names."""
    assert samples.joints is not None
    columns, others = chosen(samples.joints, joints, place)
    if joints is None:
        return samples
    q, v, a = (None if numbers is None else np.ascontiguousarray(numbers[:, columns])
               for numbers in (samples.q, samples.v, samples.a))
    assert q is not None
    return samples._replace(joints=joints, q=q, v=v, a=a,
                            unused=samples.unused + others, others=others)
