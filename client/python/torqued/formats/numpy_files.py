"""Trajectories as arrays of numpy: .npy and .npz."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from torqued.arrays import FloatArray
from torqued.enums import Reason
from torqued.errors import FilePlace
from torqued.formats.samples import Samples, Wanted, of_joints, split_plain

# Numbers from 0xd800 to 0xdfff, without their last 11 bits.
_SURROGATES = 0xd800 >> 11


def read_npy(path: pathlib.Path, wanted: Wanted, place: FilePlace) -> Samples:
    """One table, columns time, q or time, q, v, a."""
    return split_plain(table_of(path, place), wanted, place)


def table_of(path: pathlib.Path, place: FilePlace) -> FloatArray:
    """A .npy file with two axes."""
    loaded = _load(path, place)
    if not isinstance(loaded, np.ndarray):
        raise place.problem("is no .npy file")
    return _table("the array", loaded, place)


def read_npz(path: pathlib.Path, wanted: Wanted, place: FilePlace) -> Samples:
    """Arrays time, q and, if there are, v, a, tip_wrench and joint_names. q, v
    and a of one joint may have one axis, those of none any empty shape."""
    loaded = _load(path, place)
    if isinstance(loaded, np.ndarray):
        raise place.problem("is no .npz file")
    arrays = loaded
    for name in ("time", "q"):
        if name not in arrays:
            raise place.problem(f"has no array {name!r}", column=name,
                                reason=Reason.MISSING_INPUT)
    time = arrays.pop("time")
    if time.ndim == 1:
        time = time[:, np.newaxis]
    time = _table("time", time, place)
    if time.shape[1] != 1:
        raise place.problem(
            f"time has {time.shape[1]} columns; give one", column="time",
            reason=Reason.WRONG_COLUMN_COUNT)
    names = _names(arrays.pop("joint_names", None), place)
    joints = wanted.columns if names is None else names

    def table(name: str) -> FloatArray:
        numbers = arrays.pop(name)
        if joints is not None and len(joints) == 1 and numbers.ndim == 1:
            numbers = numbers[:, np.newaxis]
        if joints is not None and not joints and not numbers.size:
            numbers = np.empty((len(time), 0))
        return _table(name, numbers, place)

    q = table("q")
    v, a = (table(name) if wanted.rates and name in arrays else None
            for name in ("v", "a"))
    wrench = (_table("tip_wrench", arrays.pop("tip_wrench"), place)
              if "tip_wrench" in arrays else None)
    samples = Samples(joints, time[:, 0], q, v, a, wrench,
                      unused=tuple(arrays))
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
    return of_joints(samples, wanted.joints, place)


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


def _load(path: pathlib.Path, place: FilePlace,
          ) -> npt.NDArray[Any] | dict[str, npt.NDArray[Any]]:
    """Of .npz all arrays by name. Raises OSError where there is no file to
    read."""
    with path.open("rb") as file:
        try:
            # Pickled objects could run anything.
            loaded = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return loaded
            with loaded:
                # What is no array comes as bytes.
                return {name: np.asarray(loaded[name])
                        for name in loaded.files}
        except Exception as error:
            # Which exceptions a damaged file raises, numpy, zipfile and the
            # tokenizer of headers do not say; there are a dozen.
            raise place.problem(
                f"is no file of numpy: {error or type(error).__name__}"
            ) from None


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
    # numpy makes strings, which nothing can print, of numbers that are no
    # characters.
    native = names.astype(names.dtype.newbyteorder("="))
    codes = np.frombuffer(native.tobytes(), np.uint32)
    if ((codes > sys.maxunicode) | (codes >> 11 == _SURROGATES)).any():
        raise place.problem("joint_names has what are no characters",
                            column="joint_names",
                            reason=Reason.WRONG_JOINT_NAMES)
    return [str(name) for name in names]
