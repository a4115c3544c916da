"""Every quantity of the Dynamics service, against closed forms and laws."""

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb

import closed_forms
import robots
from calls import (
    ask, ALL_QUANTITIES, FRAMES, States, compute, compute_request, options,
    register, task_matrices, tip_wrench)
from harness import array, matrices, same_bits, table

EPSILON = np.finfo(float).eps
DOWN = (0.0, -9.81, 0.0)  # gravity in the plane of planar_2r
ARM = closed_forms.Planar2R()
LINEAR_XY = [pb.TASK_AXIS_LINEAR_X, pb.TASK_AXIS_LINEAR_Y]
XY_ROWS = [3, 4]  # of a 6-row Jacobian


# --- Closed forms of the planar arm ------------------------------------------


@pytest.fixture(scope="module")
def planar():
    return States(2, 50)


def test_inverse_dynamics_equals_the_closed_form(client, planar):
    for gravity in (DOWN, (1.5, -3.0, 7.0)):
        reply = client.dynamics.InverseDynamics(pb.InverseDynamicsRequest(
            model="planar_2r", q=array(planar.q), v=array(planar.v),
            a=array(planar.a), options=options(gravity=gravity)))
        assert reply.rows == 50 and reply.rows_not_ok == 0
        np.testing.assert_allclose(
            table(reply.tau),
            ARM.torque(planar.q, planar.v, planar.a, gravity),
            rtol=1e-13, atol=1e-13)


def test_mass_matrix_equals_the_closed_form(client, planar):
    reply = client.dynamics.MassMatrix(pb.MassMatrixRequest(
        model="planar_2r", q=array(planar.q)))
    assert reply.rows == 50 and reply.rows_not_ok == 0
    np.testing.assert_allclose(
        matrices(reply.mass_matrix, 2), ARM.mass_matrix(planar.q),
        rtol=1e-13, atol=1e-14)


def test_angles_of_many_turns_are_as_exact_as_others(client):
    turns = np.array([1e2, 1e5, 1e9, 1e15, 1e300, np.pi * 1e7])
    q = np.stack([0 * turns, turns], axis=1)
    reply = compute(client, "planar_2r", [ask.MASS_MATRIX], q=np.r_[q, -q])
    np.testing.assert_allclose(
        matrices(reply.results.mass_matrix, 2), ARM.mass_matrix(np.r_[q, -q]),
        rtol=1e-13, atol=1e-14)


def test_forward_dynamics_equals_the_closed_form(client, planar):
    reply = client.dynamics.ForwardDynamics(pb.ForwardDynamicsRequest(
        model="planar_2r", q=array(planar.q), v=array(planar.v),
        tau=array(planar.tau), options=options(gravity=DOWN)))
    assert reply.rows == 50 and reply.rows_not_ok == 0
    expected = np.linalg.solve(
        ARM.mass_matrix(planar.q),
        (planar.tau - ARM.bias(planar.q, planar.v, DOWN))[..., None])[..., 0]
    np.testing.assert_allclose(
        table(reply.a), expected, rtol=1e-12, atol=1e-11)


def test_bias_forces_equal_the_closed_form(client, planar):
    reply = compute(client, "planar_2r", [ask.BIAS_FORCES], q=planar.q,
                    v=planar.v, options=options(gravity=DOWN))
    np.testing.assert_allclose(
        table(reply.results.bias), ARM.bias(planar.q, planar.v, DOWN),
        rtol=1e-13, atol=1e-13)


def test_the_pose_equals_the_closed_form(client, planar):
    reply = compute(client, "planar_2r", [ask.FRAME_POSE], q=planar.q)
    pose = matrices(reply.results.pose, 3)
    np.testing.assert_allclose(
        pose[:, :, :3], ARM.rotation(planar.q), atol=1e-15)
    np.testing.assert_allclose(
        pose[:, :, 3], ARM.position(planar.q), atol=1e-15)


def test_the_pose_of_a_seven_axis_arm_equals_its_parameter_table(client):
    q = States(7, 20).q
    pose = matrices(
        compute(client, "panda", [ask.FRAME_POSE], q=q).results.pose, 3)
    expected = closed_forms.craig_pose(
        q, closed_forms.PANDA_TABLE, closed_forms.PANDA_FLANGE)
    np.testing.assert_allclose(pose, expected[:, :3], atol=2e-15)


@pytest.mark.parametrize("frame", FRAMES)
def test_jacobian_and_drift_equal_the_closed_form(client, planar, frame):
    reply = compute(
        client, "planar_2r", [ask.JACOBIAN, ask.JACOBIAN_DRIFT], q=planar.q,
        v=planar.v, options=options(reference_frame=FRAMES[frame]))
    np.testing.assert_allclose(
        matrices(reply.results.jacobian, 6), ARM.jacobian(planar.q, frame),
        atol=1e-15)
    np.testing.assert_allclose(
        table(reply.results.jacobian_drift),
        ARM.drift(planar.q, planar.v, frame), atol=2e-14)


@pytest.mark.parametrize("frame", ["local", "world_aligned"])
def test_operational_space_equals_the_closed_form(client, frame):
    states = States(2, 50)
    # Bent elbows: the closed form divides by sin(q2).
    states.q[:, 1] = np.random.default_rng(3).uniform(0.4, 2.7, 50)
    reply = client.dynamics.OperationalSpace(pb.OperationalSpaceRequest(
        model="planar_2r", q=array(states.q), v=array(states.v),
        options=options(gravity=DOWN, reference_frame=FRAMES[frame]),
        operational_space=pb.OperationalSpaceOptions(
            axes=LINEAR_XY, sigma_min=True)))
    assert reply.rows == 50 and reply.rows_not_ok == 0
    np.testing.assert_allclose(
        task_matrices(getattr(reply, "lambda")),
        ARM.task_inertia(states.q, XY_ROWS, frame), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(
        table(reply.eta),
        ARM.task_bias(states.q, states.v, DOWN, XY_ROWS, frame),
        rtol=1e-11, atol=1e-10)
    assert list(reply.rank) == [2] * 50
    assert list(reply.rule) == [pb.TASK_RULE_FULL_RANK] * 50
    sigma = np.linalg.svd(
        ARM.jacobian(states.q, frame)[:, XY_ROWS], compute_uv=False)
    np.testing.assert_allclose(reply.sigma_min, sigma[:, 1], rtol=1e-12)


def test_task_axes_keep_the_order_of_the_request(client, planar):
    def task_inertia(axes):
        reply = compute(
            client, "planar_2r", [ask.OPERATIONAL_SPACE], q=planar.q[:5],
            operational_space=pb.OperationalSpaceOptions(axes=axes))
        return (task_matrices(getattr(reply.results, "lambda")),
                table(reply.results.eta))

    xy, eta_xy = task_inertia(LINEAR_XY)
    yx, eta_yx = task_inertia(LINEAR_XY[::-1])
    np.testing.assert_allclose(yx, xy[:, ::-1, ::-1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(eta_yx, eta_xy[:, ::-1], rtol=1e-9, atol=1e-12)
    assert not np.allclose(xy, yx)


STRETCHED = np.array([[0.3, 0.0], [0.4, 1.1], [-2.0, 0.0]])
STRETCHED_V = np.array([[0.5, -1.0], [0.2, 0.3], [1.5, 0.7]])


def singular_task(client, q=STRETCHED, **task):
    return client.dynamics.OperationalSpace(pb.OperationalSpaceRequest(
        model="planar_2r", q=array(q), v=array(STRETCHED_V),
        options=options(
            gravity=DOWN, reference_frame=FRAMES["world_aligned"]),
        operational_space=pb.OperationalSpaceOptions(
            axes=LINEAR_XY, **{"sigma_min": True, **task})))


def test_a_stretched_arm_is_reported_with_inertia_on_its_free_direction(client):
    reply = singular_task(client)
    lam = task_matrices(getattr(reply, "lambda"))
    assert list(reply.rank) == [1, 2, 1]
    assert list(reply.rule) == [
        pb.TASK_RULE_RANGE_RESTRICTED, pb.TASK_RULE_FULL_RANK,
        pb.TASK_RULE_RANGE_RESTRICTED]
    assert [(s.row, s.code) for s in reply.row_status] == [
        (0, pb.ROW_CODE_SINGULAR_TASK_SPACE),
        (2, pb.ROW_CODE_SINGULAR_TASK_SPACE)]
    assert reply.rows_not_ok == 2
    assert all(s.message for s in reply.row_status)
    np.testing.assert_allclose(reply.sigma_min[::2], 0, atol=1e-15)

    W = ARM.mobility(STRETCHED, XY_ROWS, "world_aligned")
    drive = ARM.task_drive(
        STRETCHED, STRETCHED_V, DOWN, XY_ROWS, "world_aligned")
    for row in (0, 2):
        # Stretched along (c, s), the tip can only move along (-s, c).
        u = np.array([-np.sin(STRETCHED[row, 0]), np.cos(STRETCHED[row, 0])])
        expected = np.outer(u, u) / (u @ W[row] @ u)
        np.testing.assert_allclose(lam[row], expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(
            table(reply.eta)[row], expected @ drive[row], rtol=1e-11,
            atol=1e-11)
    np.testing.assert_allclose(
        lam[1],
        ARM.task_inertia(STRETCHED[1:2], XY_ROWS, "world_aligned")[0],
        rtol=1e-11)


def test_singular_values_come_only_when_asked_for_and_change_nothing(client):
    asked = singular_task(client)
    plain = singular_task(client, sigma_min=False)
    assert asked.echo.operational_space.sigma_min
    assert not plain.echo.operational_space.sigma_min
    assert len(asked.sigma_min) == 3
    assert len(plain.sigma_min) == 0
    assert getattr(plain, "lambda") == getattr(asked, "lambda")
    assert plain.eta == asked.eta
    assert plain.rank == asked.rank
    assert plain.rule == asked.rule
    # A singular row names its value either way.
    assert plain.row_status == asked.row_status
    assert [s.value for s in plain.row_status] == [
        asked.sigma_min[0], asked.sigma_min[2]]
    nearly = singular_task(client, q=[[0.3, 1e-8]] * 3, sigma_min=False)
    sigma = np.linalg.svd(ARM.jacobian(np.array([[0.3, 1e-8]]),
                                       "world_aligned")[:, XY_ROWS],
                          compute_uv=False)
    assert nearly.row_status[1].value == pytest.approx(sigma[0, 1], rel=1e-6)


def test_damping_bounds_the_inertia_of_singular_rows_only(client):
    mu = 0.05
    reply = singular_task(
        client, singularity=pb.SINGULARITY_RULE_DAMPED, damping=mu)
    lam = task_matrices(getattr(reply, "lambda"))
    W = ARM.mobility(STRETCHED, XY_ROWS, "world_aligned")
    drive = ARM.task_drive(
        STRETCHED, STRETCHED_V, DOWN, XY_ROWS, "world_aligned")
    assert list(reply.rank) == [1, 2, 1]
    assert list(reply.rule) == [
        pb.TASK_RULE_DAMPED, pb.TASK_RULE_FULL_RANK, pb.TASK_RULE_DAMPED]
    assert [s.row for s in reply.row_status] == [0, 2]
    for row in (0, 2):
        expected = np.linalg.inv(W[row] + mu**2 * np.eye(2))
        np.testing.assert_allclose(lam[row], expected, rtol=1e-11)
        np.testing.assert_allclose(
            table(reply.eta)[row], expected @ drive[row], rtol=1e-10)
    # Full rank stays exact.
    np.testing.assert_allclose(
        lam[1],
        ARM.task_inertia(STRETCHED[1:2], XY_ROWS, "world_aligned")[0],
        rtol=1e-11)


def test_more_task_axes_than_joints_give_the_mass_matrix_back(client, planar):
    reply = client.dynamics.Compute(compute_request(
        "planar_2r", [ask.OPERATIONAL_SPACE, ask.JACOBIAN, ask.MASS_MATRIX],
        q=planar.q,
        operational_space=pb.OperationalSpaceOptions(sigma_min=True)))
    results = reply.results
    lam = task_matrices(getattr(results, "lambda"))
    assert lam.shape == (50, 6, 6)
    assert list(results.rank) == [2] * 50
    assert list(results.sigma_min) == [0.0] * 50
    assert list(results.rule) == [pb.TASK_RULE_RANGE_RESTRICTED] * 50
    assert reply.rows_not_ok == 50 == len(reply.row_status)
    J = matrices(results.jacobian, 6)
    np.testing.assert_allclose(
        J.transpose(0, 2, 1) @ lam @ J, matrices(results.mass_matrix, 2),
        rtol=1e-11, atol=1e-12)


def test_the_rank_test_scales_linear_rows_and_obeys_its_tolerance(client):
    def diagnose(**task):
        reply = singular_task(client, q=[[0.3, 1e-3]] * 3, **task)
        return reply.rank[0], reply.sigma_min[0], reply.rule[0]

    rank, sigma, rule = diagnose()
    assert (rank, rule) == (2, pb.TASK_RULE_FULL_RANK)
    # A length divides all rows of a purely linear task alike.
    scaled = diagnose(characteristic_length=0.25)
    assert scaled[0] == 2
    assert scaled[1] == pytest.approx(4 * sigma, rel=1e-12)
    rank, _, rule = diagnose(rank_tolerance=0.1)
    assert (rank, rule) == (1, pb.TASK_RULE_RANGE_RESTRICTED)


def test_where_a_joint_moves_no_mass_only_what_needs_the_inverse_is_undefined(
        client):
    register(client, "turntable", robots.turntable(2.0))
    q = np.array([[0.3, -0.5], [0.3, -1.0], [0.3, 0.5]])
    v = np.array([[0.0, 0.0], [1.5, 0.2], [0.0, 0.0]])
    reply = client.dynamics.Compute(compute_request(
        "turntable",
        [ask.INVERSE_DYNAMICS, ask.MASS_MATRIX, ask.FORWARD_DYNAMICS,
         ask.OPERATIONAL_SPACE], q=q, v=v, tau=np.ones((1, 2)),
        operational_space=pb.OperationalSpaceOptions(axes=LINEAR_XY)))
    results = reply.results
    radius = 1 + q[:, 1]
    np.testing.assert_allclose(
        table(results.mass_matrix),
        2 * np.stack([radius**2, 0 * radius, 0 * radius, 1 + 0 * radius],
                     axis=1), atol=1e-15)
    np.testing.assert_allclose(table(results.tau), 0, atol=1e-14)
    a = table(results.a)
    np.testing.assert_allclose(
        a[::2], np.stack([0.5 / radius[::2]**2, [0.5, 0.5]], axis=1))
    assert np.isnan(a[1]).all()
    assert np.isnan(table(getattr(results, "lambda"))[1]).all()
    assert np.isnan(table(results.eta)[1]).all()
    assert results.rule[1] == pb.TASK_RULE_UNDEFINED
    assert reply.rows_not_ok == 1
    status, = reply.row_status
    assert (status.row, status.code, status.joint) == (
        1, pb.ROW_CODE_SINGULAR_MASS_MATRIX, "turn")
    assert status.message


def test_pendulum_and_lift_equal_the_equations_on_paper(client):
    register(client, "pendulum", robots.pendulum(2.0, 0.5))
    register(client, "lift", robots.lift(3.0))
    s = States(1, 20)
    swing = compute(client, "pendulum", [ask.INVERSE_DYNAMICS], q=s.q, v=s.v,
                    a=s.a)
    np.testing.assert_allclose(
        table(swing.results.tau),
        2.0 * 0.25 * s.a - 2.0 * 9.81 * 0.5 * np.cos(s.q), atol=1e-14)
    rise = compute(client, "lift", [ask.INVERSE_DYNAMICS], q=s.q, v=s.v, a=s.a)
    np.testing.assert_allclose(
        table(rise.results.tau), 3.0 * s.a + 3.0 * 9.81, rtol=1e-14)


# --- Laws on spatial arms ----------------------------------------------------

ARMS = {"ur5e": 6, "panda": 7}


@pytest.fixture(scope="module", params=ARMS)
def arm(request, client):
    """Name and states of an arm, and everything computed for them."""
    states = States(ARMS[request.param], 40)
    results = compute(
        client, request.param, ALL_QUANTITIES, q=states.q, v=states.v,
        a=states.a, tau=states.tau,
        operational_space=pb.OperationalSpaceOptions(sigma_min=True)).results
    return request.param, states, results


def solve_tolerance(M, a, h):
    """Rounding of a = M^-1 (M a + h): error of the torque times |M^-1|."""
    norm = np.linalg.norm
    torque = norm(M, 2, axis=(1, 2)) * norm(a, axis=1) + norm(h, axis=1)
    return 50 * EPSILON * norm(np.linalg.inv(M), 2, axis=(1, 2)) * torque


def test_forward_dynamics_undoes_inverse_dynamics(client, arm):
    model, s, results = arm
    back = compute(client, model, [ask.FORWARD_DYNAMICS], q=s.q, v=s.v,
                   tau=results.tau)
    error = np.linalg.norm(table(back.results.a) - s.a, axis=1)
    tolerance = solve_tolerance(
        matrices(results.mass_matrix, s.q.shape[1]), s.a, table(results.bias))
    assert (error <= tolerance).all(), (error / tolerance).max()
    # Not if a term is left out on the way back.
    weightless = compute(
        client, model, [ask.FORWARD_DYNAMICS], q=s.q, v=s.v, tau=results.tau,
        options=options(gravity=(0, 0, 0)))
    assert np.abs(table(weightless.results.a) - s.a).max() > 1


def test_torque_is_mass_matrix_times_acceleration_plus_bias(arm):
    _, s, results = arm
    M = matrices(results.mass_matrix, s.q.shape[1])
    np.testing.assert_allclose(
        np.einsum("kij,kj->ki", M, s.a) + table(results.bias),
        table(results.tau), rtol=1e-12, atol=1e-12)


def test_the_mass_matrix_is_symmetric_and_positive_definite(arm):
    _, s, results = arm
    M = matrices(results.mass_matrix, s.q.shape[1])
    assert same_bits(M, M.transpose(0, 2, 1))
    assert (np.linalg.eigvalsh(M)[:, 0] > 0).all()


def test_the_jacobian_is_the_derivative_of_the_pose(client, arm):
    model, s, _ = arm
    step = 1e-6

    def pose_and_jacobian(q):
        reply = compute(
            client, model, [ask.FRAME_POSE, ask.JACOBIAN], q=q, options=options(
                reference_frame=pb.REFERENCE_FRAME_LOCAL_WORLD_ALIGNED))
        return (matrices(reply.results.pose, 3),
                matrices(reply.results.jacobian, 6))

    pose, jacobian = pose_and_jacobian(s.q)
    ahead, _ = pose_and_jacobian(s.q + step * s.v)
    behind, _ = pose_and_jacobian(s.q - step * s.v)
    rate = (ahead - behind) / (2 * step)
    twist = np.einsum("kij,kj->ki", jacobian, s.v)
    spin = rate[:, :, :3] @ pose[:, :, :3].transpose(0, 2, 1)
    omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    np.testing.assert_allclose(twist[:, 3:], rate[:, :, 3], atol=1e-8)
    np.testing.assert_allclose(twist[:, :3], omega, atol=1e-8)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_drift_is_the_rate_of_the_jacobian(client, arm, frame):
    model, s, _ = arm
    step = 1e-6

    def jacobian_and_drift(q):
        reply = compute(
            client, model, [ask.JACOBIAN, ask.JACOBIAN_DRIFT], q=q, v=s.v,
            options=options(reference_frame=FRAMES[frame]))
        return (matrices(reply.results.jacobian, 6),
                table(reply.results.jacobian_drift))

    _, drift = jacobian_and_drift(s.q)
    ahead, _ = jacobian_and_drift(s.q + step * s.v)
    behind, _ = jacobian_and_drift(s.q - step * s.v)
    np.testing.assert_allclose(
        np.einsum("kij,kj->ki", (ahead - behind) / (2 * step), s.v), drift,
        atol=1e-7)


def test_task_inertia_inverts_the_mobility(arm):
    _, s, results = arm
    M = matrices(results.mass_matrix, s.q.shape[1])
    J = matrices(results.jacobian, 6)
    W = J @ np.linalg.solve(M, J.transpose(0, 2, 1))
    lam = task_matrices(getattr(results, "lambda"))
    drive = np.einsum(
        "kij,kj->ki", J,
        np.linalg.solve(M, table(results.bias)[..., None])[..., 0]
    ) - table(results.jacobian_drift)
    # Errors of Lambda scale with the condition of W.
    for k, scale in enumerate(np.linalg.cond(W)):
        np.testing.assert_allclose(
            lam[k], np.linalg.inv(W[k]),
            atol=20 * EPSILON * scale * np.linalg.norm(lam[k], 2))
        np.testing.assert_allclose(
            table(results.eta)[k], lam[k] @ drive[k],
            atol=20 * EPSILON * scale * np.linalg.norm(lam[k], 2)
            * np.linalg.norm(drive[k]))
    sigma = np.linalg.svd(J, compute_uv=False)
    assert list(results.rank) == [6] * len(s.q)
    np.testing.assert_allclose(results.sigma_min, sigma[:, -1], rtol=1e-9)


# --- Tip wrench --------------------------------------------------------------


@pytest.mark.parametrize("frame", FRAMES)
def test_a_tip_wrench_adds_its_joint_torques_and_comes_off_again(
        client, arm, frame):
    model, s, results = arm
    wrench = tip_wrench(s.wrench, FRAMES[frame])
    # The Jacobian's frame is chosen apart from the wrench's.
    loaded = compute(
        client, model, [ask.INVERSE_DYNAMICS, ask.BIAS_FORCES, ask.JACOBIAN],
        q=s.q, v=s.v, a=s.a, tip_wrench_on_environment=wrench,
        options=options(reference_frame=FRAMES[frame])).results
    J = matrices(loaded.jacobian, 6)
    np.testing.assert_allclose(
        table(loaded.tau) - table(results.tau),
        np.einsum("kij,ki->kj", J, s.wrench), atol=1e-12)
    assert same_bits(table(loaded.bias), table(results.bias))

    back = compute(
        client, model, [ask.FORWARD_DYNAMICS], q=s.q, v=s.v, tau=loaded.tau,
        tip_wrench_on_environment=wrench)
    error = np.linalg.norm(table(back.results.a) - s.a, axis=1)
    load = np.linalg.norm(table(results.bias), axis=1)[:, None] + np.abs(
        np.einsum("kij,ki->kj", J, s.wrench))
    tolerance = solve_tolerance(
        matrices(results.mass_matrix, s.q.shape[1]), s.a, load)
    assert (error <= tolerance).all(), (error / tolerance).max()
    forgotten = compute(
        client, model, [ask.FORWARD_DYNAMICS], q=s.q, v=s.v, tau=loaded.tau)
    assert np.abs(table(forgotten.results.a) - s.a).max() > 0.1


def test_the_frame_of_a_wrench_does_not_depend_on_that_of_the_jacobian(
        client, planar):
    torques = [
        compute(client, "planar_2r", [ask.INVERSE_DYNAMICS], q=planar.q,
                tip_wrench_on_environment=tip_wrench(
                    [0, 0, 0, 3, -4, 0],
                    pb.REFERENCE_FRAME_LOCAL_WORLD_ALIGNED),
                options=options(reference_frame=frame)).results.tau
        for frame in FRAMES.values()]
    expected = np.einsum(
        "kij,i->kj", ARM.jacobian(planar.q, "world_aligned"),
        [0, 0, 0, 3, -4, 0])
    np.testing.assert_allclose(table(torques[0]), expected, atol=1e-14)
    assert torques[0] == torques[1] == torques[2]


# --- Terms -------------------------------------------------------------------


def test_friction_acts_only_when_asked_for(client):
    register(client, "rusty",
             robots.pendulum(2.0, 0.5, damping=0.7, friction=0.3))
    q = np.array([[0.4], [0.4], [0.4]])
    v = np.array([[1.5], [-2.0], [0.0]])
    a = np.array([[1.0], [2.0], [3.0]])
    smooth = 0.5 * a - 9.81 * np.cos(q)
    bare = compute(client, "rusty", [ask.MASS_MATRIX], q=q).results
    for viscous in (False, True):
        for coulomb in (False, True):
            choice = options(viscous=viscous, coulomb=coulomb)
            drag = viscous * 0.7 * v + coulomb * 0.3 * np.sign(v)
            reply = compute(
                client, "rusty",
                [ask.INVERSE_DYNAMICS, ask.BIAS_FORCES, ask.MASS_MATRIX,
                 ask.FORWARD_DYNAMICS],
                q=q, v=v, a=a, tau=smooth + drag, options=choice)
            np.testing.assert_allclose(
                table(reply.results.tau), smooth + drag, atol=1e-14)
            np.testing.assert_allclose(
                table(reply.results.bias), smooth + drag - 0.5 * a, atol=1e-14)
            np.testing.assert_allclose(
                table(reply.results.a), a, atol=1e-13)
            assert reply.results.mass_matrix == bare.mass_matrix
            assert reply.echo.terms.viscous_friction == viscous
            assert reply.echo.terms.coulomb_friction == coulomb


def test_gravity_is_the_models_unless_given(client, planar):
    def bias(gravity):
        return compute(
            client, "ur5e", [ask.BIAS_FORCES], q=States(6, 10).q,
            options=options(gravity=gravity))

    default, explicit, zero, double = (
        bias(g) for g in (None, (0, 0, -9.81), (0, 0, 0), (0, 0, -19.62)))
    assert default.results == explicit.results
    assert list(default.echo.terms.gravity) == [0, 0, -9.81]
    assert not table(zero.results.bias).any()
    np.testing.assert_allclose(
        table(double.results.bias), 2 * table(default.results.bias),
        rtol=1e-13, atol=1e-13)
    # Gravity along the joint axes does nothing in the plane.
    flat = compute(client, "planar_2r", [ask.BIAS_FORCES], q=planar.q)
    assert np.abs(table(flat.results.bias)).max() < 1e-14
