"""What a call returns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt

from torqued import errors
from torqued.contract import (
    QUANTITIES, Echo, Precision, Quantity, Results, RowCode, RowStatus)
from torqued.errors import RowError, SingularTaskWarning
from torqued.inputs import received
from torqued.message import view
from torqued.values import ResultRow
from torqued.v1 import dynamics_pb2

if TYPE_CHECKING:
    from torqued.batch import Plan


# Rows that have numbers, by the singularity rule.
_ANSWERED = (RowCode.SINGULAR_TASK_SPACE, RowCode.WEAK_TASK_SPACE)


class Evaluation(Results):
    """All results of a call.

    Results are attributes, for what was asked for: `tau`, `mass_matrix`, `Lambda`, ...
    Each has the leading axes of the states, then the axes of one state.

    ok: whether a state has its results, with the leading axes of the states.
    row_status: what is wrong with those that are not ok, all of them; rows count in
    row-major order.
    """

    def __init__(self, leading: "tuple[int, ...]",
                 results: "dict[str, npt.NDArray[Any]]",
                 row_status: "list[RowStatus]", echo: dynamics_pb2.Echo) -> None:
        self.rows = math.prod(leading)
        self.row_status = row_status
        self._echo = echo
        ok = np.ones(self.rows, np.bool_)
        for status in row_status:
            ok[status.row] = False
        self.ok = ok.reshape(leading)
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


class Collector:
    """Gathers the replies of a batch, in order, into one Evaluation."""

    def __init__(self, plan: Plan, rows: int) -> None:
        self._plan = plan
        self._results: dict[str, npt.NDArray[Any]] = {}
        self._row_status: list[RowStatus] = []
        self._echo: dynamics_pb2.Echo | None = None
        self.rows = rows

    def add(self, first: int, rows: int, reply: dynamics_pb2.ComputeReply) -> None:
        """`rows` states from `first` on. Raises InternalError for a reply that
        breaks the contract."""
        results = reply.results
        self._echo = self._echo or reply.echo
        for quantity in self._plan.quantities:
            for row in QUANTITIES[quantity].results:
                if row.is_array:
                    self._add_array(row, first, rows, results)
                elif row.field != "sigma_min" or results.sigma_min:
                    self._add_numbers(row, first, rows, getattr(results, row.field))
        for message in reply.row_status:
            message.row += first
            self._row_status.append(view(message))

    def evaluation(self) -> Evaluation:
        """Without rows if the plan has none."""
        rows = self._plan.states.rows
        return Evaluation(
            self._plan.states.leading,
            {name: numbers[:rows] for name, numbers in self._results.items()},
            self._row_status[:rows and None], self._echo or dynamics_pb2.Echo())

    def _whole(self, name: str, axes: "tuple[int, ...]", kind: Any) -> Any:
        """All rows of a result."""
        if name not in self._results:
            self._results[name] = np.zeros((self.rows, *axes), kind)
        return self._results[name]

    def _add_array(self, row: ResultRow, first: int, rows: int,
                   results: dynamics_pb2.Results) -> None:
        axes = row.shape(self._plan.sizes)
        kind = self._plan.states.dtype
        numbers = received(getattr(results, row.field), math.prod(axes), rows, row.field,
                           kind).reshape(rows, *axes)
        if row.field == "pose":
            # (R p) becomes the homogeneous matrix. A row without an answer has none.
            part = self._whole(row.name, (4, 4), kind)[first:first + rows]
            part[:, :3] = numbers
            part[:, 3, 3] = 1
            part[np.isnan(numbers[:, 0, 0])] = np.nan
        elif first == 0 and rows == self.rows:
            self._results[row.name] = numbers.copy()
        else:
            self._whole(row.name, axes, kind)[first:first + rows] = numbers

    def _add_numbers(self, row: ResultRow, first: int, rows: int, numbers: Any) -> None:
        if len(numbers) != rows:
            raise errors.make(
                "INTERNAL", f"the reply has {len(numbers)} of {row.field} for "
                f"{rows} rows")
        kind = np.float64 if row.field == "sigma_min" else np.int64
        self._whole(row.name, (), kind)[first:first + rows] = numbers
