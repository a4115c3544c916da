"""How all quantities travel, and where they are undefined or refused."""

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb

import robots
import streams
from calls import (
    ALL_QUANTITIES, OF_THE_TASK, RESULT_ARRAYS, RESULT_AXES, States, ask,
    compute, compute_request, everything_request, numbers, options, register)
from harness import F32, F64, VALUES, failure_of, same_bits, table

ROWS = 12

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
