"""Tasks that cannot move, and tasks that hardly do, asked of a server."""

import numpy as np
import pytest

import streams
from calls import ask, compute_request, options, register
from harness import array, failure_of, table
from torqued.v1 import dynamics_pb2 as pb

# The origin of panda_link3 does not move along its z axis, whatever the joints
# do.
Q = np.array([[0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5],
              [0.3, 1.1, -0.7, -0.9, -1.2, 0.4, 2.0]])
V = np.array([[0.5, -1.0, 0.2, 0.3, -0.4, 1.0, 0.1]] * 2)
Z = [pb.TASK_AXIS_LINEAR_Z]
Y = [pb.TASK_AXIS_ANGULAR_Y]
PRECISIONS = {"double": pb.PRECISION_DOUBLE, "single": pb.PRECISION_SINGLE}
OF_THE_TASK = [ask.OPERATIONAL_SPACE, ask.TASK_PROJECTION, ask.TASK_TORQUE]

# Two parallel axes, the second turned over by pi as it is often typed.
TURNED = """
<robot name="turned">
  <link name="base"/>
  <joint name="first" type="continuous">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
  </joint>
  <link name="upper"><inertial><mass value="2"/><origin xyz="0.2 0 0"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="second" type="continuous">
    <parent link="upper"/><child link="lower"/>
    <origin xyz="0.4 0 0" rpy="{turn} 0 0"/><axis xyz="0 0 1"/>
  </joint>
  <link name="lower"><inertial><mass value="1"/><origin xyz="0.1 0.1 0"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
</robot>
"""


@pytest.fixture(scope="module", name="turned")
def fixture_turned(client):
    for name, turn in (("typed", "3.1415926536"),
                       ("exact", "3.1415926535897931")):
        register(client, name, TURNED.format(turn=turn))
    return client


def space(axes, **choices):
    return pb.OperationalSpaceOptions(axes=axes, **choices)


def computed(client, model, quantities, q, task, link=None, **given):
    """The reply of Compute; that of a stream is the same."""
    precision = given.pop("precision", "double")
    chosen = options(tip_frame=link or "", precision=PRECISIONS[precision],
                     reference_frame=given.pop("reference_frame", 0))
    reply = client.dynamics.Compute(compute_request(
        model, quantities, q=q, options=chosen, operational_space=task,
        **given))
    streamed, = streams.evaluate(
        client, streams.start(model, quantities, options=chosen,
                              operational_space=task),
        streams.chunk(q=q, **given))
    assert streamed.results == reply.results
    assert streamed.row_status == reply.row_status
    return reply


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_task_that_cannot_move_has_rank_zero_and_no_inertia(
        client, precision):
    tau = np.array([[1.0, -2.0, 3.0, 0.5, 0.2, -0.1, 0.4]] * 2)
    reply = computed(
        client, "panda", OF_THE_TASK, Q, space(Z), "panda_link3", v=V,
        task_acceleration=np.ones((2, 1)), null_space_torque=tau,
        precision=precision)
    results = reply.results
    assert list(results.rank) == [0, 0]
    assert list(results.rule) == [pb.TASK_RULE_RANGE_RESTRICTED] * 2
    assert not table(getattr(results, "lambda")).any()
    assert not table(results.eta).any()
    assert (np.abs(table(results.mobility)) < 1e-28).all()
    assert not table(results.consistent_inverse).any()
    n = 7
    assert np.array_equal(table(results.null_space_projector),
                          [np.eye(n).ravel()] * 2)
    # Nothing drives it, and all of the null-space torque leaves it alone.
    assert np.array_equal(table(results.task_torque), tau)
    for row, status in enumerate(reply.row_status):
        assert (status.row, status.code, status.field) == (
            row, pb.ROW_CODE_SINGULAR_TASK_SPACE, "lambda")
        assert "cannot move" in status.message
        assert status.value < 1e-15


@pytest.mark.parametrize("quantity", OF_THE_TASK)
def test_each_quantity_of_the_task_names_it(client, quantity):
    reply = computed(client, "panda", [quantity], Q, space(Z), "panda_link3")
    field = {ask.OPERATIONAL_SPACE: "lambda", ask.TASK_PROJECTION: "mobility",
             ask.TASK_TORQUE: "task_torque"}[quantity]
    assert [(s.code, s.field) for s in reply.row_status] == [
        (pb.ROW_CODE_SINGULAR_TASK_SPACE, field)] * 2


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_typed_angle_leaves_a_weak_task_with_its_numbers(
        turned, precision):
    q = np.array([[0.3, -0.5], [1.5, 0.25]])
    about_y = {"link": "lower", "precision": precision,
               "reference_frame": pb.REFERENCE_FRAME_LOCAL_WORLD_ALIGNED}
    asked = [*OF_THE_TASK, ask.JACOBIAN, ask.MASS_MATRIX_INVERSE]
    reply = computed(turned, "typed", asked, q, space(Y), **about_y)
    results = reply.results
    assert list(results.rank) == [1, 1]
    assert list(results.rule) == [pb.TASK_RULE_FULL_RANK] * 2
    lam = table(getattr(results, "lambda"))
    assert (lam > 1e18).all() and np.isfinite(lam).all()
    np.testing.assert_allclose(lam * table(results.mobility), 1, rtol=1e-6)
    error = 3.1415926536 - np.pi
    for row, status in enumerate(reply.row_status):
        assert (status.row, status.code, status.field) == (
            row, pb.ROW_CODE_WEAK_TASK_SPACE, "lambda")
        # The second axis leans by the error, about an axis that turns.
        leaning = abs(error * np.cos(q[row, 0]))
        assert leaning / 2 < status.value < leaning / np.sqrt(2)
        assert "hardly moves" in status.message
    # Where it is meant, nothing is said; with all digits it is round-off.
    meant = computed(turned, "typed", asked, q,
                     space(Y, rank_tolerance=1e-13), **about_y)
    assert meant.rows_not_ok == 0
    # A row of 1e-11 has five digits.
    np.testing.assert_allclose(table(meant.results.eta), table(results.eta),
                               rtol=1e-4)
    exact = computed(turned, "exact", asked, q, space(Y), **about_y)
    assert list(exact.results.rank) == [0, 0]


def test_fail_fast_counts_a_weak_task_as_failed(turned):
    failure = failure_of(turned.dynamics.Compute, compute_request(
        "typed", [ask.OPERATIONAL_SPACE], q=np.zeros((1, 2)),
        options=options(
            fail_fast=True, tip_frame="lower",
            reference_frame=pb.REFERENCE_FRAME_LOCAL_WORLD_ALIGNED),
        operational_space=space(Y)))
    assert failure.reason == "ROW_FAILED"
    assert failure.metadata["code"] == "ROW_CODE_WEAK_TASK_SPACE"


def test_the_shorthand_says_the_same(client):
    reply = client.dynamics.OperationalSpace(pb.OperationalSpaceRequest(
        model="panda", q=array(Q), options=options(tip_frame="panda_link3"),
        operational_space=space(Z)))
    assert list(reply.rank) == [0, 0]
    assert [s.code for s in reply.row_status] == [
        pb.ROW_CODE_SINGULAR_TASK_SPACE] * 2
