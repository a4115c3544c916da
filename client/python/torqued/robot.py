"""A robot whose quantities are functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from torqued.arrays import FloatArray, JointInput
from torqued.enums import Quantity
from torqued.evaluation import (
    CenterOfMass, Energy, Evaluation, ForwardDynamicsDerivatives,
    FrameAcceleration, InverseDynamicsDerivatives, OperationalSpace,
    PowerBalance, TaskProjection)
from torqued.model import Model
from torqued.options import BoundWords, CallWords, Options
from torqued.question import Described, plain_result
from torqued.registration import RegistrationWords, Urdf, name_of

if TYPE_CHECKING:
    from torqued.client import Client


class Robot(Described):
    """One revision of a robot on a server. Immutable, thread-safe.

    q, v, a and tau are one state [n] or a row per state [N, n], in the order of
    `joint_names`, rad or m, rad/s or m/s, rad/s^2 or m/s^2, N m or N; or a dict
    or a table with one column for each joint, by name. A single row serves all
    states. Absent v and a are zeros. One state has results without a leading
    axis, a batch has [N, ...] before the shapes that are given here. Batches of
    any size do: large ones travel in parts. The keywords of all functions are
    those of `CallWords` and of `Options`.

    Every function raises TorquedError: InvalidArgument for what cannot be used,
    with field, joint and row; Unavailable, DeadlineExceeded, Overloaded, ...
    for what went wrong between here and the server. A single state without an
    answer raises RowError; rows of a batch without one are NaN, with a
    BadRowsWarning. `Options.on_bad_row` chooses otherwise.
    """

    def __init__(self, client: Client, model: Model,
                 options: Options = Options()) -> None:
        """See `Client.model`, `Client.register` and `from_urdf`."""
        super().__init__(model, options)
        self._client = client
        self._owns_client = False

    @classmethod
    def from_urdf(cls, urdf: Urdf, client: Client | None = None, *,
                  name: str | None = None,
                  **words: Unpack[RegistrationWords]) -> Robot:
        """Registers a robot description, a path or its text, and returns it.

        client: None: a local server is started, and ends with the robot's
        `close`, a `with` block, or the program. name: None: the file's, or the
        robot's own. Raises InvalidArgument (INVALID_MODEL) with the line of
        each fault as field violations, LocalServerError, OSError.
        """
        from torqued.client import local

        owned = client is None
        client = local() if client is None else client
        try:
            robot = client.register(name or name_of(urdf), urdf, **words)
        except BaseException:
            if owned:
                client.close()
            raise
        robot._owns_client = owned
        return robot

    @property
    def client(self) -> Client:
        return self._client

    def with_options(self, **words: Unpack[BoundWords]) -> Self:
        """The same robot, whose calls start from these options."""
        return self._bound(words)

    def compute(
            self, quantities: Sequence[Quantity | str], q: JointInput | None,
            v: JointInput | None = None, a: JointInput | None = None,
            tau: JointInput | None = None, *, stream: bool = False,
            **words: Unpack[CallWords]) -> Evaluation:
        """Several quantities of the same states in one round trip.

        quantities: at least one, each once. tau: needed by what reads it.
        stream: travel through a stream whatever the size. Rows that are not OK
        are told by `Evaluation.ok`, unless `on_bad_row` says otherwise.
        """
        evaluation = self._evaluate(
            quantities, {"q": q, "v": v, "a": a, "tau": tau}, words, stream)
        evaluation.raise_or_warn(
            self._on_bad_row(words) or "mask", stacklevel=2)
        return evaluation

    def close(self) -> None:
        """Ends the local server that `from_urdf` started, if it did."""
        if self._owns_client:
            self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<torqued.Robot {self.name}@{self.revision[:12]}>"

    # --- Quantities; docs/quantities.md has the formulas ---------------------

    def inverse_dynamics(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """Joint torques tau = M a + c + g [+ friction] + J^T F.

        Returns (n,), N m or N.
        """
        return self._plain(
            Quantity.INVERSE_DYNAMICS, {"q": q, "v": v, "a": a}, words)

    def mass_matrix(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """M(q), symmetric.

        Returns (n, n), kg m^2 or kg.
        """
        return self._plain(Quantity.MASS_MATRIX, {"q": q}, words)

    def forward_dynamics(
        self, q: JointInput, v: JointInput | None, tau: JointInput | None,
        **words: Unpack[CallWords]) -> FloatArray:
        """Joint accelerations that `tau` brings about.

        Returns (n,), rad/s^2 or m/s^2.
        """
        return self._plain(
            Quantity.FORWARD_DYNAMICS, {"q": q, "v": v, "tau": tau}, words)

    def bias_forces(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """h = c + g [+ friction], without wrenches.

        Returns (n,), N m or N.
        """
        return self._plain(Quantity.BIAS_FORCES, {"q": q, "v": v}, words)

    def frame_pose(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """Pose of the tip frame in the base frame.

        Returns (4, 4), homogeneous: x_base = pose x_tip.
        """
        return self._plain(Quantity.FRAME_POSE, {"q": q}, words)

    def jacobian(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """J of the tip frame in the reference frame.

        Returns (6, n), rows (angular; linear).
        """
        return self._plain(Quantity.JACOBIAN, {"q": q}, words)

    def jacobian_drift(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """J' v, the drift of the tip frame.

        Returns (6,), (angular; linear), rad/s^2, m/s^2.
        """
        return self._plain(Quantity.JACOBIAN_DRIFT, {"q": q, "v": v}, words)

    def operational_space(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> OperationalSpace:
        """Lambda and eta of the task: force = Lambda acceleration + eta.

        Returns an OperationalSpace.
        """
        return self._plain(Quantity.OPERATIONAL_SPACE, {"q": q, "v": v}, words)

    def gravity_forces(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """g(q), what holds the robot still.

        Returns (n,), N m or N.
        """
        return self._plain(Quantity.GRAVITY_FORCES, {"q": q}, words)

    def coriolis_forces(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """c(q, v), without friction.

        Returns (n,), N m or N.
        """
        return self._plain(Quantity.CORIOLIS_FORCES, {"q": q, "v": v}, words)

    def coriolis_matrix(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """C with c = C v, of the Christoffel symbols.

        Returns (n, n).
        """
        return self._plain(Quantity.CORIOLIS_MATRIX, {"q": q, "v": v}, words)

    def christoffel_symbols(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """c_ijk, of the first kind.

        Returns (n, n, n).
        """
        return self._plain(Quantity.CHRISTOFFEL_SYMBOLS, {"q": q}, words)

    def mass_matrix_rate(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """dM/dt along v.

        Returns (n, n), symmetric.
        """
        return self._plain(Quantity.MASS_MATRIX_RATE, {"q": q, "v": v}, words)

    def mass_matrix_inverse(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """The inverse of M.

        Returns (n, n), symmetric.
        """
        return self._plain(Quantity.MASS_MATRIX_INVERSE, {"q": q}, words)

    def energy(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> Energy:
        """Kinetic and potential energy; the latter is 0 at the base's origin.

        Returns an Energy, J.
        """
        return self._plain(Quantity.ENERGY, {"q": q, "v": v}, words)

    def center_of_mass(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> CenterOfMass:
        """Of the moving links, in base axes.

        Returns a CenterOfMass, (3,) each.
        """
        return self._plain(Quantity.CENTER_OF_MASS, {"q": q, "v": v}, words)

    def momentum(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """About the centre of mass, in base axes.

        Returns (6,), (angular; linear), kg m^2/s, kg m/s.
        """
        return self._plain(Quantity.MOMENTUM, {"q": q, "v": v}, words)

    def momentum_matrix(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """momentum = matrix v.

        Returns (6, n).
        """
        return self._plain(Quantity.MOMENTUM_MATRIX, {"q": q}, words)

    def link_twists(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """Of the link that each joint moves, in its own frame.

        Returns (n, 6), (angular; linear), rad/s, m/s.
        """
        return self._plain(Quantity.LINK_TWISTS, {"q": q, "v": v}, words)

    def link_accelerations(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """Rates of the components of the twists, gravity not in them.

        Returns (n, 6), rad/s^2, m/s^2.
        """
        return self._plain(
            Quantity.LINK_ACCELERATIONS, {"q": q, "v": v, "a": a}, words)

    def frame_velocity(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """Twist of the tip frame in the reference frame.

        Returns (6,), (angular; linear), rad/s, m/s.
        """
        return self._plain(Quantity.FRAME_VELOCITY, {"q": q, "v": v}, words)

    def frame_acceleration(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FrameAcceleration:
        """Of the tip frame in the reference frame, spatial and classical.

        Returns a FrameAcceleration, (6,) each.
        """
        return self._plain(
            Quantity.FRAME_ACCELERATION, {"q": q, "v": v, "a": a}, words)

    def jacobian_rate(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """dJ/dt along v, in the reference frame.

        Returns (6, n), rows (angular; linear).
        """
        return self._plain(Quantity.JACOBIAN_RATE, {"q": q, "v": v}, words)

    def joint_wrenches(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """What passes through every joint, in axes of the link behind it.

        Returns (n, 6), (moment; force), N m, N.
        """
        return self._plain(
            Quantity.JOINT_WRENCHES, {"q": q, "v": v, "a": a}, words)

    def base_wrench(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """What the base exerts on the robot, about the base's origin.

        Returns (6,), (moment; force), N m, N.
        """
        return self._plain(
            Quantity.BASE_WRENCH, {"q": q, "v": v, "a": a}, words)

    def regressor(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """Y, linear in the inertial parameters: tau = Y p.

        Returns (n, 10 n); ten columns for each joint in turn.
        """
        return self._plain(Quantity.REGRESSOR, {"q": q, "v": v, "a": a}, words)

    def inverse_dynamics_derivatives(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> InverseDynamicsDerivatives:
        """dtau/dq and dtau/dv; dtau/da is M.

        Returns an InverseDynamicsDerivatives, (n, n) each.
        """
        return self._plain(
            Quantity.INVERSE_DYNAMICS_DERIVATIVES,
            {"q": q, "v": v, "a": a}, words)

    def forward_dynamics_derivatives(
        self, q: JointInput, v: JointInput | None, tau: JointInput | None,
        **words: Unpack[CallWords]) -> ForwardDynamicsDerivatives:
        """da/dq, da/dv and da/dtau.

        Returns a ForwardDynamicsDerivatives, (n, n) each.
        """
        return self._plain(
            Quantity.FORWARD_DYNAMICS_DERIVATIVES,
            {"q": q, "v": v, "tau": tau}, words)

    def task_projection(
        self, q: JointInput, **words: Unpack[CallWords]) -> TaskProjection:
        """Mobility, consistent inverse and null-space projector of the task.

        Returns a TaskProjection.
        """
        return self._plain(Quantity.TASK_PROJECTION, {"q": q}, words)

    def forward_frame_acceleration(
        self, q: JointInput, v: JointInput | None, tau: JointInput | None,
        **words: Unpack[CallWords]) -> FloatArray:
        """How the tip accelerates under `tau`, in the reference frame.

        Returns (6,), (angular; linear), rad/s^2, m/s^2.
        """
        return self._plain(
            Quantity.FORWARD_FRAME_ACCELERATION,
            {"q": q, "v": v, "tau": tau}, words)

    def task_torque(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """Joint torques that accelerate the task as `task_acceleration` wants.

        Returns (n,), N m or N.
        """
        return self._plain(Quantity.TASK_TORQUE, {"q": q, "v": v}, words)

    def power_balance(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> PowerBalance:
        """Where the energy comes from and goes to.

        Returns a PowerBalance, W.
        """
        return self._plain(
            Quantity.POWER_BALANCE, {"q": q, "v": v, "a": a}, words)

    # --- Below ---------------------------------------------------------------

    def _with(self, options: Options) -> Self:
        return type(self)(self._client, self.model, options)

    def _plain(self, quantity: Quantity,
               inputs: Mapping[str, JointInput | None],
               words: CallWords) -> Any:
        evaluation = self._evaluate([quantity], inputs, words, False)
        if evaluation.row_status:
            evaluation.raise_or_warn(self._on_bad_row(words), stacklevel=3)
        return plain_result(evaluation, quantity)

    def _evaluate(self, quantities: Sequence[Quantity | str],
                  inputs: Mapping[str, JointInput | None], words: CallWords,
                  stream: bool) -> Evaluation:
        plan, progress = self._plan(quantities, inputs, words)
        return self._client.connection.compute(plan, progress, stream)
