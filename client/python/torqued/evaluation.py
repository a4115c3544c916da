"""What a call returns."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from torqued import errors
from torqued.arrays import FloatArray, received
from torqued.enums import (
    Precision, Quantity, ReferenceFrame, RowCode, Validation)
from torqued.errors import (
    BadRowsWarning, RowError, RowStatus, SingularTaskWarning,
    WeakTaskWarning)
from torqued.model import known
from torqued.options import OnBadRow
from torqued.quantities import ARRAYS, ResultShape
from torqued.v1 import dynamics_pb2


class OperationalSpace(NamedTuple):
    """force = Lambda (task acceleration) + eta, with m axes of the task.

    Lambda: (m, m), symmetric. eta: (m,). rank: of the scaled task Jacobian.
    rule: which rule Lambda follows. sigma_min: the smallest singular value of
    the scaled task Jacobian, None unless it was asked for. A batch has one
    more axis in front; `rule` is then an array of `TaskRule` numbers.
    """

    Lambda: FloatArray
    eta: FloatArray
    rank: npt.NDArray[np.int64]
    rule: npt.NDArray[np.int64]
    sigma_min: FloatArray | None


class TaskProjection(NamedTuple):
    """mobility W (m, m); consistent_inverse Jbar (n, m); null_space_projector N
    (n, n)."""

    mobility: FloatArray
    consistent_inverse: FloatArray
    null_space_projector: FloatArray


class Energy(NamedTuple):
    """J."""

    kinetic: FloatArray
    potential: FloatArray


class CenterOfMass(NamedTuple):
    """position (3,), m, and velocity (3,), m/s, in base axes."""

    position: FloatArray
    velocity: FloatArray


class FrameAcceleration(NamedTuple):
    """(6,) each, angular first; `classical` has the second derivative of the
    origin's position as linear half."""

    spatial: FloatArray
    classical: FloatArray


class InverseDynamicsDerivatives(NamedTuple):
    """(n, n) each: entry (i, j) is dtau_i/dq_j."""

    dtau_dq: FloatArray
    dtau_dv: FloatArray


class ForwardDynamicsDerivatives(NamedTuple):
    """(n, n) each; da_dtau is the inverse of M."""

    da_dq: FloatArray
    da_dv: FloatArray
    da_dtau: FloatArray


class PowerBalance(NamedTuple):
    """W: the rates of the energies, and the powers that sum up to the same."""

    kinetic_rate: FloatArray
    potential_rate: FloatArray
    actuators: FloatArray
    viscous: FloatArray
    coulomb: FloatArray
    tip_wrench: FloatArray
    external: FloatArray
    base: FloatArray


@dataclasses.dataclass(frozen=True)
class Handover:
    """From this row on another kind of server computed, after the one before
    went away: numbers differ by rounding."""

    row: int
    target: str
    server_version: str


class Evaluation:
    """All results of a call.

    Results are attributes under the names of docs/quantities.md (`tau`,
    `mass_matrix`, `jacobian`, `Lambda`, `eta`, ...), for what was asked for.
    One state has them without a leading axis, a batch of N states with [N,
    ...]. Matrices are matrices; `pose` is the 4 x 4 homogeneous matrix with
    x_base = pose x_tip; `christoffel` is (n, n, n), `regressor` (n, 10 n),
    `link_twists`, `link_accelerations` and `joint_wrenches` (n, 6).

    ok: one bool per state, always an array of N (one for a single state).
    row_status: what is wrong with those that are not, all of them.
    handovers: see Handover.
    """

    tau: FloatArray
    mass_matrix: FloatArray
    a: FloatArray
    bias: FloatArray
    pose: FloatArray
    jacobian: FloatArray
    jacobian_drift: FloatArray
    Lambda: FloatArray
    eta: FloatArray
    rank: npt.NDArray[np.int64]
    rule: npt.NDArray[np.int64]
    sigma_min: FloatArray
    gravity: FloatArray
    coriolis: FloatArray
    coriolis_matrix: FloatArray
    christoffel: FloatArray
    mass_matrix_rate: FloatArray
    mass_matrix_inverse: FloatArray
    kinetic_energy: FloatArray
    potential_energy: FloatArray
    center_of_mass: FloatArray
    center_of_mass_velocity: FloatArray
    momentum: FloatArray
    momentum_matrix: FloatArray
    link_twists: FloatArray
    link_accelerations: FloatArray
    frame_velocity: FloatArray
    frame_acceleration: FloatArray
    frame_acceleration_classical: FloatArray
    jacobian_rate: FloatArray
    joint_wrenches: FloatArray
    base_wrench: FloatArray
    regressor: FloatArray
    dtau_dq: FloatArray
    dtau_dv: FloatArray
    da_dq: FloatArray
    da_dv: FloatArray
    da_dtau: FloatArray
    mobility: FloatArray
    consistent_inverse: FloatArray
    null_space_projector: FloatArray
    forward_frame_acceleration: FloatArray
    task_torque: FloatArray
    power_balance: FloatArray

    def __init__(self, rows: int, single: bool,
                 results: dict[str, npt.NDArray[Any]],
                 row_status: list[RowStatus], echo: dynamics_pb2.Echo,
                 handovers: list[Handover]) -> None:
        self.rows = rows
        self.single = single
        self.row_status = row_status
        self.handovers = handovers
        self.echo = echo
        self.ok = np.ones(rows, np.bool_)
        for status in row_status:
            self.ok[status.row] = False
        #: Names of the results that there are.
        self.names = tuple(results)
        for name, numbers in results.items():
            setattr(self, name, numbers[0] if single else numbers)

    def __getattr__(self, name: str) -> Any:
        # Only called for what is not there.
        if name in Evaluation.__annotations__:
            raise AttributeError(f"{name} was not asked for; there are "
                                 + ", ".join(self.names))
        raise AttributeError(name)

    @property
    def model(self) -> str:
        """The model's name as referenced; "" for @revision."""
        return self.echo.model

    @property
    def revision(self) -> str:
        return self.echo.revision

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Order of all joint-sized axes."""
        return tuple(self.echo.joint_names)

    @property
    def tip_frame(self) -> str:
        """"" where no quantity and no wrench uses one."""
        return self.echo.tip_frame

    @property
    def reference_frame(self) -> ReferenceFrame:
        return ReferenceFrame(self.echo.reference_frame or 1)

    @property
    def validation(self) -> Validation:
        """Of the model, as registered."""
        return known(Validation, self.echo.validation, Validation.DEFAULT)

    @property
    def computed_precision(self) -> Precision:
        """The precision that computed; DOUBLE for robots of over 256 degrees of
        freedom, also if SINGLE was asked for."""
        number = self.echo.computed_precision or self.echo.precision
        return known(Precision, number, Precision.DOUBLE)

    @property
    def target(self) -> str:
        """Instruction set that computed this."""
        return self.echo.target

    @property
    def operational_space(self) -> OperationalSpace:
        sigma_min = self.sigma_min if "sigma_min" in self.names else None
        return OperationalSpace(
            self.Lambda, self.eta, self.rank, self.rule, sigma_min)

    def without_rows(self) -> Evaluation:
        """The same of no states."""
        return Evaluation(
            0, False, {name: getattr(self, name)[:0] for name in self.names},
            [], self.echo, [])

    def raise_or_warn(self, on_bad_row: OnBadRow | None,
                      stacklevel: int) -> None:
        """As `Options.on_bad_row` wants it; None: for plain arrays."""
        if not self.row_status or on_bad_row == "mask":
            return
        unanswered = [s for s in self.row_status if not s.has_answer]
        if on_bad_row == "raise":
            raise RowError(self.row_status[0])
        if on_bad_row is None and self.single and unanswered:
            raise RowError(unanswered[0])
        if unanswered:
            first = unanswered[0]
            warnings.warn(BadRowsWarning(
                f"{len(unanswered)} of {self.rows} rows have no answer and are "
                f"NaN; the first is row {first.row}: {first.message}"),
                stacklevel=stacklevel + 1)
        for code, warning, said in (
                (RowCode.SINGULAR_TASK_SPACE, SingularTaskWarning,
                 "follow the singularity rule"),
                (RowCode.WEAK_TASK_SPACE, WeakTaskWarning,
                 "have a task that hardly moves")):
            those = [s for s in self.row_status if s.code is code]
            if those:
                warnings.warn(warning(
                    f"{len(those)} of {self.rows} rows {said}; the first is "
                    f"row {those[0].row}: {those[0].message}"),
                    stacklevel=stacklevel + 1)

    def __repr__(self) -> str:
        bad = self.rows - int(self.ok.sum())
        return (f"<torqued.Evaluation of {self.rows} states: "
                f"{', '.join(self.names)}; {bad} not ok>")


def status_of(message: dynamics_pb2.RowStatus) -> RowStatus:
    return RowStatus(
        message.row, RowCode(message.code), errors.in_keywords(message.field),
        message.joint, message.value, errors.in_keywords(message.message))


class Collector:
    """Gathers the replies of a batch, in order, into one Evaluation."""

    def __init__(self, quantities: tuple[Quantity, ...], n: int, m: int,
                 rows: int, single: bool, sigma_min: bool) -> None:
        self._shapes = [shape for quantity in quantities
                        for shape in ARRAYS[quantity]]
        self._task = Quantity.OPERATIONAL_SPACE in quantities
        self._sigma_min = self._task and sigma_min
        self._n, self._m = n, m
        self._single = single
        self._results: dict[str, npt.NDArray[Any]] = {}
        self._row_status: list[RowStatus] = []
        self._handovers: list[Handover] = []
        self._echo: dynamics_pb2.Echo | None = None
        self.rows = rows

    def add(self, first: int, rows: int, results: dynamics_pb2.Results,
            row_status: Any, first_of_stream: int = 0) -> None:
        """`rows` states from `first` on. Raises InternalError for a reply that
        breaks the contract."""
        for shape in self._shapes:
            self._add_array(shape, first, rows, results)
        if self._task:
            self._add_numbers("rank", first, rows, results.rank, np.int64)
            self._add_numbers("rule", first, rows, results.rule, np.int64)
        if self._sigma_min:
            self._add_numbers(
                "sigma_min", first, rows, results.sigma_min, np.float64)
        for message in row_status:
            status = status_of(message)
            if first_of_stream:
                status = dataclasses.replace(
                    status, row=status.row + first_of_stream)
            self._row_status.append(status)

    def add_echo(self, echo: dynamics_pb2.Echo, row: int) -> None:
        if self._echo is None:
            self._echo = echo
            return
        before = (self._handovers[-1] if self._handovers else
                  Handover(0, self._echo.target, self._echo.server_version))
        now = Handover(row, echo.target, echo.server_version)
        if (now.target, now.server_version) != (
                before.target, before.server_version):
            self._handovers.append(now)

    def evaluation(self) -> Evaluation:
        return Evaluation(
            self.rows, self._single, self._results, self._row_status,
            self._echo or dynamics_pb2.Echo(), self._handovers)

    def _add_array(self, shape: ResultShape, first: int, rows: int,
                   results: dynamics_pb2.Results) -> None:
        columns = shape.columns(self._n, self._m)
        numbers = received(
            getattr(results, shape.field), columns, rows, shape.field)
        name = "Lambda" if shape.field == "lambda" else shape.field
        axes = shape.shape(self._n, self._m)
        if name == "pose":
            whole = self._results.get(name)
            if whole is None:
                whole = np.zeros((self.rows, 4, 4))
                whole[:, 3, 3] = 1
                self._results[name] = whole
            part = whole[first:first + rows]
            part[:, :3] = numbers.reshape(rows, *axes)
            # A row without an answer has none at all.
            part[np.isnan(numbers[:, 0])] = np.nan
        elif first == 0 and rows == self.rows:
            self._results[name] = numbers.reshape(rows, *axes).copy()
        else:
            whole = self._results.get(name)
            if whole is None:
                whole = np.empty((self.rows, *axes))
                self._results[name] = whole
            whole[first:first + rows] = numbers.reshape(rows, *axes)

    def _add_numbers(self, name: str, first: int, rows: int, numbers: Any,
                     kind: Any) -> None:
        if len(numbers) != rows:
            raise errors.make(
                "INTERNAL", f"the reply has {len(numbers)} of {name} for "
                f"{rows} rows")
        whole = self._results.get(name)
        if whole is None:
            whole = np.empty(self.rows, kind)
            self._results[name] = whole
        whole[first:first + rows] = numbers


