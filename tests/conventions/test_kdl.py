"""docs/conventions.md on Orocos KDL, against PyKDL."""

import PyKDL
import numpy as np
import pytest

import page
import urdf_text
from states import FRAMES, SKEW_GRAVITY, close, states

common = page.module("python", "python kdl")


def vector(numbers):
    return PyKDL.Vector(*map(float, numbers))


def make_chain(armature=(0, 0, 0), damping=0.0):
    chain = PyKDL.Chain()
    left = list(armature)
    for joint in urdf_text.joints_to("tool"):
        R = PyKDL.Rotation(*map(float, joint.R.flatten()))
        if joint.kind == "fixed":
            moving = PyKDL.Joint(joint.name, PyKDL.Joint.Fixed)
        else:
            moving = PyKDL.Joint(
                joint.name, vector(joint.p), vector(joint.R @ joint.axis),
                PyKDL.Joint.RotAxis, 1, 0, left.pop(0), damping)
        i = joint.body.inertia
        inertia = PyKDL.RotationalInertia(*map(
            float, (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])))
        chain.addSegment(PyKDL.Segment(
            joint.child, moving, PyKDL.Frame(R, vector(joint.p)),
            PyKDL.RigidBodyInertia(
                joint.body.mass, vector(joint.body.center), inertia)))
    return chain


@pytest.fixture(scope="module", name="arm")
def arm_without_branch(client):
    return client.register(
        "arm", urdf_text.without_branch("slide", "carriage"),
        tip_frame="tool").with_options(gravity=SKEW_GRAVITY)


CHAIN = make_chain()


def numbers(array):
    return np.array([array[i] for i in range(array.rows())])


def inverse_dynamics(chain, s, last=None):
    forces = [PyKDL.Wrench() for _ in range(chain.getNrOfSegments())]
    if last is not None:
        forces[-1] = last
    torques = PyKDL.JntArray(len(s.q))
    assert PyKDL.ChainIdSolver_RNE(chain, vector(SKEW_GRAVITY)).CartToJnt(
        common.to_kdl(s.q), common.to_kdl(s.v), common.to_kdl(s.a), forces,
        torques) == 0
    return numbers(torques)


def parameters(chain):
    return PyKDL.ChainDynParam(chain, vector(SKEW_GRAVITY))


def mass_matrix(chain, q):
    M = PyKDL.JntSpaceInertiaMatrix(len(q))
    assert parameters(chain).JntToMass(common.to_kdl(q), M) == 0
    return np.array([[M[i, j] for j in range(len(q))] for i in range(len(q))])


def tip(s):
    frame = PyKDL.Frame()
    PyKDL.ChainFkSolverPos_recursive(CHAIN).JntToCart(
        common.to_kdl(s.q), frame)
    return frame


def test_version():
    assert "PyKDL " + PyKDL.__version__ in page.PATH.read_text(encoding="utf-8")


def test_model(arm):
    named = [CHAIN.getSegment(i).getJoint()
             for i in range(CHAIN.getNrOfSegments())]
    moving = [joint.getName() for joint in named
              if joint.getType() != PyKDL.Joint.Fixed]
    assert moving == list(arm.joint_names) == ["yaw", "elbow", "roll"]
    # yaw and roll are continuous; KDL has one number for each, beyond a turn.
    assert CHAIN.getNrOfJoints() == 3
    s = states(3, 1)[0]
    close(common.pose_from_kdl(tip(s._replace(q=s.q + [6 * np.pi, 0, 0]))),
          common.pose_from_kdl(tip(s)))


def test_branches_are_left_out(robot, arm):
    s = states(3, 1)[0]
    theirs = mass_matrix(CHAIN, s.q)
    close(arm.mass_matrix(s.q), theirs)
    whole = robot.mass_matrix([*s.q, 0.1])[:3, :3]
    assert np.abs(whole - theirs).max() > 1e-2


def test_poses(arm):
    for s in states(3):
        frame = tip(s)
        T = arm.frame_pose(s.q)
        close(common.pose_from_kdl(frame), T)
        theirs = np.array(frame.M.GetQuaternion())
        close(common.quaternion(T[:3, :3]), theirs * np.sign(theirs[3]))


def test_twists(arm):
    for s in states(3):
        state = PyKDL.JntArrayVel(common.to_kdl(s.q), common.to_kdl(s.v))
        moving = PyKDL.FrameVel()
        PyKDL.ChainFkSolverVel_recursive(CHAIN).JntToCart(state, moving)
        theirs = common.from_kdl(moving.GetTwist())
        close(arm.frame_velocity(
            s.q, s.v, reference_frame="local_world_aligned"), theirs)
    wrench = np.arange(1.0, 7.0)
    there = common.wrench_to_kdl(wrench)
    close([there.torque[0], there.force[2]], [1, 6])
    close(common.from_kdl(there), wrench)


def test_jacobians(arm):
    for s in states(3):
        J = PyKDL.Jacobian(3)
        PyKDL.ChainJntToJacSolver(CHAIN).JntToJac(common.to_kdl(s.q), J)
        close(arm.jacobian(s.q, reference_frame="local_world_aligned"),
              common.jacobian_from_kdl(J))


def test_jacobian_drift(arm):
    for s in states(3):
        state = PyKDL.JntArrayVel(common.to_kdl(s.q), common.to_kdl(s.v))
        for frame, represent in zip(FRAMES, (
                "setBodyFixedRepresentation", None,
                "setInertialRepresentation")):
            solver = PyKDL.ChainJntToJacDotSolver(CHAIN)
            if represent:  # HYBRID is how it comes
                getattr(solver, represent)()
            drift = PyKDL.Twist()
            assert solver.JntToJacDot(state, drift) == 0
            close(arm.jacobian_drift(s.q, s.v, reference_frame=frame),
                  common.from_kdl(drift))


def test_forces_of_the_equation_of_motion(arm):
    for s in states(3):
        coriolis, gravity = PyKDL.JntArray(3), PyKDL.JntArray(3)
        solver = parameters(CHAIN)
        solver.JntToCoriolis(common.to_kdl(s.q), common.to_kdl(s.v), coriolis)
        solver.JntToGravity(common.to_kdl(s.q), gravity)
        close(arm.coriolis_forces(s.q, s.v), numbers(coriolis))
        close(arm.gravity_forces(s.q), numbers(gravity))
        close(arm.bias_forces(s.q, s.v), numbers(coriolis) + numbers(gravity))
        close(arm.mass_matrix(s.q), mass_matrix(CHAIN, s.q))


def test_inverse_dynamics(arm):
    for s in states(3):
        close(arm.inverse_dynamics(s.q, s.v, s.a), inverse_dynamics(CHAIN, s))


def test_external_forces(arm):
    for s in states(3):
        theirs = inverse_dynamics(CHAIN, s, common.wrench_to_kdl(-s.wrench))
        close(arm.inverse_dynamics(s.q, s.v, s.a, tip_wrench=s.wrench), theirs)
        close(arm.inverse_dynamics(
            s.q, s.v, s.a, external_wrenches={"tool": -s.wrench}), theirs)


def test_armature(arm):
    armature = np.array([0.2, 0.5, 0.1])
    geared = make_chain(armature, damping=7.0)
    for s in states(3):
        close(common.with_armature(arm.mass_matrix(s.q), armature),
              mass_matrix(geared, s.q))
        # The damping has no part in it.
        close(common.tau_with_armature(
            arm.inverse_dynamics(s.q, s.v, s.a), armature, s.a),
            inverse_dynamics(geared, s))


def test_inertias():
    forearm = urdf_text.body("forearm")
    i = forearm.inertia
    theirs = PyKDL.RigidBodyInertia(
        forearm.mass, vector(forearm.center), PyKDL.RotationalInertia(
            i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]))
    about_origin = theirs.getRotationalInertia()
    close(np.array([about_origin[k] for k in range(9)]).reshape(3, 3),
          common.about_origin(forearm.mass, forearm.center, i))
