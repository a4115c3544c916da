"""What a call returns."""

from __future__ import annotations

import functools
import math
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from torqued import errors
from torqued.contract import (
    QUANTITIES, Echo, Precision, Quantity, Results, RowCode, RowStatus)
from torqued.errors import RowError, SingularTaskWarning
from torqued.message import view
from torqued.v1 import dynamics_pb2

# Rows that have numbers, by the singularity rule.
_ANSWERED = (RowCode.SINGULAR_TASK_SPACE, RowCode.WEAK_TASK_SPACE)


class Evaluation(Results):
    """All results of a call.

    Results are attributes, for what was asked for: `tau`, `mass_matrix`, `Lambda`, ...
    Each has the leading axes of the states, then the axes of one state.

    row_status: what is wrong with states that are not `ok`, all of them; rows count in
    row-major order.
    """

    def __init__(self, leading: "tuple[int, ...]",
                 results: "dict[str, npt.NDArray[Any]]",
                 row_status: "list[RowStatus]", echo: dynamics_pb2.Echo) -> None:
        self._leading = leading
        self.rows = math.prod(leading)
        self.row_status = row_status
        self._echo = echo
        #: Names of the results that there are.
        self.names = tuple(results)
        for name, numbers in results.items():
            setattr(self, name, numbers.reshape(leading + numbers.shape[1:])[()])

    def __getattr__(self, name: str) -> Any:
        # Only called for what is not there.
        if name in Results.__annotations__:
            raise AttributeError(f"{name} was not asked for; there are "
                                 + ", ".join(self.names))
        raise AttributeError(name)

    @functools.cached_property
    def ok(self) -> npt.NDArray[np.bool_]:
        """Whether a state has its results, with the leading axes of the states."""
        ok = np.ones(self.rows, np.bool_)
        ok[[status.row for status in self.row_status]] = False
        return ok.reshape(self._leading)

    @property
    def echo(self) -> Echo:
        """What was computed."""
        echo: Echo = view(self._echo)
        return echo

    @property
    def revision(self) -> str:
        return self.echo.revision

    @property
    def computed_precision(self) -> Precision:
        """The precision that computed; DOUBLE for robots of over 256 degrees of
        freedom, also if SINGLE was asked for."""
        return self.echo.computed_precision or self.echo.precision or Precision.DOUBLE

    def returned(self, quantity: Quantity) -> Any:
        """What the function of a quantity returns."""
        row = QUANTITIES[quantity]
        results = [getattr(self, result.name) if result.name in self.names else None
                   for result in row.results]
        return results[0] if row.returns is None else row.returns(*results)

    def raise_or_warn(self, bad_rows: Optional[str]) -> None:
        """As the option `bad_rows` says."""
        if not self.row_status or bad_rows == "nan":
            return
        for status in self.row_status:
            if status.code not in _ANSWERED:
                raise RowError(status)
        first = self.row_status[0]
        errors.warn(SingularTaskWarning(
            f"{len(self.row_status)} of {self.rows} rows follow the singularity rule; "
            f"the first is row {first.row}: {first.message}"))

    def __repr__(self) -> str:
        bad = len(self.row_status)
        return (f"<torqued.Evaluation of {self.rows} states: "
                f"{', '.join(self.names)}; {bad} not ok>")
