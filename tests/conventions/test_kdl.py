"""docs/conventions.md on Orocos KDL, against PyKDL."""

import PyKDL
import numpy as np
import pytest
from torqued import convert

from setting import (FRAMES, PAGE, SKEW_GRAVITY, body, close, joints_to,
                     states, without_branch)


def vector(numbers):
    return PyKDL.Vector(*map(float, numbers))


def rigid_body(link):
    mass, center, i = body(link)
    inertia = map(float, (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]))
    return PyKDL.RigidBodyInertia(mass, vector(center),
                                  PyKDL.RotationalInertia(*inertia))


def make_chain(armature=(0, 0, 0), damping=0.0):
    chain = PyKDL.Chain()
    left = list(armature)
    for joint in joints_to("tool"):
        R = PyKDL.Rotation(*map(float, joint.R.flatten()))
        moving = PyKDL.Joint(joint.name, PyKDL.Joint.Fixed)
        if joint.kind != "fixed":
            moving = PyKDL.Joint(
                joint.name, vector(joint.p), vector(joint.R @ joint.axis),
                PyKDL.Joint.RotAxis, 1, 0, left.pop(0), damping)
        chain.addSegment(PyKDL.Segment(
            joint.child, moving, PyKDL.Frame(R, vector(joint.p)),
            rigid_body(joint.child)))
    return chain


@pytest.fixture(scope="module", name="arm")
def arm_without_branch(client):
    return client.register(
        "arm", without_branch("slide", "carriage"),
        tip_frame="tool").with_options(gravity=SKEW_GRAVITY)


CHAIN = make_chain()


def solved(solver, method, *arguments):
    """The numbers of a torque or a mass matrix."""
    n = CHAIN.getNrOfJoints()
    result = (PyKDL.JntSpaceInertiaMatrix if method == "JntToMass"
              else PyKDL.JntArray)(n)
    assert getattr(solver, method)(*arguments, result) == 0
    if method == "JntToMass":
        return np.array([[result[i, j] for j in range(n)] for i in range(n)])
    return np.array([result[i] for i in range(n)])


def inverse_dynamics(chain, s, last=None):
    forces = [PyKDL.Wrench() for _ in range(chain.getNrOfSegments())]
    if last is not None:
        forces[-1] = last
    return solved(PyKDL.ChainIdSolver_RNE(chain, vector(SKEW_GRAVITY)),
                  "CartToJnt", *map(convert.to_kdl, (s.q, s.v, s.a)), forces)


def dynamics(chain, method, *arguments):
    return solved(PyKDL.ChainDynParam(chain, vector(SKEW_GRAVITY)), method,
                  *map(convert.to_kdl, arguments))


def tip(s):
    frame = PyKDL.Frame()
    PyKDL.ChainFkSolverPos_recursive(CHAIN).JntToCart(
        convert.to_kdl(s.q), frame)
    return frame


def test_model(arm):
    assert "PyKDL " + PyKDL.__version__ in PAGE.read_text(encoding="utf-8")
    named = [CHAIN.getSegment(i).getJoint()
             for i in range(CHAIN.getNrOfSegments())]
    moving = [joint.getName() for joint in named
              if joint.getType() != PyKDL.Joint.Fixed]
    assert moving == list(arm.joint_names) == ["yaw", "elbow", "roll"]
    # yaw and roll are continuous; KDL has one number for each, beyond a turn.
    assert CHAIN.getNrOfJoints() == 3
    s = states(3, 1)[0]
    close(convert.pose_from_kdl(tip(s._replace(q=s.q + [6 * np.pi, 0, 0]))),
          convert.pose_from_kdl(tip(s)))


def test_branches_are_left_out(robot, arm):
    s = states(3, 1)[0]
    theirs = dynamics(CHAIN, "JntToMass", s.q)
    close(arm.mass_matrix(s.q), theirs)
    whole = robot.mass_matrix([*s.q, 0.1])[:3, :3]
    assert np.abs(whole - theirs).max() > 1e-2


def test_motion_of_the_tip(arm):
    aligned = {"reference_frame": "local_world_aligned"}
    for s in states(3):
        frame, T = tip(s), arm.frame_pose(s.q)
        close(convert.pose_from_kdl(frame), T)
        quaternion = np.array(frame.M.GetQuaternion())
        close(convert.quaternion(T[:3, :3]), quaternion * np.sign(quaternion[3]))
        state = PyKDL.JntArrayVel(convert.to_kdl(s.q), convert.to_kdl(s.v))
        moving, J = PyKDL.FrameVel(), PyKDL.Jacobian(3)
        PyKDL.ChainFkSolverVel_recursive(CHAIN).JntToCart(state, moving)
        close(arm.frame_velocity(s.q, s.v, **aligned),
              convert.from_kdl(moving.GetTwist()))
        PyKDL.ChainJntToJacSolver(CHAIN).JntToJac(convert.to_kdl(s.q), J)
        close(arm.jacobian(s.q, **aligned), convert.jacobian_from_kdl(J))
        for name, represent in zip(FRAMES, (
                "setBodyFixedRepresentation", None,
                "setInertialRepresentation")):
            solver = PyKDL.ChainJntToJacDotSolver(CHAIN)
            if represent:  # HYBRID is how it comes
                getattr(solver, represent)()
            drift = PyKDL.Twist()
            assert solver.JntToJacDot(state, drift) == 0
            close(arm.jacobian_drift(s.q, s.v, reference_frame=name),
                  convert.from_kdl(drift))


def test_equation_of_motion(arm):
    for s in states(3):
        coriolis = dynamics(CHAIN, "JntToCoriolis", s.q, s.v)
        gravity = dynamics(CHAIN, "JntToGravity", s.q)
        close(arm.coriolis_forces(s.q, s.v), coriolis)
        close(arm.gravity_forces(s.q), gravity)
        close(arm.bias_forces(s.q, s.v), coriolis + gravity)
        close(arm.mass_matrix(s.q), dynamics(CHAIN, "JntToMass", s.q))
        close(arm.inverse_dynamics(s.q, s.v, s.a), inverse_dynamics(CHAIN, s))


def test_external_forces(arm):
    wrench = np.arange(1.0, 7.0)
    there = convert.wrench_to_kdl(wrench)
    close([there.torque[0], there.force[2]], [1, 6])
    close(convert.from_kdl(there), wrench)
    for s in states(3):
        theirs = inverse_dynamics(CHAIN, s, convert.wrench_to_kdl(-s.wrench))
        close(arm.inverse_dynamics(s.q, s.v, s.a, tip_wrench_on_environment=s.wrench), theirs)
        close(arm.inverse_dynamics(
            s.q, s.v, s.a, external_wrenches_on_robot={"tool": -s.wrench}), theirs)


def test_armature(arm):
    armature = np.array([0.2, 0.5, 0.1])
    geared = make_chain(armature, damping=7.0)
    for s in states(3):
        close(arm.mass_matrix(s.q) + np.diag(armature),
              dynamics(geared, "JntToMass", s.q))
        # The damping has no part in it.
        close(arm.inverse_dynamics(s.q, s.v, s.a) + armature * s.a,
              inverse_dynamics(geared, s))


def test_inertias():
    about_origin = rigid_body("forearm").getRotationalInertia()
    close(np.array([about_origin[k] for k in range(9)]).reshape(3, 3),
          convert.about_origin(*body("forearm")))
