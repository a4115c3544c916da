"""The quantities of the theory of open chains, held against each other, against
rates and gradients taken numerically, and against the robot's description."""

import dataclasses
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb

import robots
import streams
from calls import (
    ALL_QUANTITIES, FRAMES, RESULT_ARRAYS, RESULT_AXES, States, ask,
    compute, compute_request, everything_request, numbers, options, register,
    tip_wrench)
from harness import F32, F64, VALUES, failure_of, same_bits, table

ALIGNED = pb.REFERENCE_FRAME_LOCAL_WORLD_ALIGNED
GRAVITY = np.array([0.7, -1.3, -9.5])  # not along an axis
ROWS = 12


def product(*factors):
    """Matrix product of [state, ...] of matrices and, at last, a vector."""
    *matrices, last = factors
    for matrix in reversed(matrices):
        if last.ndim == matrix.ndim:
            last = matrix @ last
        else:
            last = (matrix @ last[..., None])[..., 0]
    return last


def dot(a, b):
    return (a * b).sum(axis=-1)


def skew(w):
    """[w] of [state, 3]."""
    x, y, z = np.moveaxis(w, -1, 0)
    zero = np.zeros_like(x)
    return np.stack([np.stack(row, axis=-1) for row in (
        (zero, -z, y), (z, zero, -x), (-y, x, zero))], axis=-2)


def transposed(matrix):
    return np.swapaxes(matrix, -1, -2)


def close(actual, expected, relative):
    """Within so much of the largest number of each state."""
    assert actual.shape == expected.shape
    over = tuple(range(1, expected.ndim))
    size = np.maximum(np.abs(expected).max(axis=over), 1e-300)
    error = np.abs(actual - expected).max(axis=over) / size
    assert error.max() <= relative, error.max()


# --- The robots --------------------------------------------------------------


@dataclasses.dataclass
class Arm:
    """A robot on the server, states of it, and all quantities of these in the
    local frame under a tip wrench."""

    client: object
    name: str
    info: object
    source: str
    s: States
    tip: str

    @property
    def n(self):
        return self.info.nv

    def ask(self, *quantities, q=None, v=None, a=None, tau=None, wrench=None,
            wrench_frame=pb.REFERENCE_FRAME_LOCAL, **choices):
        """Numbers of some quantities, of these states where none are given."""
        choices.setdefault("tip_frame", self.tip)
        given = {}
        if wrench is not None:
            given["tip_wrench_on_environment"] = tip_wrench(
                wrench, wrench_frame)
        reply = compute(
            self.client, self.name, quantities,
            q=self.s.q if q is None else q, v=self.s.v if v is None else v,
            a=self.s.a if a is None else a,
            tau=self.s.tau if tau is None else tau,
            options=options(gravity=tuple(GRAVITY), **choices), **given)
        return numbers(reply.results, self.n)

    def gradient(self, function, at):
        """d/dx of function(x) -> [state, ...] by differences of fourth order,
        [state, ..., n]: x goes to the server in one batch."""
        step, count = 1e-3, at.shape[1]
        places = np.array([-2, -1, 1, 2]) * step
        weights = np.array([1, -8, 8, -1]) / (12 * step)
        shifts = places[:, None, None] * np.eye(count)
        many = at[None, None] + shifts[:, :, None]
        values = function(many.reshape(-1, count))
        values = values.reshape(4, count, len(at), *values.shape[1:])
        return np.moveaxis(np.tensordot(weights, values, 1), 0, -1)

    def repeat(self, states):
        """States for the function that gradient() calls."""
        return np.tile(states, (4 * self.n, 1))

    def rate(self, function):
        """d/dt of function(q, v) along the motion with these states."""
        step = 1e-3
        q, v, a = self.s.q, self.s.v, self.s.a

        def at(t):
            return function(q + v * t + a * t * t / 2, v + a * t)

        return (at(-2 * step) - 8 * at(-step) + 8 * at(step)
                - at(2 * step)) / (12 * step)


OF_THE_TASK = (ask.OPERATIONAL_SPACE, ask.TASK_PROJECTION, ask.TASK_TORQUE)
TIPS = {"ur5e": "", "panda": "", "crane": "hook"}


@pytest.fixture(scope="module", params=TIPS)
def arm(request, client):
    name = request.param
    if name == "crane":
        register(client, "crane", robots.crane())
    reply = client.registry.GetModel(registry_pb.GetModelRequest(
        model=name, include_source=True))
    return Arm(client, name, reply.model, reply.source.decode(),
               States(reply.model.nv, ROWS), TIPS[name])


@pytest.fixture(scope="module")
def all_of(arm):
    # The crane's hook has too few joints for a task of six axes.
    return arm.ask(*(q for q in ALL_QUANTITIES if q not in OF_THE_TASK))


# --- The equation of motion and its matrices ---------------------------------


def test_torque_is_mass_times_acceleration_plus_coriolis_plus_gravity(
        arm, all_of):
    x, s = all_of, arm.s
    close(product(x.mass_matrix, s.a) + product(x.coriolis_matrix, s.v)
          + x.gravity, x.tau, 1e-13)
    close(x.coriolis + x.gravity, x.bias, 1e-13)
    still = arm.ask(ask.BIAS_FORCES, v=0 * s.v).bias
    close(x.gravity, still, 1e-13)
    close(product(x.coriolis_matrix, s.v), x.coriolis, 1e-13)
    # Without weight nothing is left of g, all of c.
    weightless = numbers(compute(
        arm.client, arm.name, [ask.GRAVITY_FORCES, ask.CORIOLIS_FORCES],
        q=s.q, v=s.v, options=options(gravity=(0, 0, 0))).results, arm.n)
    assert not weightless.gravity.any()
    assert same_bits(weightless.coriolis, x.coriolis)


def test_friction_is_no_part_of_gravity_and_coriolis_forces(arm, all_of):
    choice = {"viscous": True, "coulomb": True}
    rusty = arm.ask(ask.GRAVITY_FORCES, ask.CORIOLIS_FORCES,
                    ask.JOINT_WRENCHES, ask.BIAS_FORCES, **choice)
    assert same_bits(rusty.gravity, all_of.gravity)
    assert same_bits(rusty.coriolis, all_of.coriolis)
    assert same_bits(rusty.joint_wrenches, all_of.joint_wrenches)
    drag = np.array([joint.damping for joint in arm.info.joints]) * arm.s.v
    assert (arm.name == "crane") == drag.any()
    close(rusty.bias - drag, all_of.bias, 1e-13)


def test_mass_rate_minus_twice_coriolis_is_skew(all_of):
    difference = all_of.mass_matrix_rate - 2 * all_of.coriolis_matrix
    size = np.abs(all_of.coriolis_matrix).max(axis=(1, 2), keepdims=True)
    assert (np.abs(difference + transposed(difference)) <= 2e-14 * size).all()
    close(all_of.coriolis_matrix + transposed(all_of.coriolis_matrix),
          all_of.mass_matrix_rate, 2e-14)
    assert same_bits(all_of.mass_matrix_rate,
                     transposed(all_of.mass_matrix_rate))
    # C itself is no such matrix.
    assert np.abs(all_of.coriolis_matrix + transposed(
        all_of.coriolis_matrix)).max() > 1e-3


def test_christoffel_symbols_are_those_of_the_gradient_of_mass(arm, all_of):
    gradient = arm.gradient(
        lambda q: arm.ask(
            ask.MASS_MATRIX, q=q, v=0 * q, a=0 * q, tau=0 * q).mass_matrix,
        arm.s.q)  # dm_ij / dq_k at [state, i, j, k]
    symbols = all_of.christoffel
    expected = (gradient + gradient.swapaxes(2, 3)
                - np.moveaxis(gradient, (1, 2, 3), (2, 3, 1))) / 2
    close(symbols, expected, 2e-11)
    assert same_bits(symbols, symbols.swapaxes(2, 3))
    close(np.einsum("sijk,sk->sij", symbols, arm.s.v),
          all_of.coriolis_matrix, 1e-13)
    close(np.einsum("sijk,sk->sij", gradient, arm.s.v),
          all_of.mass_matrix_rate, 2e-11)


def test_the_inverse_of_the_mass_matrix_inverts_it(arm, all_of):
    inverse, M = all_of.mass_matrix_inverse, all_of.mass_matrix
    assert same_bits(inverse, transposed(inverse))
    error = np.abs(product(inverse, M) - np.eye(arm.n)).max(axis=(1, 2))
    assert (error <= 1e-15 * np.linalg.cond(M)).all()
    free = arm.ask(ask.FORWARD_DYNAMICS).a
    driven = product(inverse, arm.s.tau - all_of.bias)
    assert (np.abs(free - driven).max(axis=1)
            <= 1e-15 * np.linalg.cond(M) * np.abs(free).max(axis=1)).all()


# --- Energy, momentum, centre of mass ----------------------------------------


def test_kinetic_energy_is_the_form_of_the_mass_matrix(arm, all_of):
    close(all_of.kinetic_energy,
          dot(arm.s.v, product(all_of.mass_matrix, arm.s.v)) / 2, 1e-13)


def test_gravity_forces_are_the_gradient_of_potential_energy(arm, all_of):
    gradient = arm.gradient(
        lambda q: arm.ask(ask.ENERGY, q=q, v=0 * q, a=0 * q,
                          tau=0 * q).potential_energy, arm.s.q)
    close(gradient, all_of.gravity, 1e-10)
    close(-arm.info.moving_mass * all_of.center_of_mass @ GRAVITY,
          all_of.potential_energy, 1e-13)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_power_of_torques_goes_into_energy_and_the_environment(
        arm, frame):
    s = arm.s
    tau = arm.ask(ask.INVERSE_DYNAMICS, wrench=s.wrench,
                  wrench_frame=FRAMES[frame], viscous=True).tau
    twist = arm.ask(ask.FRAME_VELOCITY,
                    reference_frame=FRAMES[frame]).frame_velocity

    def energy(q, v):
        x = arm.ask(ask.ENERGY, q=q, v=v)
        return x.kinetic_energy + x.potential_energy

    damping = np.array([joint.damping for joint in arm.info.joints])
    supplied = (dot(tau, s.v) - dot(s.v, damping * s.v)
                - dot(s.wrench, twist))
    close(arm.rate(energy), supplied, 1e-8)
    assert np.abs(dot(s.wrench, twist)).max() > 1


def test_momentum_is_its_matrix_times_the_velocity(arm, all_of):
    close(product(all_of.momentum_matrix, arm.s.v), all_of.momentum, 1e-13)
    close(all_of.momentum[:, 3:] / arm.info.moving_mass,
          all_of.center_of_mass_velocity, 1e-13)
    path = arm.rate(
        lambda q, v: arm.ask(ask.CENTER_OF_MASS, q=q, v=v).center_of_mass)
    close(path, all_of.center_of_mass_velocity, 1e-9)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_wrench_of_the_base_changes_the_momentum(arm, all_of, frame):
    """Newton and Euler for the whole robot, about its centre of mass."""
    base = arm.ask(ask.BASE_WRENCH, wrench=arm.s.wrench,
                   wrench_frame=FRAMES[frame]).base_wrench
    # On the environment, about the base's origin and in its axes.
    pose = all_of.pose
    R, p = pose[:, :, :3], pose[:, :, 3]
    moment, force = arm.s.wrench[:, :3], arm.s.wrench[:, 3:]
    if frame == "local":
        moment, force = product(R, moment), product(R, force)
    if frame != "world":
        moment = moment + np.cross(p, force)
    weight = arm.info.moving_mass * GRAVITY
    applied = base[:, 3:] - force + weight
    center = all_of.center_of_mass
    turning = (base[:, :3] - moment) - np.cross(center, base[:, 3:] - force)
    rate = arm.rate(lambda q, v: arm.ask(ask.MOMENTUM, q=q, v=v).momentum)
    close(rate, np.concatenate([turning, applied], axis=1), 1e-8)


# --- Motion of links and frames ----------------------------------------------


def test_links_move_as_the_frames_of_their_names(arm, all_of):
    for j, joint in enumerate(arm.info.joints):
        frame = arm.ask(ask.FRAME_VELOCITY, ask.FRAME_ACCELERATION,
                        tip_frame=joint.child_link)
        close(all_of.link_twists[:, j], frame.frame_velocity, 1e-13)
        close(all_of.link_accelerations[:, j], frame.frame_acceleration, 1e-13)


def test_accelerations_of_links_are_rates_of_their_twists(arm, all_of):
    rate = arm.rate(lambda q, v: arm.ask(ask.LINK_TWISTS, q=q, v=v).link_twists)
    close(rate, all_of.link_accelerations, 1e-8)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_frame_moves_by_its_jacobian_and_the_rate_of_that(arm, frame):
    s = arm.s

    def of(*quantities, **states):
        return arm.ask(*quantities, reference_frame=FRAMES[frame], **states)

    x = of(ask.JACOBIAN, ask.JACOBIAN_RATE, ask.JACOBIAN_DRIFT,
           ask.FRAME_VELOCITY, ask.FRAME_ACCELERATION)
    close(product(x.jacobian, s.v), x.frame_velocity, 1e-13)
    close(product(x.jacobian_rate, s.v), x.jacobian_drift, 1e-13)
    close(arm.rate(lambda q, v: of(ask.JACOBIAN, q=q).jacobian),
          x.jacobian_rate, 1e-9)
    by_jacobian = product(x.jacobian, s.a) + product(x.jacobian_rate, s.v)
    close(by_jacobian, x.frame_acceleration_classical if frame == (
        "world_aligned") else x.frame_acceleration, 1e-13)
    # The classical acceleration turns the velocity, in whatever frame.
    classical = x.frame_acceleration.copy()
    classical[:, 3:] += np.cross(
        x.frame_velocity[:, :3], x.frame_velocity[:, 3:])
    close(classical, x.frame_acceleration_classical, 1e-13)
    assert np.abs(classical - x.frame_acceleration).max() > 0.1


def test_the_aligned_frame_has_the_local_acceleration_in_base_axes(arm, all_of):
    aligned = arm.ask(ask.FRAME_ACCELERATION, reference_frame=ALIGNED)
    R = all_of.pose[:, :, :3]
    for name in ("frame_acceleration", "frame_acceleration_classical"):
        local = getattr(all_of, name)
        close(np.concatenate([product(R, local[:, :3]),
                              product(R, local[:, 3:])], axis=1),
              getattr(aligned, name), 1e-13)
    # And the classical one is that of the frame's origin.
    def velocity(q, v):
        return arm.ask(ask.FRAME_VELOCITY, q=q, v=v,
                       reference_frame=ALIGNED).frame_velocity

    close(arm.rate(velocity), aligned.frame_acceleration_classical, 1e-8)


# --- Wrenches ----------------------------------------------------------------


@pytest.mark.parametrize("frame", FRAMES)
def test_torques_are_the_wrenches_along_the_joints(arm, frame):
    x = arm.ask(ask.JOINT_WRENCHES, ask.INVERSE_DYNAMICS, ask.BASE_WRENCH,
                wrench=arm.s.wrench, wrench_frame=FRAMES[frame])
    for j, joint in enumerate(arm.info.joints):
        slides = joint.type == registry_pb.JOINT_TYPE_PRISMATIC
        part = x.joint_wrenches[:, j, 3:] if slides else (
            x.joint_wrenches[:, j, :3])
        np.testing.assert_allclose(
            part @ np.array(joint.axis), x.tau[:, j],
            atol=1e-13 * np.abs(x.joint_wrenches).max())
    # The first link of all three robots alone hangs on the base.
    root = arm.info.joints[0].child_link
    pose = arm.ask(ask.FRAME_POSE, tip_frame=root).pose
    moment, force = (product(pose[:, :, :3], x.joint_wrenches[:, 0, k:k + 3])
                     for k in (0, 3))
    moment = moment + np.cross(pose[:, :, 3], force)
    close(np.concatenate([moment, force], axis=1), x.base_wrench, 1e-13)


def test_a_still_robot_hangs_on_its_base_with_its_weight(arm):
    zero = np.zeros((ROWS, arm.n))
    x = arm.ask(ask.BASE_WRENCH, ask.CENTER_OF_MASS, v=zero, a=zero)
    weight = np.tile(arm.info.moving_mass * GRAVITY, (ROWS, 1))
    close(x.base_wrench[:, 3:], -weight, 1e-13)
    close(x.base_wrench[:, :3], -np.cross(x.center_of_mass, weight), 1e-13)


# --- Inertial parameters -----------------------------------------------------


def vector(element, name, default):
    text = None if element is None else element.get(name)
    return np.array(default if text is None else [
        float(word) for word in text.split()])


def placed(element):
    """Rotation and position of an <origin>."""
    origin = None if element is None else element.find("origin")
    roll, pitch, yaw = vector(origin, "rpy", (0, 0, 0))
    (cr, sr), (cp, sp), (cy, sy) = (
        (np.cos(x), np.sin(x)) for x in (roll, pitch, yaw))
    R = (np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
         @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
         @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]))
    return R, vector(origin, "xyz", (0, 0, 0))


def inertial_parameters(source, joints):
    """Of each joint's link with all that is fixed to it: mass, mass times
    centre, inertia about the link's origin, [joint, 10], from the URDF."""
    robot = ElementTree.fromstring(source)
    links = {link.get("name"): link for link in robot.findall("link")}

    def body(name):
        """Mass, first moment and inertia about the origin of a link."""
        inertial = links[name].find("inertial")
        m, h, I = 0.0, np.zeros(3), np.zeros((3, 3))
        if inertial is not None:
            R, c = placed(inertial)
            m = float(inertial.find("mass").get("value"))
            entry = inertial.find("inertia").get
            xx, xy, xz, yy, yz, zz = (float(entry(key)) for key in (
                "ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
            h = m * c
            I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
            I = I + m * (c @ c * np.eye(3) - np.outer(c, c))
        for joint in robot.findall("joint"):
            if (joint.get("type") != "fixed"
                    or joint.find("parent").get("link") != name):
                continue
            R, p = placed(joint)
            more, first, turned = body(joint.find("child").get("link"))
            first, turned = R @ first, R @ turned @ R.T
            m += more
            h = h + first + more * p
            cross = np.outer(p, first)
            I = I + turned + more * (p @ p * np.eye(3) - np.outer(p, p)) + (
                2 * p @ first * np.eye(3) - cross - cross.T)
        return m, h, I

    rows = []
    for joint in joints:
        m, h, I = body(joint.child_link)
        rows.append([m, *h, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2],
                     I[2, 2]])
    return np.array(rows)


def test_torques_are_linear_in_the_inertial_parameters(arm, all_of):
    parameters = inertial_parameters(arm.source, arm.info.joints)
    assert parameters[:, 0].sum() == pytest.approx(arm.info.moving_mass)
    torque = np.einsum("sijk,jk->si", all_of.regressor, parameters)
    close(torque, all_of.tau, 1e-12)
    # A link does not load the joints of other branches and behind it.
    last = arm.n - 1
    assert not all_of.regressor[:, last, :last].any()


def test_what_moves_a_robot_tells_its_inertial_parameters(arm, all_of):
    """Identified from half of the states, they foretell the other half."""
    states = States(arm.n, 60, seed=3)
    x = arm.ask(ask.REGRESSOR, ask.INVERSE_DYNAMICS, q=states.q, v=states.v,
                a=states.a, tau=states.tau)
    Y = x.regressor.reshape(60, arm.n, 10 * arm.n)
    found = np.linalg.lstsq(
        np.concatenate(Y[:30]), np.concatenate(x.tau[:30]), rcond=1e-10)[0]
    close(Y[30:] @ found, x.tau[30:], 1e-9)


# --- Derivatives -------------------------------------------------------------


@pytest.mark.parametrize("frame", FRAMES)
def test_derivatives_of_inverse_dynamics_are_gradients_of_torques(arm, frame):
    s = arm.s
    terms = {"wrench_frame": FRAMES[frame], "viscous": True}
    x = arm.ask(ask.INVERSE_DYNAMICS_DERIVATIVES, wrench=s.wrench, **terms)

    def tau(q=None, v=None):
        q = arm.repeat(s.q) if q is None else q
        v = arm.repeat(s.v) if v is None else v
        return arm.ask(ask.INVERSE_DYNAMICS, q=q, v=v, a=arm.repeat(s.a),
                       tau=0 * q, wrench=arm.repeat(s.wrench), **terms).tau

    close(x.dtau_dq, arm.gradient(lambda q: tau(q=q), s.q), 1e-9)
    close(x.dtau_dv, arm.gradient(lambda v: tau(v=v), s.v), 1e-9)


@pytest.mark.parametrize("frame", FRAMES)
def test_derivatives_of_forward_dynamics_are_gradients_of_accelerations(
        arm, frame):
    s = arm.s
    terms = {"wrench_frame": FRAMES[frame], "viscous": True}
    x = arm.ask(ask.FORWARD_DYNAMICS_DERIVATIVES, ask.MASS_MATRIX,
                ask.MASS_MATRIX_INVERSE, wrench=s.wrench, **terms)

    def a(**moved):
        states = {name: arm.repeat(getattr(s, name))
                  for name in ("q", "v", "tau")} | moved
        return arm.ask(
            ask.FORWARD_DYNAMICS, wrench=arm.repeat(s.wrench),
            a=0 * states["q"], **states, **terms).a

    # Differences of quickly changing accelerations are good to so much.
    close(x.da_dq, arm.gradient(lambda q: a(q=q), s.q), 1e-6)
    close(x.da_dv, arm.gradient(lambda v: a(v=v), s.v), 1e-8)
    close(x.da_dtau, arm.gradient(lambda tau: a(tau=tau), s.tau), 1e-8)
    close(x.da_dtau, x.mass_matrix_inverse, 1e-12)
    # Exactly, by the derivatives at the accelerations that the torques cause.
    caused = arm.ask(ask.FORWARD_DYNAMICS, wrench=s.wrench, **terms).a
    y = arm.ask(ask.INVERSE_DYNAMICS_DERIVATIVES, a=caused, wrench=s.wrench,
                **terms)
    cond = np.linalg.cond(x.mass_matrix).max()
    close(x.da_dq, -np.linalg.solve(x.mass_matrix, y.dtau_dq), 1e-14 * cond)
    close(x.da_dv, -np.linalg.solve(x.mass_matrix, y.dtau_dv), 1e-14 * cond)


# --- How they travel ---------------------------------------------------------


def test_every_result_has_axes():
    assert set(RESULT_AXES) == set(RESULT_ARRAYS)
    assert len(ALL_QUANTITIES) == 32


def test_joint_names_permute_every_quantity_in_every_bit(arm):
    order = np.random.default_rng(11).permutation(arm.n)
    assert (order != np.arange(arm.n)).any()
    names = [joint.name for joint in arm.info.joints]

    def reply(states, **choices):
        request = everything_request(
            arm.name, states, tip_frame=arm.tip, **choices)
        return numbers(arm.client.dynamics.Compute(request).results, arm.n)

    canonical = reply(arm.s)
    swapped = States(arm.n, ROWS)
    for name in ("q", "v", "a", "tau", "null_space_torque"):
        setattr(swapped, name, getattr(arm.s, name)[:, order])
    permuted = reply(swapped, joint_names=[names[i] for i in order])
    for name in RESULT_ARRAYS:
        expected = getattr(canonical, name)
        for axis, size in enumerate(RESULT_AXES[name], start=1):
            if size == "n":
                expected = expected.take(order, axis=axis)
        assert same_bits(getattr(permuted, name), expected), name


def test_bad_states_are_answered_with_nan_and_their_neighbours_as_ever(arm):
    spoilt = States(arm.n, ROWS)
    spoilt.q[[2, 7], -1] = np.nan
    good = np.delete(np.arange(ROWS), [2, 7])
    clean, reply = (arm.client.dynamics.Compute(everything_request(
        arm.name, states, tip_frame=arm.tip)) for states in (arm.s, spoilt))
    assert [(s.row, s.code, s.field, s.joint) for s in reply.row_status
            if s.code != pb.ROW_CODE_SINGULAR_TASK_SPACE] == [
        (row, pb.ROW_CODE_INVALID_INPUT, "q", arm.info.joints[-1].name)
        for row in (2, 7)]
    for name in RESULT_ARRAYS:
        got, wanted = (table(getattr(r.results, name)) for r in (reply, clean))
        assert np.isnan(got[[2, 7]]).all(), name
        assert same_bits(got[good], wanted[good]), name
        assert np.isfinite(wanted).all(), name


@pytest.mark.parametrize("payload", [F64, VALUES, F32])
def test_streams_give_the_bits_of_compute_in_every_encoding(arm, payload):
    states = States(arm.n, 40)
    whole = arm.client.dynamics.Compute(everything_request(
        arm.name, states, payload, tip_frame=arm.tip))
    replies = streams.evaluate(
        arm.client, streams.start(
            arm.name, ALL_QUANTITIES, options=options(tip_frame=arm.tip),
            operational_space=pb.OperationalSpaceOptions(sigma_min=True)),
        *(streams.everything_chunk(part, payload)
          for part in streams.cut(states, [7])))
    assert len(replies) == 6
    parts = streams.joined(replies)
    for name in RESULT_ARRAYS:
        assert same_bits(parts[name], table(getattr(whole.results, name)))


# --- Where they are undefined or refused -------------------------------------


def test_where_a_joint_moves_no_mass_only_what_needs_the_inverse_is_undefined(
        client):
    register(client, "turntable", robots.turntable(2.0))
    wanted = [q for q in ALL_QUANTITIES if q not in OF_THE_TASK]
    s = States(2, 3)
    s.q[:] = [[0.3, -0.5], [0.3, -1.0], [0.3, 0.5]]
    reply = client.dynamics.Compute(compute_request(
        "turntable", wanted, q=s.q, v=s.v, a=s.a, tau=s.tau))
    status, = reply.row_status
    assert reply.rows_not_ok == 1
    assert (status.row, status.code, status.joint) == (
        1, pb.ROW_CODE_SINGULAR_MASS_MATRIX, "turn")
    x = numbers(reply.results, 2)
    undefined = {"a", "mass_matrix_inverse", "da_dq", "da_dv", "da_dtau",
                 "forward_frame_acceleration"}
    for name, values in vars(x).items():
        assert np.isnan(values[1]).all() == (name in undefined), name
        assert np.isfinite(values[[0, 2]]).all(), name
        assert name in undefined or np.isfinite(values[1]).all(), name


@pytest.mark.parametrize("quantity, field", [
    (ask.FORWARD_DYNAMICS, "a"),
    (ask.MASS_MATRIX_INVERSE, "mass_matrix_inverse"),
    (ask.FORWARD_DYNAMICS_DERIVATIVES, "da_dq")])
def test_a_singular_mass_matrix_names_what_it_leaves_undefined(
        client, quantity, field):
    register(client, "turntable", robots.turntable(2.0))
    reply = client.dynamics.Compute(compute_request(
        "turntable", [quantity], q=np.array([[0.3, -1.0]]),
        tau=np.ones((1, 2))))
    status, = reply.row_status
    assert (status.code, status.field, status.joint) == (
        pb.ROW_CODE_SINGULAR_MASS_MATRIX, field, "turn")


UNDER_WRENCHES = [
    ask.INVERSE_DYNAMICS, ask.FORWARD_DYNAMICS, ask.JOINT_WRENCHES,
    ask.BASE_WRENCH, ask.INVERSE_DYNAMICS_DERIVATIVES,
    ask.FORWARD_DYNAMICS_DERIVATIVES, ask.FORWARD_FRAME_ACCELERATION,
    ask.TASK_TORQUE, ask.POWER_BALANCE]


@pytest.mark.parametrize(
    "quantity", ALL_QUANTITIES, ids=lambda q: pb.Quantity.Name(q)[9:].lower())
def test_a_wrench_changes_what_is_under_it_and_is_refused_elsewhere(
        client, quantity):
    s = States(7, 2)
    plain = compute_request(
        "panda", [quantity], q=s.q, v=s.v, a=s.a, tau=s.tau)
    loaded = pb.ComputeRequest()
    loaded.CopyFrom(plain)
    loaded.tip_wrench_on_environment.CopyFrom(tip_wrench(s.wrench))
    if quantity in UNDER_WRENCHES:
        free, pressed = map(client.dynamics.Compute, (plain, loaded))
        assert free.rows_not_ok == pressed.rows_not_ok == 0
        assert free.results != pressed.results
        return
    failure = failure_of(client.dynamics.Compute, loaded)
    assert failure.reason == "INVALID_OPTION"
    assert failure.fields == ["tip_wrench_on_environment"]
    _, failure = streams.failed(
        client, streams.start("panda", [quantity]), streams.chunk_of(s))
    assert failure.fields == ["chunk.tip_wrench_on_environment"]


@pytest.mark.parametrize("quantity, most", [
    (ask.CHRISTOFFEL_SYMBOLS, 100), (ask.REGRESSOR, 256)])
def test_what_grows_fast_is_refused_of_many_joints(client, quantity, most):
    name = f"snake{most + 1}"
    register(client, name, robots.chain(most + 1))
    q = np.zeros((1, most + 1))
    failure = failure_of(client.dynamics.Compute, compute_request(
        name, [quantity], q=q))
    assert failure.reason == "INVALID_OPTION"
    assert failure.fields == ["quantities"]
    assert str(most) in failure.violations[0][1]
    failed = streams.failed(client, streams.start(name, [quantity]),
                            streams.chunk(q=q))[1]
    assert failed.fields == ["start.quantities"]
    # Everything else is answered; and so is a joint less, if it fits.
    fine = compute(client, name, [ask.CORIOLIS_MATRIX], q=q, v=q + 1)
    assert table(fine.results.coriolis_matrix).shape == (1, (most + 1) ** 2)
    register(client, f"snake{most}", robots.chain(most))
    fits = compute(client, f"snake{most}", [quantity], q=q[:, 1:])
    assert fits.rows == 1
    failure = failure_of(client.dynamics.Compute, compute_request(
        f"snake{most}", [quantity], q=np.zeros((20, most))))
    assert failure.reason == "REQUEST_TOO_LARGE"
