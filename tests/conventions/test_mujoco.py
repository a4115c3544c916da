"""docs/conventions.md on MuJoCo, against its library."""

import json
import os
import subprocess

import numpy as np
import pytest
from torqued import convert

from setting import PAGE, SKEW_GRAVITY, TEXT, body, close, states

# MuJoCo finds the principal axes of inertias to some 5e-7 of them, the largest
# error seen, and less in what is made of all of them.
COARSE = 1e-7
PRINCIPAL = 1e-6
ALIGNED = "local_world_aligned"
ORDER = ["yaw", "slide", "elbow", "roll"]


class Answers:
    """Arrays under MuJoCo's names."""

    def __init__(self, path, **state):
        given = {name: list(value) if isinstance(value, np.ndarray) else value
                 for name, value in state.items()}
        done = subprocess.run(
            [os.environ["MUJOCO_ANSWERS"], str(path)], input=json.dumps(given),
            capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        self.raw = json.loads(done.stdout)

    def __getitem__(self, name):
        return np.array(self.raw[name])

    def of_body(self, name, body, count):
        at = count * self.raw["bodies"].index(body)
        return self[name][at:at + count]


@pytest.fixture(scope="module", name="path")
def model_for_mujoco(tmp_path_factory):
    return written(tmp_path_factory.mktemp("mujoco"), convert.for_mujoco(TEXT))


@pytest.fixture(scope="module", name="robot")
def robot_in_their_order(robot):
    """All its calls are in MuJoCo's order."""
    return robot.with_options(joint_names=ORDER)


def written(folder, text):
    path = folder / "tree.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def ask(path, s=None, link="tool", **more):
    state = {} if s is None else {"qpos": s.q, "qvel": s.v, "qacc": s.a}
    return Answers(path, body=link, **state, **more)


def test_urdf_settings(path, tmp_path):
    merged = ask(written(tmp_path, TEXT), link="hand").raw["bodies"]
    kept = ask(path).raw["bodies"]
    assert "tool" not in merged and "base_link" not in merged
    assert set(kept) == set(merged) | {"tool", "base_link"}
    behind_comments = TEXT.replace(
        '<robot name="tree">',
        '<!-- was <robot name="old"> --><robot name="a > b">')
    assert behind_comments != TEXT
    odd = written(tmp_path, convert.for_mujoco(behind_comments))
    assert ask(odd).raw["bodies"] == kept


def test_joints(path, robot):
    theirs = ask(path)
    assert "MuJoCo " + theirs.raw["version"] in PAGE.read_text(encoding="utf-8")
    assert theirs.raw["joints"] == ORDER
    assert theirs.raw["nq"] == theirs.raw["nv"] == 4
    # No equation ties the mimic joint to another.
    assert theirs.raw["neq"] == 0
    by_name = {joint.name: joint for joint in robot.joints}
    joints = [by_name[name] for name in ORDER]
    assert [bool(limited) for limited in theirs["jnt_limited"]] == [
        joint.type.name != "CONTINUOUS" for joint in joints]
    close(theirs["dof_damping"], [joint.damping for joint in joints])
    close(theirs["dof_frictionloss"], [joint.friction for joint in joints])
    for s in states(4, 2):
        turns = s._replace(q=s.q + [2 * np.pi, 0, 0, -4 * np.pi])
        close(ask(path, turns)["xpos"], ask(path, s)["xpos"])


def test_motion_of_the_tip(path, robot):
    for s in states(4):
        theirs, T = ask(path, s), robot.frame_pose(s.q)
        close(theirs["xpos"], T[:3, 3])
        close(convert.rotation(convert.xyzw(theirs["xquat"])), T[:3, :3])
        close(convert.wxyz(convert.quaternion(T[:3, :3])),
              theirs["xquat"] * np.sign(theirs["xquat"][0]))
        close(robot.jacobian(s.q, reference_frame=ALIGNED), np.vstack([
            theirs["jacr"].reshape(3, 4), theirs["jacp"].reshape(3, 4)]))
        twist = robot.frame_velocity(s.q, s.v, reference_frame=ALIGNED)
        close(theirs["mj_objectVelocity"], twist)
        close(theirs["mj_objectVelocity_local"], robot.frame_velocity(s.q, s.v))
        close(convert.twist_at(
            theirs["cvel"], theirs["xpos"] - theirs["subtree_com_of_root"]), twist)
        close(convert.acceleration_from_mujoco(
            theirs["mj_objectAcceleration"], theirs["gravity"]),
            robot.frame_acceleration(
                s.q, s.v, s.a, reference_frame=ALIGNED).frame_acceleration_classical)
        # Before mj_rnePostConstraint nothing of a and of gravity is in it.
        twist = theirs["mj_objectVelocity"]
        close(theirs["mj_objectAcceleration_before_rne"],
              np.concatenate([np.zeros(3), np.cross(twist[:3], twist[3:])]))


def test_bias_and_mass_matrix(path, robot, tmp_path):
    option = "<option gravity=\"{} {} {}\"/>".format(*SKEW_GRAVITY)
    skew = written(tmp_path, path.read_text(encoding="utf-8").replace(
        "</mujoco>", option + "</mujoco>"))
    for s in states(4):
        theirs = ask(skew, s)
        close(theirs["gravity"], SKEW_GRAVITY)
        close(robot.bias_forces(s.q, s.v, gravity=SKEW_GRAVITY),
              theirs["qfrc_bias"], COARSE)
        close(robot.mass_matrix(s.q), theirs["M"].reshape(4, 4), COARSE)


def test_forward_dynamics(path, robot):
    for s in states(4):
        s.q[1:3] *= 0.2  # away from the limits, which push
        theirs = ask(path, s, qfrc_applied=s.tau, frictionloss=False)
        # Damping is on there.
        close(robot.forward_dynamics(s.q, s.v, s.tau, viscous_friction=True),
              theirs["qacc"], COARSE)
        close(-theirs["dof_damping"] * s.v, theirs["qfrc_passive"])
        close(theirs["M"].reshape(4, 4) @ theirs["qacc"] + theirs["qfrc_bias"],
              s.tau + theirs["qfrc_passive"], COARSE)
        xfrc = convert.xfrc_from_wrench(s.wrench, theirs["xpos"], theirs["xipos"])
        close(robot.forward_dynamics(
            s.q, s.v, s.tau, viscous_friction=True,
            tip_wrench_on_environment=-s.wrench, tip_wrench_reference_frame=ALIGNED),
            ask(path, s, qfrc_applied=s.tau, frictionloss=False,
                xfrc_applied=xfrc)["qacc"], COARSE)


def test_friction(path, robot):
    for s in states(4):
        s.q[1:3] *= 0.2
        close(robot.inverse_dynamics(
            s.q, s.v, s.a, viscous_friction=True, coulomb_friction=True),
            ask(path, s)["qfrc_inverse"], COARSE)
        close(robot.inverse_dynamics(s.q, s.v, s.a, viscous_friction=True),
              ask(path, s, frictionloss=False)["qfrc_inverse"], COARSE)
        # Less what a limit pushes, at its own joint.
        beyond = s._replace(q=s.q + [0, 0, 9, 0])
        pushed = robot.inverse_dynamics(
            beyond.q, beyond.v, beyond.a, viscous_friction=True) - ask(
                path, beyond, frictionloss=False)["qfrc_inverse"]
        assert abs(pushed[2]) > 1
        assert np.abs(np.delete(pushed, 2)).max() < 1e-5
        # Softened where a joint hardly moves.
        creeping = s._replace(v=np.full(4, 1e-6), a=np.zeros(4))
        ours = robot.inverse_dynamics(
            creeping.q, creeping.v, viscous_friction=True, coulomb_friction=True)
        assert np.abs(ours - ask(path, creeping)["qfrc_inverse"]).max() > 1e-2


def assert_inertia(theirs, link, forearm):
    close(convert.inertia_from_mujoco(
        theirs.of_body("body_inertia", link, 3),
        theirs.of_body("body_iquat", link, 4)), forearm.inertia, PRINCIPAL)


def test_inertias(path):
    theirs = ask(path)
    for link in "turret", "forearm", "hand", "tool":
        ours = body(link)
        close(theirs.of_body("body_mass", link, 1), [ours.mass])
        close(theirs.of_body("body_ipos", link, 3), ours.center)
        assert_inertia(theirs, link, ours)


def test_mjcf(tmp_path, client):
    """One link on a hinge, written for MuJoCo by the page and for us in URDF."""
    forearm = body("forearm")
    numbers = " ".join(repr(float(forearm.inertia[i])) for i in (
        (0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    center = " ".join(map(str, forearm.center))
    path = tmp_path / "hinge.xml"
    path.write_text(f"""<mujoco><worldbody><body name="link">
        <joint name="hinge" axis="0 1 0" limited="true" range="-90 45"
               armature="0.25"/>
        <inertial pos="{center}" mass="{forearm.mass}"
                  fullinertia="{numbers}"/></body></worldbody></mujoco>""",
                    encoding="utf-8")
    theirs = Answers(path, body="link", qpos=[0.4], qacc=[1.5])
    close(theirs["jnt_range"], [-np.pi / 2, np.pi / 4])
    assert_inertia(theirs, "link", forearm)
    armature = theirs["dof_armature"]
    close(armature, [0.25])
    six = " ".join(f'{name}="{x!r}"' for name, x in zip(
        ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), forearm.six()))
    hinge = client.register("hinge", f"""<robot name="hinge"><link name="base"/>
        <joint name="hinge" type="continuous"><parent link="base"/>
        <child link="link"/><axis xyz="0 1 0"/></joint><link name="link">
        <inertial><mass value="{forearm.mass}"/><origin xyz="{center}"/>
        <inertia {six}/></inertial></link></robot>""")
    close(hinge.mass_matrix([0.4]) + np.diag(armature),
          theirs["M"].reshape(1, 1), COARSE)
    close(hinge.inverse_dynamics([0.4], a=[1.5]) + armature * [1.5],
          theirs["qfrc_inverse"], COARSE)
