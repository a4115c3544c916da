"""Trajectories as arrays of numpy: .npy and .npz."""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from torqued.contract import Reason
from torqued.errors import FilePlace
from torqued.formats import Samples, Wanted, of_joints, split_plain
from torqued.values import FloatArray


def read_npy(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    """One table, columns time, q or time, q, v, a."""
    return split_plain(table_of(file, place), wanted, place)


def table_of(file: BinaryIO, place: FilePlace) -> Any:
    """Of a .npy file."""
    with _faults(place):
        # Pickled objects could run anything.
        table = np.load(file, allow_pickle=False)
    return _table("the array", table, place)


def read_npz(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    """Arrays time, q and, if there are, v, a, tip_wrench and joint_names; others are not
    even looked at. q, v and a of one joint may have one axis, as those of one sample,
    those of no joint any empty shape; a tip_wrench of one row is that of all samples."""
    with _faults(place):
        archive = np.load(file, allow_pickle=False)
    with archive:
        return _samples(archive, wanted, place)


def _samples(archive: Any, wanted: Wanted, place: FilePlace) -> Samples:
    unused = list(archive.files)
    for name in unused:
        if unused.count(name) > 1:
            raise place.problem(f"the file has the array {name!r} twice", column=name)

    def take(name: str, needed: bool = False) -> npt.NDArray[Any] | None:
        """Unpacked only when it is taken."""
        if name not in unused:
            if needed:
                raise place.problem(f"the file has no array {name!r}", column=name,
                                    reason=Reason.MISSING_INPUT)
            return None
        unused.remove(name)
        with _faults(place, name):
            # What is no array comes as bytes.
            return np.asarray(archive[name])

    time = _table("time", take("time", True), place, one_column=True)
    if time.shape[1] != 1:
        raise place.problem(f"time has {time.shape[1]} columns; give one", column="time",
                            reason=Reason.WRONG_COLUMN_COUNT)
    names = _names(take("joint_names"), place)
    joints = wanted.columns if names is None else names
    if joints is None:
        raise place.problem(
            "the file has no array 'joint_names'; name the joints of the columns, in "
            "their order, with `joints`", column="joint_names", reason=Reason.WRONG_JOINT_NAMES)

    one_joint = len(joints) == 1

    def block(name: str, needed: bool = False) -> Any:
        numbers = take(name, needed)
        if numbers is not None and not joints and not numbers.size:
            numbers = np.empty((len(time), 0))
        return _table(name, numbers, place, one_column=one_joint)

    q = block("q", needed=True)
    v, a = (block("v"), block("a")) if wanted.rates else (None, None)
    wrench = _table("tip_wrench", take("tip_wrench"), place)
    samples = Samples(joints, time[:, 0], q, v, a, wrench, unused=tuple(unused))
    if names is None:
        return samples
    for name, numbers in (("q", q), ("v", v), ("a", a)):
        if numbers is not None and numbers.shape != (len(q), len(names)):
            raise place.problem(
                f"{name} has the shape {numbers.shape}; {len(q)} samples of "
                f"{len(names)} joint_names have {(len(q), len(names))}",
                column=name, reason=Reason.WRONG_COLUMN_COUNT)
    return of_joints(samples, wanted.joints, place)


def write_npz(path: pathlib.Path, joints: Sequence[str] | None,
              time: FloatArray, blocks: Mapping[str, FloatArray]) -> None:
    arrays: dict[str, Any] = {"time": time, **blocks}
    if joints is not None:
        arrays["joint_names"] = np.array(joints, np.str_)
    with path.open("wb") as file:
        np.savez(file, **arrays)


@contextlib.contextmanager
def _faults(place: FilePlace, name: str = "") -> Iterator[None]:
    """Which exceptions a damaged file raises, numpy, zipfile and the tokenizer of headers
    do not say; there are a dozen."""
    try:
        yield
    except Exception as error:
        problem = str(error) or type(error).__name__
        if "allow_pickle" in problem:
            problem = "it holds objects of Python"
            if name == "joint_names":
                problem += "; save the names as np.array(names, dtype=str)"
        raise place.problem(f"numpy cannot read it: {problem}", column=name) from None


def _table(name: str, numbers: npt.NDArray[Any] | None, place: FilePlace,
           one_column: bool = False) -> Any:
    """One axis is one row; if there is one column, a row is that."""
    if numbers is None:
        return None
    if numbers.ndim == 1:
        numbers = numbers[np.newaxis]
    if one_column and numbers.ndim == 2 and len(numbers) == 1:
        numbers = numbers.T
    if numbers.ndim != 2:
        raise place.problem(
            f"{name} has {numbers.ndim} axes; give a row for each sample", column=name)
    # The larger floats would lose digits.
    if numbers.dtype.kind not in "fiu" or numbers.dtype.itemsize > 8:
        raise place.problem(
            f"{name} has the type {numbers.dtype}, which is not read as numbers; give "
            "float64", column=name)
    return np.ascontiguousarray(numbers, np.float64)


def _names(names: npt.NDArray[Any] | None, place: FilePlace) -> list[str] | None:
    if names is None:
        return None
    if names.ndim == 1 and names.dtype.kind in "US":
        # numpy makes strings of numbers that are no characters.
        with contextlib.suppress(UnicodeError, SystemError, ValueError):
            listed = [bytes(name).decode() if names.dtype.kind == "S" else str(name)
                      for name in names]
            "".join(listed).encode().decode()
            return listed
    raise place.problem(
        "joint_names is no list of strings; save it as np.array(names, dtype=str)",
        column="joint_names", reason=Reason.WRONG_JOINT_NAMES)
