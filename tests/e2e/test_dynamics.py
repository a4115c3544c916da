"""The calls of the Dynamics service for one quantity, against closed forms, and
the rule of singular tasks."""

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb

import closed_forms
import robots
from calls import (
    ask, FRAMES, States, compute, compute_request, options, register,
    task_matrices)
from harness import array, matrices, table
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
