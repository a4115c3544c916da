"""States in, results out: shapes, names, order, and what is no state."""

import collections
import inspect
import warnings

import numpy as np
import pytest
import torqued
from conftest import refused, same_bits

NAMES = [f"panda_joint{i}" for i in range(1, 8)]
# Of one state of seven joints, with a task of three axes.
SHAPES = {
    "inverse_dynamics": (7,), "mass_matrix": (7, 7), "forward_dynamics": (7,),
    "bias_forces": (7,), "frame_pose": (4, 4), "jacobian": (6, 7),
    "jacobian_drift": (6,), "gravity_forces": (7,), "coriolis_forces": (7,),
    "coriolis_matrix": (7, 7), "christoffel_symbols": (7, 7, 7),
    "mass_matrix_rate": (7, 7), "mass_matrix_inverse": (7, 7),
    "energy": [(), ()], "center_of_mass": [(3,), (3,)], "momentum": (6,),
    "momentum_matrix": (6, 7), "link_twists": (7, 6),
    "link_accelerations": (7, 6), "frame_velocity": (6,),
    "frame_acceleration": [(6,), (6,)], "jacobian_rate": (6, 7),
    "joint_wrenches": (7, 6), "base_wrench": (6,), "regressor": (7, 70),
    "inverse_dynamics_derivatives": [(7, 7)] * 2,
    "forward_dynamics_derivatives": [(7, 7)] * 3,
    "operational_space": [(3, 3), (3,), (), (), ()],
    "task_projection": [(3, 3), (7, 3), (7, 7)],
    "forward_frame_acceleration": (6,), "task_torque": (7,),
    "power_balance": (8,)}


def ask(robot, name, q, v, tau):
    function = getattr(robot.with_options(
        axes=["linear_x", "linear_y", "linear_z"], sigma_min=True), name)
    given = {"q": q, "v": v, "tau": tau}
    return function(**{word: given[word]
                       for word in inspect.signature(function).parameters
                       if word in given})


@pytest.mark.parametrize("name", [q.name.lower() for q in torqued.Quantity])
def test_shapes_of_one_state_and_of_a_batch(panda, states, name):
    s, shapes = states(3), SHAPES[name]
    one = ask(panda, name, s.q[1], s.v[1], s.tau[1])
    batch = ask(panda, name, s.q, s.v, s.tau)
    if not isinstance(shapes, list):
        one, batch, shapes = [one], [batch], [shapes]
    assert [np.shape(x) for x in one] == shapes
    assert [np.shape(x) for x in batch] == [(3, *shape) for shape in shapes]
    for of_one, of_all in zip(one, batch):
        assert same_bits(np.asarray(of_one), np.asarray(of_all[1]))
    assert max(np.abs(of_all).max() for of_all in batch) > 0
    # A batch of one state is a batch.
    row = ask(panda, name, s.q[:1], s.v[:1], s.tau[:1])
    row = row if isinstance(SHAPES[name], list) else [row]
    assert [np.shape(x) for x in row] == [(1, *shape) for shape in shapes]


def test_numbers_come_as_people_have_them(panda, states):
    s = states(3)
    expected = panda.inverse_dynamics(s.q, s.v)
    wide = np.zeros((3, 14))
    wide[:, ::2] = s.q
    for q in (s.q.tolist(), np.asfortranarray(s.q), s.q.astype(">f8"),
              wide[:, ::2], [tuple(row) for row in s.q]):
        assert same_bits(panda.inverse_dynamics(q, s.v), expected)
    single = panda.inverse_dynamics(s.q.astype(np.float32), s.v)
    assert same_bits(single, panda.inverse_dynamics(
        s.q.astype(np.float32).astype(float), s.v))
    assert np.array_equal(panda.gravity_forces([0, 1, 0, -1, 0, 1, 0]),
                          panda.gravity_forces([0., 1, 0, -1, 0, 1, 0]))


def by_name(row, names=tuple(NAMES)):
    return dict(reversed(list(zip(names, row))))


def test_joints_by_name(panda, states):
    s = states(3)
    one = panda.inverse_dynamics(s.q[0], s.v[0])
    assert same_bits(panda.inverse_dynamics(by_name(s.q[0]), by_name(s.v[0])), one)
    batch = panda.inverse_dynamics(s.q, s.v)
    assert same_bits(panda.inverse_dynamics(by_name(s.q.T), by_name(s.v.T)), batch)
    # One number among columns serves all states.
    s.q[:, 2] = 0.25
    mixed = by_name(s.q.T) | {"panda_joint3": 0.25}
    assert same_bits(panda.inverse_dynamics(mixed, s.v), panda.inverse_dynamics(s.q, s.v))
    assert panda.inverse_dynamics(collections.OrderedDict(
        by_name(s.q[0]))).shape == (7,)


class Frame:
    """What of a pandas DataFrame is used."""

    def __init__(self, columns):
        self._columns = columns

    def keys(self):
        return iter(self._columns)

    def __getitem__(self, name):
        return self._columns[name]


def test_columns_of_a_table(panda, states):
    s = states(3)
    assert same_bits(panda.inverse_dynamics(Frame(by_name(s.q.T))),
                     panda.inverse_dynamics(s.q))


def test_names_follow_the_order_of_the_call(panda, states):
    s = states(2)
    order = NAMES[::-1]
    turned = panda.with_options(joint_names=order)
    expected = panda.inverse_dynamics(s.q, s.v)[:, ::-1]
    assert np.array_equal(turned.inverse_dynamics(s.q[:, ::-1], s.v[:, ::-1]), expected)
    # Names need no order.
    assert np.array_equal(turned.inverse_dynamics(
        by_name(s.q.T), by_name(s.v.T)), expected)
    assert turned.joint_names == tuple(order)
    assert np.array_equal(turned.effort_limits, panda.effort_limits[::-1])
    evaluation = turned.compute(["mass_matrix"], s.q)
    assert evaluation.echo.joint_names == tuple(order)


@pytest.mark.parametrize("change, joint", [
    (lambda q: q | {"elbow": 0.0}, "elbow"),
    (lambda q: {k: x for k, x in q.items() if k != "panda_joint4"},
     "panda_joint4")])
def test_a_joint_that_is_missing_or_unknown_is_named(panda, states, change, joint):
    with refused(match=joint, reason="WRONG_JOINT_NAMES", field="v", joint=joint):
        panda.inverse_dynamics(states(1).q[0], change(by_name(states(1).v[0])))


@pytest.mark.parametrize("q", [
    [[0.0] * 7, [0.0] * 6], np.zeros(7, complex),
    ["a"] * 7, [None] * 7, np.zeros(7, "datetime64[s]")])
def test_what_is_no_table_of_numbers(panda, q):
    with refused(ValueError, reason="MALFORMED_ARRAY", field="q"):
        panda.inverse_dynamics(q)


def test_external_wrenches_by_link(panda, states):
    s, wrench = states(2), np.arange(6.0)
    by_link = panda.inverse_dynamics(
        s.q, external_wrenches_on_robot={"panda_link4": wrench, "panda_link6": -wrench})
    listed = panda.inverse_dynamics(s.q, external_wrenches_on_robot=[
        torqued.ExternalWrench(np.tile(wrench, (2, 1)), "panda_link4"),
        torqued.ExternalWrench(-wrench, "panda_link6", "local")])
    assert same_bits(by_link, listed)
    assert not np.allclose(by_link, panda.inverse_dynamics(s.q))


def test_masked_numbers_are_refused(panda):
    q = np.linspace(-1, 1, 7)
    masked = np.ma.masked_greater(q, 0.5)
    by_name = {**dict(zip(panda.joint_names, q)),
               "panda_joint2": np.ma.masked_array([0.5, 0.6], mask=[0, 1])}
    for given, field in ((masked, "q"), (by_name, "q['panda_joint2']")):
        with refused(match="masked", field=field):
            panda.gravity_forces(given)
    with pytest.raises(torqued.InvalidArgument, match="masked"):
        torqued.Trajectory([0, 1], np.ma.masked_greater(np.eye(2), 0))
    unmasked = np.ma.masked_greater(q, 5)
    assert same_bits(panda.gravity_forces(unmasked), panda.gravity_forces(q))


def test_options_are_bound_and_overridden(panda):
    q = np.full(7, 0.5)
    world = panda.with_options(reference_frame="world")
    assert same_bits(world.jacobian(q), panda.jacobian(
        q, reference_frame=torqued.ReferenceFrame.WORLD))
    assert same_bits(world.jacobian(q, reference_frame="local"), panda.jacobian(q))
    assert "reference_frame" not in panda.options
    flat = panda.with_options(gravity=[0, 0, 0])
    assert not flat.inverse_dynamics(q).any() and not flat.gravity.any()
    assert np.array_equal(panda.gravity, [0, 0, -9.81])


def test_no_call_has_the_options_of_another(panda):
    q, axes = np.full(7, 0.5), ["linear_x"]
    assert panda.operational_space(q, axes=axes).Lambda.shape == (1, 1)
    axes.append("linear_y")
    assert panda.operational_space(q, axes=axes).Lambda.shape == (2, 2)
    twists = {panda.frame_velocity(q, q, tip_frame=frame).tobytes()
              for frame in panda.frames for _ in range(2)}
    assert len(twists) > 5


def test_what_a_robot_is(panda):
    assert (panda.name, panda.nq, panda.nv) == ("panda", 7, 7)
    assert list(panda.joint_names) == NAMES
    assert len(panda.revision) == 64
    assert panda.tip_frame == panda.frames[-1] == "panda_link8"
    assert panda.lower_limits[3] == -3.0718
    assert panda.upper_limits[3] == -0.0698
    assert panda.velocity_limits[0] == 2.175
    assert list(panda.effort_limits) == [87] * 4 + [12] * 3
    assert panda.joints[0].type is torqued.JointType.REVOLUTE


def test_no_states_are_a_batch_like_any_other(panda):
    none, told = np.zeros((0, 7)), []
    evaluation = panda.compute(
        ["operational_space", "frame_pose"], none, np.zeros(7), fail_fast=True,
        progress=lambda *step: told.append(step))
    assert evaluation.rows == 0
    assert evaluation.ok.shape == (0,) and evaluation.pose.shape == (0, 4, 4)
    assert evaluation.echo.tip_frame == "panda_link8"
    assert told == [(0, 0)]
    by_joint = panda.gravity_forces({name: [] for name in NAMES})
    assert by_joint.shape == (0, 7)
    # The example state, in which a task is singular, is nobody's.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        panda.operational_space(none)


def test_leading_axes_are_broadcast_as_in_numpy(panda, states):
    s = states(6)
    q, v = s.q.reshape(2, 3, 7), s.v[:3]
    tau = panda.inverse_dynamics(q, v, np.zeros((2, 1, 7)))
    assert tau.shape == (2, 3, 7)
    assert same_bits(tau[1, 2], panda.inverse_dynamics(q[1, 2], v[2], np.zeros(7)))
    evaluation = panda.compute(["energy", "jacobian"], q * [[[1]], [[np.nan]]],
                               bad_rows="nan")
    assert evaluation.ok.tolist() == [[True] * 3, [False] * 3]
    assert evaluation.jacobian.shape == (2, 3, 6, 7)
    assert [status.row for status in evaluation.row_status] == [3, 4, 5]


def test_float32_in_gives_float32_out(panda, states):
    q, v = (x.astype(np.float32) for x in (states(3).q, states(3).v))
    tau = panda.inverse_dynamics(q, v)
    assert tau.dtype == np.float32
    wide = panda.inverse_dynamics(q.astype(float), v.astype(float))
    assert wide.dtype == np.float64
    assert same_bits(tau, wide.astype(np.float32))
    assert panda.inverse_dynamics(q, v.astype(float)).dtype == np.float64
    assert panda.frame_pose(q[0]).dtype == np.float32


def test_a_result_that_was_not_asked_for(panda):
    evaluation = panda.compute(["mass_matrix"], np.zeros(7))
    with pytest.raises(AttributeError, match="tau was not asked for"):
        evaluation.tau
    assert not hasattr(evaluation, "nonsense")
