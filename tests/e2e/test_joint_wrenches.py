"""Wrenches in the joints and at the base, and what a wrench of the tip
changes."""

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb

import streams
from calls import (
    ALL_QUANTITIES, FRAMES, UNDER_WRENCHES, States, ask, compute_request,
    quantity_name, tip_wrench)
from harness import failure_of
from theory import GRAVITY, ROWS
from vectors import close, product


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


@pytest.mark.parametrize("quantity", ALL_QUANTITIES, ids=quantity_name)
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
