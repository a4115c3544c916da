"""Every quantity from Lagrange's equations, without a recursion over links.

A body is its pseudo-inertia S, the integral of x x^T dm with x = (position; 1),
and the pose T(q) of its frame. With a base that has the pose B at time t (B = 1
now), the kinetic energy is K = 1/2 sum tr(W' S W'^T), W = B T, and

    tau_i = sum tr(T_,i S W''^T) - g^T (T_,i S e4),   T_,i = dT/dq_i

(Uicker 1965). All else is read off the same poses and their partial
derivatives: the mass matrix is tr(T_,i S T_,j^T), the Christoffel symbols of
the first kind are tr(T_,i S T_,jk^T), a joint wrench is the same sum against
the six unit twists of a link, and so on. Wrenches and twists are (angular;
linear).
"""

import dataclasses
import functools

import numpy as np

from tree import (
    Poses, Real, cross_matrix, eye, inverse_pose, twist_matrix, twist_of, zeros)

LOCAL, ALIGNED, WORLD = "LOCAL", "LOCAL_WORLD_ALIGNED", "WORLD"
AXES = ("ANGULAR_X", "ANGULAR_Y", "ANGULAR_Z",
        "LINEAR_X", "LINEAR_Y", "LINEAR_Z")


def solve(matrix, right):
    """matrix^-1 right by elimination with pivots, in extended precision, which
    numpy.linalg lacks."""
    work = np.concatenate([matrix, right.reshape(len(matrix), -1)], axis=1)
    n = len(matrix)
    for k in range(n):
        pivot = k + np.argmax(np.abs(work[k:, k]))
        work[[k, pivot]] = work[[pivot, k]]
        work[k] = work[k] / work[k, k]
        for row in range(n):
            if row != k:
                work[row] = work[row] - work[row, k] * work[k]
    return work[:, n:].reshape(right.shape)


def inverse(matrix):
    return solve(matrix, eye(len(matrix)))


def trace(left, inertia, right):
    """tr(left inertia right^T)"""
    return np.sum((left @ inertia) * right)


def turn_halves(rotation, spatial):
    """blkdiag(R, R) x"""
    return np.concatenate([rotation @ spatial[:3], rotation @ spatial[3:]])


@dataclasses.dataclass
class Wrench:
    frame: str
    reference_frame: str
    numbers: np.ndarray


@dataclasses.dataclass
class Surroundings:
    """What acts beside the joints; of one state."""

    gravity: np.ndarray = dataclasses.field(
        default_factory=lambda: np.array([0, 0, Real("-9.81")]))
    base_twist: np.ndarray = dataclasses.field(
        default_factory=lambda: zeros(6))
    base_acceleration: np.ndarray = dataclasses.field(
        default_factory=lambda: zeros(6))
    viscous: bool = False
    coulomb: bool = False
    smoothing: Real = Real(0)
    # On the environment.
    tip: Wrench | None = None
    # On the robot.
    external: tuple = ()

    def acting(self):
        """All wrenches as they act on the robot."""
        if self.tip is not None:
            yield dataclasses.replace(self.tip, numbers=-self.tip.numbers)
        yield from self.external


class State:
    """The robot at q, v and a."""

    def __init__(self, tree, q, v, a, surroundings):
        self.tree, self.q, self.v, self.a = tree, q, v, a
        self.around = surroundings
        self.n = len(tree.joints)
        self.poses = Poses(tree, q)
        twist = twist_matrix(surroundings.base_twist)
        self.base_rate = twist
        self.base_second = (
            twist @ twist + twist_matrix(surroundings.base_acceleration))

    # --- Poses of bodies, and of frames that are fixed to them ---------------

    def movers(self, body):
        return list(self.tree.ancestors(body))

    def carrying(self, joint):
        """Bodies that a joint moves."""
        return [body for body in range(self.n)
                if joint in self.tree.ancestors(body)]

    def pose(self, body, *by):
        return self.poses.body(body, *by)

    def along(self, body, *by):
        """d/dt of a derivative of the pose, without the base's motion."""
        return sum((self.pose(body, *by, j) * self.v[j]
                    for j in self.movers(body)), zeros(4, 4))

    def along_twice(self, body, *by):
        """d2/dt2 of the same."""
        movers = self.movers(body)
        total = zeros(4, 4)
        for j in movers:
            total = total + self.pose(body, *by, j) * self.a[j]
            for k in movers:
                total = total + (
                    self.pose(body, *by, j, k) * (self.v[j] * self.v[k]))
        return total

    @functools.cache
    def rate(self, body):
        """W', of the pose against the inertial frame."""
        return self.base_rate @ self.pose(body) + self.along(body)

    @functools.cache
    def second(self, body):
        """W''"""
        return (self.base_second @ self.pose(body)
                + 2 * self.base_rate @ self.along(body)
                + self.along_twice(body))

    def inertia(self, body):
        return self.tree.joints[body].inertia

    # --- Forces --------------------------------------------------------------

    def against(self, body, displaced, inertia=None):
        """The virtual work of inertia and gravity of a body for each unit of a
        virtual displacement of its pose."""
        if inertia is None:
            inertia = self.inertia(body)
        weight = (displaced @ inertia[:, 3])[:3] @ self.around.gravity
        return trace(displaced, inertia, self.second(body)) - weight

    def rigid_body_forces(self):
        """tau without friction and wrenches."""
        return np.array([
            sum(self.against(body, self.pose(body, i))
                for body in self.carrying(i))
            for i in range(self.n)])

    def friction(self):
        viscous, coulomb = self.friction_terms()
        return viscous + coulomb

    def friction_terms(self):
        joints, around = self.tree.joints, self.around
        viscous = np.array([joint.viscous for joint in joints]) * self.v
        sign = np.sign(self.v)
        if around.smoothing:
            sign = np.tanh(self.v / around.smoothing)
        coulomb = np.array([joint.coulomb for joint in joints]) * sign
        return viscous * around.viscous, coulomb * around.coulomb

    def friction_slope(self):
        """Of friction by v."""
        joints, around = self.tree.joints, self.around
        slope = np.array([joint.viscous for joint in joints]) * around.viscous
        if around.coulomb and around.smoothing:
            tanh = np.tanh(self.v / around.smoothing)
            slope = slope + np.array([joint.coulomb for joint in joints]) * (
                1 - tanh * tanh) / around.smoothing
        return slope

    def wrench_forces(self):
        """What the wrenches do to the joints: sum of J^T W."""
        total = zeros(self.n)
        for wrench in self.around.acting():
            total = total + self.jacobian(
                wrench.frame, wrench.reference_frame).T @ wrench.numbers
        return total

    def inverse_dynamics(self):
        return (self.rigid_body_forces() + self.friction()
                - self.wrench_forces())

    def with_(self, v=None, a=None, **around):
        """The same robot in another motion."""
        state = State(
            self.tree, self.q, self.v if v is None else v,
            self.a if a is None else a,
            dataclasses.replace(self.around, **around))
        state.poses = self.poses
        return state

    def bias_forces(self):
        still = self.with_(a=zeros(self.n))
        return still.rigid_body_forces() + still.friction()

    def gravity_forces(self):
        return self.with_(
            v=zeros(self.n), a=zeros(self.n), base_twist=zeros(6),
            base_acceleration=zeros(6)).rigid_body_forces()

    def coriolis_forces(self):
        return self.with_(a=zeros(self.n),
                          gravity=zeros(3)).rigid_body_forces()

    # --- The mass matrix and what it changes into ----------------------------

    @functools.cache
    def mass_matrix(self):
        return self._matrix(lambda body, i, j: trace(
            self.pose(body, i), self.inertia(body), self.pose(body, j)))

    def _matrix(self, entry):
        """Sum over bodies of entry(body, i, j)."""
        matrix = zeros(self.n, self.n)
        for body in range(self.n):
            for i in self.movers(body):
                for j in self.movers(body):
                    matrix[i, j] += entry(body, i, j)
        return matrix

    @functools.cache
    def christoffel(self):
        symbols = zeros(self.n, self.n, self.n)
        for body in range(self.n):
            movers = self.movers(body)
            for i in movers:
                left = self.pose(body, i) @ self.inertia(body)
                for j in movers:
                    for k in movers:
                        symbols[i, j, k] += np.sum(
                            left * self.pose(body, j, k))
        return symbols

    def coriolis_matrix(self):
        return self.christoffel() @ self.v

    def mass_matrix_rate(self):
        return self._matrix(lambda body, i, j: (
            trace(self.along(body, i), self.inertia(body), self.pose(body, j))
            + trace(self.pose(body, i), self.inertia(body),
                    self.along(body, j))))

    def forward_dynamics(self, tau):
        return solve(self.mass_matrix(),
                     tau - self.bias_forces() + self.wrench_forces())

    # --- Derivatives ---------------------------------------------------------

    def torque_by_position(self):
        """Of inverse dynamics; the wrenches' numbers are held."""
        matrix = zeros(self.n, self.n)
        for body in range(self.n):
            movers, inertia = self.movers(body), self.inertia(body)
            for k in movers:
                second = (self.base_second @ self.pose(body, k)
                          + 2 * self.base_rate @ self.along(body, k)
                          + self.along_twice(body, k))
                for i in movers:
                    matrix[i, k] += self.against(
                        body, self.pose(body, i, k))
                    matrix[i, k] += trace(
                        self.pose(body, i), inertia, second)
        for wrench in self.around.acting():
            for k in range(self.n):
                matrix[:, k] -= self.jacobian_by(
                    wrench.frame, wrench.reference_frame, k).T @ wrench.numbers
        return matrix

    def torque_by_velocity(self):
        matrix = self._matrix(lambda body, i, k: 2 * trace(
            self.pose(body, i), self.inertia(body),
            self.base_rate @ self.pose(body, k) + self.along(body, k)))
        return matrix + np.diag(self.friction_slope())

    def regressor(self):
        rows = zeros(self.n, self.n, 10)
        for body in range(self.n):
            for parameter in range(10):
                unit = zeros(10)
                unit[parameter] = 1
                mass, moments, tensor = unit[0], unit[1:4], unit[4:]
                xx, xy, yy, xz, yz, zz = tensor
                about_origin = np.array(
                    [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                inertia = zeros(4, 4)
                inertia[:3, :3] = (
                    np.trace(about_origin) / 2 * eye(3) - about_origin)
                inertia[:3, 3] = inertia[3, :3] = moments
                inertia[3, 3] = mass
                for i in self.movers(body):
                    rows[i, body, parameter] = self.against(
                        body, self.pose(body, i), inertia)
        return rows

    # --- Energy and momentum -------------------------------------------------

    def kinetic_energy(self):
        return sum((trace(self.rate(body), self.inertia(body), self.rate(body))
                    for body in range(self.n)), Real(0)) / 2

    def potential_energy(self):
        return -sum(((self.pose(body) @ self.inertia(body)[:, 3])[:3]
                     for body in range(self.n)), zeros(3)) @ self.around.gravity

    def mass(self):
        return sum(self.inertia(body)[3, 3] for body in range(self.n))

    def center_of_mass(self):
        return sum((self.pose(body) @ self.inertia(body)[:, 3])[:3]
                   for body in range(self.n)) / self.mass()

    def center_of_mass_velocity(self):
        return sum((self.rate(body) @ self.inertia(body)[:, 3])[:3]
                   for body in range(self.n)) / self.mass()

    def _momentum_of(self, rates):
        """About the centre of mass, of bodies whose poses have these rates."""
        moments = zeros(4, 4)
        for body in range(self.n):
            moments = moments + (
                self.pose(body) @ self.inertia(body) @ rates[body].T)
        # moments[i, j] is the integral of x_i x'_j dm.
        turning = np.array([moments[1, 2] - moments[2, 1],
                            moments[2, 0] - moments[0, 2],
                            moments[0, 1] - moments[1, 0]])
        linear = moments[3, :3]
        about_center = turning - cross_matrix(self.center_of_mass()) @ linear
        return np.concatenate([about_center, linear])

    def momentum(self):
        return self._momentum_of([self.rate(body) for body in range(self.n)])

    def momentum_matrix(self):
        return np.stack([
            self._momentum_of([
                self.pose(body, j) if j in self.movers(body) else zeros(4, 4)
                for body in range(self.n)])
            for j in range(self.n)], axis=1)

    # --- Motion of links and frames ------------------------------------------

    def link_twists(self):
        return np.stack([self._body_twist(body, eye(4))
                         for body in range(self.n)])

    def link_accelerations(self):
        return np.stack([self._body_acceleration(body, eye(4))
                         for body in range(self.n)])

    def _body_twist(self, body, at):
        """In axes of the frame that has the pose `at` in the body's."""
        pose = self.pose(body) @ at
        return twist_of(inverse_pose(pose) @ self.rate(body) @ at)

    def _body_acceleration(self, body, at):
        """The rate of its components."""
        back = inverse_pose(self.pose(body) @ at)
        twist = back @ self.rate(body) @ at
        return twist_of(back @ self.second(body) @ at - twist @ twist)

    def frame_pose(self, frame):
        body, at = self.tree.frames[frame]
        return self.pose(body) @ at

    def frame_velocity(self, frame, reference):
        body, at = self.tree.frames[frame]
        pose = self.pose(body) @ at
        if reference == WORLD:
            return twist_of(self.rate(body) @ at @ inverse_pose(pose))
        local = self._body_twist(body, at)
        return (local if reference == LOCAL
                else turn_halves(pose[:3, :3], local))

    def frame_acceleration(self, frame, reference):
        """Spatial."""
        body, at = self.tree.frames[frame]
        pose = self.pose(body) @ at
        if reference == WORLD:
            back = inverse_pose(pose)
            twist = self.rate(body) @ at @ back
            return twist_of(self.second(body) @ at @ back - twist @ twist)
        local = self._body_acceleration(body, at)
        return (local if reference == LOCAL
                else turn_halves(pose[:3, :3], local))

    def frame_acceleration_classical(self, frame, reference):
        spatial = self.frame_acceleration(frame, reference)
        twist = self.frame_velocity(frame, reference)
        spatial[3:] = spatial[3:] + cross_matrix(twist[:3]) @ twist[3:]
        return spatial

    def total_frame_acceleration(self, frame, reference):
        """J a + drift."""
        if reference == ALIGNED:
            return self.frame_acceleration_classical(frame, reference)
        return self.frame_acceleration(frame, reference)

    def jacobian_drift(self, frame, reference):
        return self.with_(a=zeros(self.n)).total_frame_acceleration(
            frame, reference)

    def _changes(self, frame, reference, change):
        """The twist that belongs to a change of the frame's pose."""
        pose = self.frame_pose(frame)
        if reference == WORLD:
            return twist_of(change @ inverse_pose(pose))
        local = twist_of(inverse_pose(pose) @ change)
        return (local if reference == LOCAL
                else turn_halves(pose[:3, :3], local))

    def jacobian(self, frame, reference):
        body, at = self.tree.frames[frame]
        columns = [
            self._changes(frame, reference, self.pose(body, j) @ at)
            if j in self.movers(body) else zeros(6) for j in range(self.n)]
        return np.stack(columns, axis=1)

    def jacobian_by(self, frame, reference, k):
        """dJ/dq_k"""
        body, at = self.tree.frames[frame]
        movers = self.movers(body)
        by = zeros(6, self.n)
        if k not in movers:
            return by
        back = inverse_pose(self.pose(body) @ at)
        first = {j: self.pose(body, j) @ at for j in movers}
        for j in movers:
            mixed = self.pose(body, j, k) @ at
            local = twist_of(
                back @ mixed - back @ first[k] @ back @ first[j])
            world = twist_of(
                mixed @ back - first[j] @ back @ first[k] @ back)
            if reference == LOCAL:
                by[:, j] = local
            elif reference == WORLD:
                by[:, j] = world
            else:
                by[:3, j], by[3:, j] = world[:3], mixed[:3, 3]
        return by

    def jacobian_rate(self, frame, reference):
        return sum((self.jacobian_by(frame, reference, k) * self.v[k]
                    for k in range(self.n)), zeros(6, self.n))

    # --- Wrenches inside -----------------------------------------------------

    def _carried_wrench(self, bodies, pose, base_too=False):
        """What `bodies` need, as a wrench at a pose of the base frame, beside
        what acts on them."""
        back = inverse_pose(pose)
        total = zeros(6)
        for unit in range(6):
            twist = zeros(6)
            twist[unit] = 1
            displacement = pose @ twist_matrix(twist) @ back
            total[unit] = sum(
                self.against(body, displacement @ self.pose(body))
                for body in bodies)
            for wrench in self.around.acting():
                body, _ = self.tree.frames[wrench.frame]
                if body in bodies:
                    moved = self._changes(
                        wrench.frame, wrench.reference_frame,
                        displacement @ self.frame_pose(wrench.frame))
                    total[unit] -= moved @ wrench.numbers
        return total

    def joint_wrenches(self):
        return np.stack([
            self._carried_wrench(self.carrying(joint), self.pose(joint))
            for joint in range(self.n)])

    def base_wrench(self):
        return self._carried_wrench(range(self.n), eye(4))

    def power_balance(self):
        kinetic = sum((trace(self.second(body), self.inertia(body),
                             self.rate(body))
                       for body in range(self.n)), Real(0))
        potential = -sum(((self.rate(body) @ self.inertia(body)[:, 3])[:3]
                          for body in range(self.n)),
                         zeros(3)) @ self.around.gravity
        viscous, coulomb = self.friction_terms()
        on_body = [wrench for wrench in self.around.external
                   if self.tree.frames[wrench.frame][0] >= 0]
        external = sum((wrench.numbers @ self.frame_velocity(
            wrench.frame, wrench.reference_frame) for wrench in on_body),
            Real(0))
        tip = self.around.tip
        at_tip = Real(0) if tip is None else -tip.numbers @ self.frame_velocity(
            tip.frame, tip.reference_frame)
        return np.array([
            kinetic, potential, self.inverse_dynamics() @ self.v,
            -viscous @ self.v, -coulomb @ self.v, at_tip, external,
            self.base_wrench() @ self.around.base_twist])


@dataclasses.dataclass
class Task:
    """The motion of a frame along some axes."""

    state: State
    frame: str
    reference_frame: str
    axes: tuple = AXES
    damping: float = 0.0
    rank_tolerance: float = 1e-6
    length: float = 1.0

    def __post_init__(self):
        self.rows = [AXES.index(axis) for axis in self.axes]
        whole = self.state.jacobian(self.frame, self.reference_frame)
        scale = np.array(3 * [1] + 3 * [1 / self.length])
        scaled = scale[:, None] * whole
        least = max(self.rank_tolerance, 8 * self.state.n * 2 ** -52)
        self.least = least * float(np.sqrt(np.sum(scaled * scaled)))
        self.jacobian = whole[self.rows]
        self.to_joints = solve(self.state.mass_matrix(), self.jacobian.T)

    def singular_values(self):
        """All m, in double precision, with vectors: U, sigma."""
        scale = np.array([1 if row < 3 else 1 / self.length
                          for row in self.rows])
        scaled = (scale[:, None] * self.jacobian).astype(float)
        sigma = np.zeros(len(self.rows))
        values = np.linalg.svd(scaled, compute_uv=False)
        sigma[:len(values)] = values
        return sigma

    def rank(self):
        return int(np.sum(self.singular_values() > self.least))

    def sigma_min(self):
        return self.singular_values()[-1]

    def rule(self):
        if self.rank() == len(self.rows):
            return "FULL_RANK"
        return "DAMPED" if self.damping else "RANGE_RESTRICTED"

    def mobility(self):
        return self.jacobian @ self.to_joints

    def inertia(self):
        """Lambda"""
        mobility = self.mobility()
        rule = self.rule()
        if rule == "FULL_RANK":
            return inverse(mobility)
        if rule == "DAMPED":
            return inverse(
                mobility + Real(self.damping) ** 2 * eye(len(self.rows)))
        if not self.rank():
            return 0 * mobility
        left, _, _ = np.linalg.svd(self.jacobian.astype(float))
        basis = left[:, :self.rank()].astype(Real)
        return basis @ inverse(basis.T @ mobility @ basis) @ basis.T

    def bias(self):
        """eta"""
        drift = self.state.jacobian_drift(
            self.frame, self.reference_frame)[self.rows]
        return self.inertia() @ (
            self.to_joints.T @ self.state.bias_forces() - drift)

    def consistent_inverse(self):
        return self.to_joints @ self.inertia()

    def null_space_projector(self):
        return eye(self.state.n) - self.consistent_inverse() @ self.jacobian

    def torque(self, acceleration, null_space_torque):
        return (self.jacobian.T @ (self.inertia() @ acceleration + self.bias())
                + self.null_space_projector().T @ null_space_torque
                - self.state.wrench_forces())
