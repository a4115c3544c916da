"""Trajectories as arrays of numpy: .npy and .npz."""

from __future__ import annotations

import pathlib
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from torqued.arrays import FloatArray
from torqued.enums import Reason
from torqued.errors import FilePlace
from torqued.formats.samples import Samples, of_joints, split_plain

_NO_ARRAY = (ValueError, EOFError, KeyError, MemoryError, zipfile.BadZipFile,
             zlib.error, NotImplementedError)


def read_npy(path: pathlib.Path, joints: Sequence[str] | None,
             place: FilePlace) -> Samples:
    """One table, columns time, q or time, q, v, a."""
    return split_plain(table_of(path, place), joints, place)


def table_of(path: pathlib.Path, place: FilePlace) -> FloatArray:
    """A .npy file with two axes."""
    loaded = _load(path, place)
    if not isinstance(loaded, np.ndarray):
        raise place.problem("is no .npy file")
    return _table("the array", loaded, place)


def read_npz(path: pathlib.Path, joints: Sequence[str] | None,
             place: FilePlace) -> Samples:
    """Arrays time, q and, if there are, v, a, tip_wrench and joint_names."""
    loaded = _load(path, place)
    if isinstance(loaded, np.ndarray):
        raise place.problem("is no .npz file")
    with loaded:
        try:
            arrays = {name: loaded[name] for name in loaded.files}
        except _NO_ARRAY as error:
            raise place.problem(f"holds what is no array: {error}") from None
    for name in ("time", "q"):
        if name not in arrays:
            raise place.problem(f"has no array {name!r}", column=name,
                                reason=Reason.MISSING_INPUT)

    def table(name: str) -> FloatArray | None:
        return (_table(name, arrays.pop(name), place) if name in arrays
                else None)

    time = np.asarray(arrays.pop("time"))
    if time.ndim == 1:
        time = time[:, np.newaxis]
    time = _table("time", time, place)
    if time.shape[1] != 1:
        raise place.problem(
            f"time has {time.shape[1]} columns; give one", column="time",
            reason=Reason.WRONG_COLUMN_COUNT)
    names = _names(arrays.pop("joint_names", None), place)
    q = _table("q", arrays.pop("q"), place)
    samples = Samples(
        joints if names is None else names, time[:, 0], q, table("v"),
        table("a"), table("tip_wrench"), unused=tuple(arrays))
    if names is None:
        if joints is None:
            raise place.problem(
                "has no array 'joint_names'; say with `joints` which joints "
                "the columns are of, in their order", column="joint_names",
                reason=Reason.WRONG_JOINT_NAMES)
        return samples
    if q.shape[1] != len(names):
        raise place.problem(
            f"q has {q.shape[1]} columns for {len(names)} joint_names",
            column="q", reason=Reason.WRONG_COLUMN_COUNT)
    for name, numbers in (("v", samples.v), ("a", samples.a)):
        if numbers is not None and numbers.shape != q.shape:
            raise place.problem(
                f"{name} has the shape {numbers.shape}, q {q.shape}",
                column=name, reason=Reason.MALFORMED_ARRAY)
    return of_joints(samples, joints, place)


def write_npy(path: pathlib.Path, numbers: FloatArray) -> None:
    with path.open("wb") as file:
        np.save(file, np.ascontiguousarray(numbers), allow_pickle=False)


def write_npz(path: pathlib.Path, joints: Sequence[str] | None,
              time: FloatArray, blocks: Mapping[str, FloatArray]) -> None:
    arrays: dict[str, Any] = {"time": time, **blocks}
    if joints is not None:
        arrays["joint_names"] = np.array(joints, np.str_)
    with path.open("wb") as file:
        np.savez(file, **arrays)


def _load(path: pathlib.Path, place: FilePlace) -> Any:
    try:
        # Pickled objects could run anything.
        return np.load(path, allow_pickle=False)
    except _NO_ARRAY as error:
        raise place.problem(f"is no file of numpy: {error}") from None


def _table(name: str, numbers: npt.NDArray[Any],
           place: FilePlace) -> FloatArray:
    if numbers.ndim != 2:
        raise place.problem(
            f"{name} has {numbers.ndim} axes; give a row for each sample",
            column=name)
    if numbers.dtype.kind not in "fiu":
        raise place.problem(
            f"{name} has the type {numbers.dtype}, which are no real numbers",
            column=name)
    return np.ascontiguousarray(numbers, np.float64)


def _names(names: npt.NDArray[Any] | None,
           place: FilePlace) -> list[str] | None:
    if names is None:
        return None
    if names.ndim != 1 or names.dtype.kind != "U":
        raise place.problem("joint_names is no list of strings",
                            column="joint_names",
                            reason=Reason.WRONG_JOINT_NAMES)
    return [str(name) for name in names]
