"""Wrenches of the tip over time, from a file."""

from __future__ import annotations

import pathlib

import numpy as np

from torqued import errors
from torqued.values import FloatArray, Path
from torqued.contract import Reason
from torqued.formats import container, csv_table, numpy_files

_COLUMNS = ("time", "mx", "my", "mz", "fx", "fy", "fz")


class WrenchProfile:
    """A .csv or .npy file with time, mx, my, mz, fx, fy, fz.

    table: its rows, columns in this order. Raises FileError, OSError.
    """

    def __init__(self, path: Path) -> None:
        path = pathlib.Path(path)
        place = self._place = errors.FilePlace(str(path))
        table, lines = _read(path, place)
        if table.shape[1] != len(_COLUMNS):
            raise place.problem(
                f"has {table.shape[1]} columns, not {', '.join(_COLUMNS)}",
                reason=Reason.WRONG_COLUMN_COUNT)
        if not len(table):
            raise place.problem("has no rows", reason=Reason.MISSING_INPUT)
        at = table[:, 0]
        for row, column in np.argwhere(~np.isfinite(table))[:1].tolist():
            raise place.problem(
                f"{table[row, column]} is not a finite number",
                reason=Reason.INVALID_SAMPLE, row=row, column=_COLUMNS[column],
                line=lines[row] if lines else None)
        for row in (np.flatnonzero(np.diff(at) <= 0) + 1)[:1].tolist():
            raise place.problem(
                f"times must increase; {at[row]} s is not after {at[row - 1]} s",
                reason=Reason.INVALID_SAMPLE, row=row, column="time",
                line=lines[row] if lines else None)
        self.table = table

    def at(self, time: FloatArray) -> FloatArray:
        """(N, 6), with straight lines between the rows. Raises FileError where
        a time is outside those of the file."""
        at, wrench = self.table[:, 0], self.table[:, 1:]
        for sample in np.flatnonzero((time < at[0]) | (time > at[-1]))[:1]:
            raise self._place.problem(
                f"goes from {at[0]} s to {at[-1]} s; sample {sample} is at "
                f"{time[sample]} s", reason=Reason.INVALID_OPTION)
        right = np.searchsorted(at, time)
        left = np.maximum(right - 1, 0)
        # At a row of the file it is that row.
        width = np.where(at[right] == time, 1, at[right] - at[left])
        share = np.where(at[right] == time, 1, (time - at[left]) / width)
        share = share[:, np.newaxis]
        return (1 - share) * wrench[left] + share * wrench[right]


def _read(path: pathlib.Path, place: errors.FilePlace,
          ) -> tuple[FloatArray, list[int]]:
    """Columns in their order, and the lines of the rows where there are."""
    with container.opened(path) as (suffix, file):
        if suffix == ".npy":
            return numpy_files.table_of(file, place), []
        if suffix != ".csv":
            raise place.problem("is neither CSV nor NPY")
        table = csv_table.parse(file, place)
    if not table.header:
        return table.numbers, table.lines
    for name in _COLUMNS:
        if table.header.count(name) != 1:
            raise place.problem(
                f"has {'two columns' if name in table.header else 'no column'} "
                f"{name!r}", column=name, reason=Reason.MISSING_INPUT)
    return table.numbers[:, [
        table.header.index(name) for name in _COLUMNS]], table.lines
