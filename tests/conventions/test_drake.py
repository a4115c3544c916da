"""What docs/conventions.md says of Drake, against what defines it: rates of
positions and of velocities, and powers. Drake itself is not asked."""

import numpy as np
import pytest

import page
import urdf_text
from states import close, states

common = page.module("python")
H = 1e-5


def rate(of_time):
    """The derivative at 0."""
    return (of_time(H) - of_time(-H)) / (2 * H)


def angular(R, R_rate):
    W = R_rate @ R.T
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def velocity(robot, q, v, p_BoBp_B):
    """(omega; velocity) of the point Bp of the tip, in the world."""
    def pose(t):
        return robot.frame_pose(q + t * v)

    R = pose(0)[:3, :3]
    point = np.append(p_BoBp_B, 1)
    return np.concatenate([
        angular(R, rate(lambda t: pose(t)[:3, :3])),
        rate(lambda t: (pose(t) @ point)[:3])])


def test_jacobian_is_the_rate_of_positions(robot):
    for s in states(robot.nv, 4):
        T = robot.frame_pose(s.q)
        R, p = T[:3, :3], T[:3, 3]
        for frame, point, axes in (
                ("local_world_aligned", np.zeros(3), np.eye(3)),
                ("local", np.zeros(3), R.T),
                ("world", -R.T @ p, np.eye(3))):
            J = np.column_stack([
                common.turned(velocity(robot, s.q, unit, point), axes)
                for unit in np.eye(robot.nv)])
            close(robot.jacobian(s.q, reference_frame=frame), J, 1e-8)


def test_acceleration_is_the_rate_of_velocities(robot):
    for s in states(robot.nv, 4):
        def moving(t, a):
            return (s.q + t * s.v + t * t / 2 * a, s.v + t * a)

        def twist(t, a):
            return robot.frame_velocity(
                *moving(t, a), reference_frame="local_world_aligned")

        close(robot.frame_acceleration(
            s.q, s.v, s.a, reference_frame="local_world_aligned").classical,
            rate(lambda t: twist(t, s.a)), 1e-8)
        bias = rate(lambda t: twist(t, np.zeros(robot.nv)))
        close(robot.jacobian_drift(
            s.q, s.v, reference_frame="local_world_aligned"), bias, 1e-8)
        # In the axes of the tip it is not the drift of LOCAL, which is spatial.
        R = robot.frame_pose(s.q)[:3, :3]
        local = robot.jacobian_drift(s.q, s.v)
        turned = common.turned(bias, R.T)
        assert np.abs(turned - local).max() > 1e-2
        close(common.classical(local, robot.frame_velocity(s.q, s.v)), turned,
              1e-8)


def gravity_generalized_forces(robot, q):
    """By its definition: v tau_g is the power of gravity."""
    return np.array([
        -rate(lambda t: robot.energy(q + t * unit).potential)
        for unit in np.eye(robot.nv)])


def test_gravity_gives_the_power_that_the_potential_loses(robot):
    for s in states(robot.nv, 4):
        close(robot.gravity_forces(s.q),
              -gravity_generalized_forces(robot, s.q), 1e-7)


def bias_term(robot, q, v):
    """C v of the kinetic energy alone (Lagrange): (d/dt M) v - dK/dq."""
    M_rate = rate(lambda t: robot.mass_matrix(q + t * v))
    return M_rate @ v - np.array([
        rate(lambda t: robot.energy(q + t * unit, v).kinetic)
        for unit in np.eye(robot.nv)])


def test_bias(robot):
    for s in states(robot.nv, 4):
        term = bias_term(robot, s.q, s.v)
        close(robot.coriolis_forces(s.q, s.v), term, 1e-7)
        close(robot.bias_forces(s.q, s.v), common.bias_from_drake(
            term, gravity_generalized_forces(robot, s.q)), 1e-7)


def test_inverse_dynamics(robot):
    damping = np.array([joint.damping for joint in robot.joints])
    for s in states(robot.nv, 4):
        free = robot.mass_matrix(s.q) @ s.a + bias_term(robot, s.q, s.v)
        forces = gravity_generalized_forces(robot, s.q) - damping * s.v
        close(robot.inverse_dynamics(s.q, s.v, s.a, viscous_friction=True),
              free - forces, 1e-7)
        close(robot.inverse_dynamics(s.q, s.v, s.a, gravity=[0, 0, 0]), free,
              1e-7)


def test_force_at_a_point_has_the_power_of_the_point(robot):
    point = np.array([0.2, -0.1, 0.4])
    for s in states(robot.nv, 4):
        R = robot.frame_pose(s.q)[:3, :3]
        power = s.wrench @ velocity(robot, s.q, s.v, point)
        on_tip = common.force_from_drake(s.wrench, point, R)
        tau = robot.inverse_dynamics(
            s.q, tip_wrench=common.tip_wrench(on_tip),
            tip_wrench_frame="local_world_aligned")
        assert (robot.inverse_dynamics(s.q) - tau) @ s.v == pytest.approx(
            power, rel=1e-7, abs=1e-7)


def test_inertia_about_the_origin_has_the_kinetic_energy():
    """Of points that make up a body, against the spatial inertia's."""
    rng = np.random.default_rng(5)
    masses, points = rng.uniform(0.1, 1, 7), rng.uniform(-1, 1, (7, 3))
    mass = masses.sum()
    center = masses @ points / mass
    own = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r))
              for m, r in zip(masses, points - center))
    for twist in rng.uniform(-1, 1, (5, 6)):
        energy = sum(m / 2 * np.sum(common.twist_at(twist, p)[3:] ** 2)
                     for m, p in zip(masses, points))
        omega, v = twist[:3], twist[3:]
        G = mass * common.unit_inertia(mass, center, own)
        assert (omega @ G @ omega / 2 + mass * v @ v / 2
                + mass * v @ np.cross(omega, center)) == pytest.approx(energy)
    forearm = urdf_text.body("forearm")
    close(forearm.mass * common.unit_inertia(*forearm), common.about_origin(
        *forearm))
