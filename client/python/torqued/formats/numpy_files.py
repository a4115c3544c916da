"""Trajectories as arrays of numpy: .npy and .npz."""

from __future__ import annotations

import contextlib
import pathlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from torqued import errors
from torqued.values import FloatArray
from torqued.contract import Reason
from torqued.errors import FilePlace
from torqued.formats.samples import Samples, Wanted, of_joints, split_plain

# Numbers from 0xd800 to 0xdfff, without their last 11 bits.
_SURROGATES = 0xd800 >> 11


def read_npy(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    """One table, columns time, q or time, q, v, a."""
    return split_plain(table_of(file, place), wanted, place)


def table_of(file: BinaryIO, place: FilePlace) -> FloatArray:
    """A .npy file with two axes."""
    with _loaded(file, place) as loaded:
        if not isinstance(loaded, np.ndarray):
            raise place.problem("is no .npy file")
        return _table("the array", loaded, place)


def read_npz(file: BinaryIO, wanted: Wanted, place: FilePlace) -> Samples:
    """Arrays time, q and, if there are, v, a, tip_wrench and joint_names;
    others are not even looked at. q, v and a of one joint may have one axis, as
    those of one sample, those of no joint any empty shape; a tip_wrench of one
    row is that of all samples."""
    with _loaded(file, place) as loaded:
        if isinstance(loaded, np.ndarray):
            raise place.problem("is no .npz file")
        return _samples(_Arrays(loaded, place), wanted, place)


class _Arrays:
    """Those of an archive, each unpacked when it is taken."""

    def __init__(self, archive: Any, place: FilePlace) -> None:
        self._archive, self._place = archive, place
        self._names = list(archive.files)
        for name in self._names:
            if self._names.count(name) > 1:
                raise place.problem(f"has the array {name!r} twice",
                                    column=name)

    @property
    def left(self) -> tuple[str, ...]:
        return tuple(self._names)

    def take(self, name: str) -> npt.NDArray[Any] | None:
        """None where there is none."""
        if name not in self._names:
            return None
        self._names.remove(name)
        try:
            # What is no array comes as bytes.
            return np.asarray(self._archive[name])
        except Exception as error:
            raise _no_file(error, self._place, name) from None

    def need(self, name: str) -> npt.NDArray[Any]:
        array = self.take(name)
        if array is None:
            raise self._place.problem(f"has no array {name!r}", column=name,
                                      reason=Reason.MISSING_INPUT)
        return array


def _samples(arrays: _Arrays, wanted: Wanted, place: FilePlace) -> Samples:
    time = _table("time", _rows(arrays.need("time"), one_column=True), place)
    if time.shape[1] != 1:
        raise place.problem(
            f"time has {time.shape[1]} columns; give one", column="time",
            reason=Reason.WRONG_COLUMN_COUNT)
    names = _names(arrays.take("joint_names"), place)
    joints = wanted.columns if names is None else names
    one_joint = joints is not None and len(joints) == 1

    def block(name: str, numbers: npt.NDArray[Any]) -> FloatArray:
        numbers = _rows(numbers, one_column=one_joint)
        if joints is not None and not joints and not numbers.size:
            numbers = np.empty((len(time), 0))
        return _table(name, numbers, place)

    def rates(name: str) -> FloatArray | None:
        numbers = arrays.take(name) if wanted.rates else None
        return None if numbers is None else block(name, numbers)

    q, v, a = block("q", arrays.need("q")), rates("v"), rates("a")
    wrench = arrays.take("tip_wrench")
    samples = Samples(
        joints, time[:, 0], q, v, a, None if wrench is None else _table(
            "tip_wrench", _rows(wrench), place), unused=arrays.left)
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


@contextlib.contextmanager
def _loaded(file: BinaryIO, place: FilePlace) -> Iterator[Any]:
    """An array, or the archive of a .npz file, open as long as the context."""
    try:
        # Pickled objects could run anything.
        loaded = np.load(file, allow_pickle=False)
    except Exception as error:
        raise _no_file(error, place) from None
    if isinstance(loaded, np.ndarray):
        yield loaded
    else:
        with loaded:
            yield loaded


def _no_file(error: Exception, place: FilePlace,
             name: str = "") -> errors.FileError:
    """Which exceptions a damaged file raises, numpy, zipfile and the tokenizer
    of headers do not say; there are a dozen."""
    problem = str(error) or type(error).__name__
    if "allow_pickle" in problem:
        problem = "it holds objects of Python"
        if name == "joint_names":
            problem += "; save the names as np.array(names, dtype=str)"
    return place.problem(f"is no file of numpy: {problem}", column=name)


def _rows(numbers: npt.NDArray[Any],
          one_column: bool = False) -> npt.NDArray[Any]:
    """One axis is one row; where there is one column, a row is that."""
    if numbers.ndim == 1:
        numbers = numbers[np.newaxis]
    if one_column and numbers.ndim == 2 and len(numbers) == 1:
        numbers = numbers.T
    return numbers


def _table(name: str, numbers: npt.NDArray[Any],
           place: FilePlace) -> FloatArray:
    if numbers.ndim != 2:
        raise place.problem(
            f"{name} has {numbers.ndim} axes; give a row for each sample",
            column=name)
    # The larger floats would lose digits.
    if numbers.dtype.kind not in "fiu" or numbers.dtype.itemsize > 8:
        raise place.problem(
            f"{name} has the type {numbers.dtype}, which are not read as numbers; give float64",
            column=name)
    return np.ascontiguousarray(numbers, np.float64)


def _names(names: npt.NDArray[Any] | None,
           place: FilePlace) -> list[str] | None:
    if names is None:
        return None
    if names.ndim != 1 or names.dtype.kind not in "US":
        raise place.problem(
            "joint_names is no list of strings; save it as np.array(names, "
            "dtype=str)", column="joint_names",
            reason=Reason.WRONG_JOINT_NAMES)
    if names.dtype.kind == "S":
        return _of_bytes(names, place)
    # numpy makes strings, which nothing can print, of numbers that are no
    # characters.
    native = names.astype(names.dtype.newbyteorder("="))
    codes = np.frombuffer(native.tobytes(), np.uint32)
    if ((codes > sys.maxunicode) | (codes >> 11 == _SURROGATES)).any():
        raise place.problem("joint_names has what are no characters",
                            column="joint_names",
                            reason=Reason.WRONG_JOINT_NAMES)
    return [str(name) for name in names]


def _of_bytes(names: npt.NDArray[Any], place: FilePlace) -> list[str]:
    try:
        return [bytes(name).decode("utf-8") for name in names]
    except UnicodeDecodeError:
        raise place.problem("joint_names has bytes that are no UTF-8",
                            column="joint_names",
                            reason=Reason.WRONG_JOINT_NAMES) from None
