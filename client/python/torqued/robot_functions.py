"""What can be asked about a robot, for both kinds of robot."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar, Unpack

from torqued.arrays import JointInput
from torqued.check import CheckWords
from torqued.enums import Quantity
from torqued.options import CallWords
from torqued.question import Described
from torqued.trajectory import Path, Trajectory

Evaluated = TypeVar("Evaluated", covariant=True)
Verdict = TypeVar("Verdict", covariant=True)
Array = TypeVar("Array", covariant=True)
Space = TypeVar("Space", covariant=True)
Energies = TypeVar("Energies", covariant=True)
Center = TypeVar("Center", covariant=True)
Accelerations = TypeVar("Accelerations", covariant=True)
Inverse = TypeVar("Inverse", covariant=True)
Forward = TypeVar("Forward", covariant=True)
Projection = TypeVar("Projection", covariant=True)
Balance = TypeVar("Balance", covariant=True)


class RobotFunctions(Described, Generic[
        Evaluated, Verdict, Array, Space, Energies, Center, Accelerations,
        Inverse, Forward, Projection, Balance]):
    """The parameters are what the functions return: an Evaluation, a
    TrajectoryVerdict, an array, an OperationalSpace, an Energy, a CenterOfMass,
    a FrameAcceleration, InverseDynamicsDerivatives, ForwardDynamicsDerivatives,
    a TaskProjection and a PowerBalance; or what gives these when it is awaited.
    """

    def compute(
            self, quantities: Sequence[Quantity | str], q: JointInput | None,
            v: JointInput | None = None, a: JointInput | None = None,
            tau: JointInput | None = None, *, stream: bool = False,
            **words: Unpack[CallWords]) -> Evaluated:
        """Several quantities of the same states in one round trip.

        quantities: at least one, each once. tau: needed by what reads it.
        stream: travel through a stream whatever the size. Rows that are not OK
        are told by `Evaluation.ok`, unless `on_bad_row` says otherwise.
        """
        return self._computed(
            quantities, {"q": q, "v": v, "a": a, "tau": tau}, words, stream)

    def check_trajectory(
            self, trajectory: Trajectory | Path,
            **words: Unpack[CheckWords]) -> Verdict:
        """Does the robot keep its limits along a trajectory, where not, and by
        how much; see docs/trajectory.md and `CheckWords`.

        trajectory: or a file, see `Trajectory.read`. Columns that it names are
        put into the robot's order, and must be those of all its joints; joints
        that it does not move are left out, with a LeftOutWarning. Raises
        InvalidArgument, where a limit is at fault with its joint; FileError;
        OSError; RequestTooLarge for more samples than the server ever keeps.
        """
        return self._checked(trajectory, words)

    @abc.abstractmethod
    def _computed(self, quantities: Sequence[Quantity | str],
                  inputs: Mapping[str, JointInput | None], words: CallWords,
                  stream: bool) -> Any:
        """What was computed, as an Evaluation."""

    @abc.abstractmethod
    def _checked(self, trajectory: Trajectory | Path,
                 words: CheckWords) -> Any:
        """The verdict."""

    @abc.abstractmethod
    def _plain(self, quantity: Quantity,
               inputs: Mapping[str, JointInput | None],
               words: CallWords) -> Any:
        """What the function of a quantity returns."""

    # --- Quantities; docs/quantities.md has the formulas ---------------------

    def inverse_dynamics(
            self, q: JointInput, v: JointInput | None = None,
            a: JointInput | None = None, **words: Unpack[CallWords]) -> Array:
        """Joint torques tau = M a + c + g [+ friction] + J^T F.

        Returns (n,), N m or N.
        """
        return self._plain(
            Quantity.INVERSE_DYNAMICS, {"q": q, "v": v, "a": a}, words)

    def mass_matrix(
            self, q: JointInput, **words: Unpack[CallWords]) -> Array:
        """M(q), symmetric.

        Returns (n, n), kg m^2 or kg.
        """
        return self._plain(Quantity.MASS_MATRIX, {"q": q}, words)

    def forward_dynamics(
            self, q: JointInput, v: JointInput | None, tau: JointInput | None,
            **words: Unpack[CallWords]) -> Array:
        """Joint accelerations that `tau` brings about.

        Returns (n,), rad/s^2 or m/s^2.
        """
        return self._plain(
            Quantity.FORWARD_DYNAMICS, {"q": q, "v": v, "tau": tau}, words)

    def bias_forces(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """h = c + g [+ friction], without wrenches.

        Returns (n,), N m or N.
        """
        return self._plain(Quantity.BIAS_FORCES, {"q": q, "v": v}, words)

    def frame_pose(
            self, q: JointInput, **words: Unpack[CallWords]) -> Array:
        """Pose of the tip frame in the base frame.

        Returns (4, 4), homogeneous: x_base = pose x_tip.
        """
        return self._plain(Quantity.FRAME_POSE, {"q": q}, words)

    def jacobian(
            self, q: JointInput, **words: Unpack[CallWords]) -> Array:
        """J of the tip frame in the reference frame.

        Returns (6, n), rows (angular; linear).
        """
        return self._plain(Quantity.JACOBIAN, {"q": q}, words)

    def jacobian_drift(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """J' v, the drift of the tip frame.

        Returns (6,), (angular; linear), rad/s^2, m/s^2.
        """
        return self._plain(Quantity.JACOBIAN_DRIFT, {"q": q, "v": v}, words)

    def operational_space(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Space:
        """Lambda and eta of the task: force = Lambda acceleration + eta.

        Returns an OperationalSpace.
        """
        return self._plain(Quantity.OPERATIONAL_SPACE, {"q": q, "v": v}, words)

    def gravity_forces(
            self, q: JointInput, **words: Unpack[CallWords]) -> Array:
        """g(q), what holds the robot still.

        Returns (n,), N m or N.
        """
        return self._plain(Quantity.GRAVITY_FORCES, {"q": q}, words)

    def coriolis_forces(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """c(q, v), without friction.

        Returns (n,), N m or N.
        """
        return self._plain(Quantity.CORIOLIS_FORCES, {"q": q, "v": v}, words)

    def coriolis_matrix(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """C with c = C v, of the Christoffel symbols.

        Returns (n, n).
        """
        return self._plain(Quantity.CORIOLIS_MATRIX, {"q": q, "v": v}, words)

    def christoffel_symbols(
            self, q: JointInput, **words: Unpack[CallWords]) -> Array:
        """c_ijk, of the first kind.

        Returns (n, n, n).
        """
        return self._plain(Quantity.CHRISTOFFEL_SYMBOLS, {"q": q}, words)

    def mass_matrix_rate(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """dM/dt along v.

        Returns (n, n), symmetric.
        """
        return self._plain(Quantity.MASS_MATRIX_RATE, {"q": q, "v": v}, words)

    def mass_matrix_inverse(
            self, q: JointInput, **words: Unpack[CallWords]) -> Array:
        """The inverse of M.

        Returns (n, n), symmetric.
        """
        return self._plain(Quantity.MASS_MATRIX_INVERSE, {"q": q}, words)

    def energy(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Energies:
        """Kinetic and potential energy; the latter is 0 at the base's origin.

        Returns an Energy, J.
        """
        return self._plain(Quantity.ENERGY, {"q": q, "v": v}, words)

    def center_of_mass(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Center:
        """Of the moving links, in base axes.

        Returns a CenterOfMass, (3,) each.
        """
        return self._plain(Quantity.CENTER_OF_MASS, {"q": q, "v": v}, words)

    def momentum(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """About the centre of mass, in base axes.

        Returns (6,), (angular; linear), kg m^2/s, kg m/s.
        """
        return self._plain(Quantity.MOMENTUM, {"q": q, "v": v}, words)

    def momentum_matrix(
            self, q: JointInput, **words: Unpack[CallWords]) -> Array:
        """momentum = matrix v.

        Returns (6, n).
        """
        return self._plain(Quantity.MOMENTUM_MATRIX, {"q": q}, words)

    def link_twists(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """Of the link that each joint moves, in its own frame.

        Returns (n, 6), (angular; linear), rad/s, m/s.
        """
        return self._plain(Quantity.LINK_TWISTS, {"q": q, "v": v}, words)

    def link_accelerations(
            self, q: JointInput, v: JointInput | None = None,
            a: JointInput | None = None, **words: Unpack[CallWords]) -> Array:
        """Rates of the components of the twists, gravity not in them.

        Returns (n, 6), rad/s^2, m/s^2.
        """
        return self._plain(
            Quantity.LINK_ACCELERATIONS, {"q": q, "v": v, "a": a}, words)

    def frame_velocity(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """Twist of the tip frame in the reference frame.

        Returns (6,), (angular; linear), rad/s, m/s.
        """
        return self._plain(Quantity.FRAME_VELOCITY, {"q": q, "v": v}, words)

    def frame_acceleration(
            self, q: JointInput, v: JointInput | None = None,
            a: JointInput | None = None,
            **words: Unpack[CallWords]) -> Accelerations:
        """Of the tip frame in the reference frame, spatial and classical.

        Returns a FrameAcceleration, (6,) each.
        """
        return self._plain(
            Quantity.FRAME_ACCELERATION, {"q": q, "v": v, "a": a}, words)

    def jacobian_rate(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """dJ/dt along v, in the reference frame.

        Returns (6, n), rows (angular; linear).
        """
        return self._plain(Quantity.JACOBIAN_RATE, {"q": q, "v": v}, words)

    def joint_wrenches(
            self, q: JointInput, v: JointInput | None = None,
            a: JointInput | None = None, **words: Unpack[CallWords]) -> Array:
        """What passes through every joint, in axes of the link behind it.

        Returns (n, 6), (moment; force), N m, N.
        """
        return self._plain(
            Quantity.JOINT_WRENCHES, {"q": q, "v": v, "a": a}, words)

    def base_wrench(
            self, q: JointInput, v: JointInput | None = None,
            a: JointInput | None = None, **words: Unpack[CallWords]) -> Array:
        """What the base exerts on the robot, about the base's origin.

        Returns (6,), (moment; force), N m, N.
        """
        return self._plain(
            Quantity.BASE_WRENCH, {"q": q, "v": v, "a": a}, words)

    def regressor(
            self, q: JointInput, v: JointInput | None = None,
            a: JointInput | None = None, **words: Unpack[CallWords]) -> Array:
        """Y, linear in the inertial parameters: tau = Y p.

        Returns (n, 10 n); ten columns for each joint in turn.
        """
        return self._plain(Quantity.REGRESSOR, {"q": q, "v": v, "a": a}, words)

    def inverse_dynamics_derivatives(
            self, q: JointInput, v: JointInput | None = None,
            a: JointInput | None = None, **words: Unpack[CallWords]) -> Inverse:
        """dtau/dq and dtau/dv; dtau/da is M.

        Returns an InverseDynamicsDerivatives, (n, n) each.
        """
        return self._plain(
            Quantity.INVERSE_DYNAMICS_DERIVATIVES,
            {"q": q, "v": v, "a": a}, words)

    def forward_dynamics_derivatives(
            self, q: JointInput, v: JointInput | None, tau: JointInput | None,
            **words: Unpack[CallWords]) -> Forward:
        """da/dq, da/dv and da/dtau.

        Returns a ForwardDynamicsDerivatives, (n, n) each.
        """
        return self._plain(
            Quantity.FORWARD_DYNAMICS_DERIVATIVES,
            {"q": q, "v": v, "tau": tau}, words)

    def task_projection(
            self, q: JointInput, **words: Unpack[CallWords]) -> Projection:
        """Mobility, consistent inverse and null-space projector of the task.

        Returns a TaskProjection.
        """
        return self._plain(Quantity.TASK_PROJECTION, {"q": q}, words)

    def forward_frame_acceleration(
            self, q: JointInput, v: JointInput | None, tau: JointInput | None,
            **words: Unpack[CallWords]) -> Array:
        """How the tip accelerates under `tau`, in the reference frame.

        Returns (6,), (angular; linear), rad/s^2, m/s^2.
        """
        return self._plain(
            Quantity.FORWARD_FRAME_ACCELERATION,
            {"q": q, "v": v, "tau": tau}, words)

    def task_torque(
            self, q: JointInput, v: JointInput | None = None,
            **words: Unpack[CallWords]) -> Array:
        """Joint torques that accelerate the task as `task_acceleration` wants.

        Returns (n,), N m or N.
        """
        return self._plain(Quantity.TASK_TORQUE, {"q": q, "v": v}, words)

    def power_balance(
            self, q: JointInput, v: JointInput | None = None,
            a: JointInput | None = None, **words: Unpack[CallWords]) -> Balance:
        """Where the energy comes from and goes to.

        Returns a PowerBalance, W.
        """
        return self._plain(
            Quantity.POWER_BALANCE, {"q": q, "v": v, "a": a}, words)
