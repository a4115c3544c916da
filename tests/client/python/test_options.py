"""Options of the wrong kind are refused by name before anything is sent."""

import re

import numpy as np
import pytest
import torqued
from conftest import refused

# What is no such thing, field, word of the message.
WRONG = [
    ({"payload": 2}, "payload", "a dict of frame, mass"),
    ({"payload": {"mas": 2}}, "payload", "mas"),
    ({"payload": {"mass": "2"}}, "payload", "str"),
    ({"joint_names": "panda_joint1"}, "joint_names", "a list"),
    ({"joint_names": ["panda_joint1", 2]}, "joint_names", "int"),
    ({"precision": True}, "precision", "there are double, single"),
    ({"precision": 1.0}, "precision", "there are double, single"),
    ({"precision": torqued.ReferenceFrame.LOCAL}, "precision",
     "there are double, single"),
    ({"deadline": "soon"}, "deadline", "seconds"),
    ({"progress": 5}, "progress", "function of (done, total)")]
WRONG_OF_TASKS = [
    ({"sigma_min": 0.5}, "sigma_min", "True or False"),
    ({"viscous_friction": "no"}, "viscous_friction", "True or False"),
    ({"coulomb_smoothing": "0.1"}, "coulomb_smoothing", "str"),
    ({"rank_tolerance": [1, 2]}, "rank_tolerance", "list"),
    ({"tip_frame": 3}, "tip_frame", "int"),
    ({"axes": "linear_x"}, "axes", "a list"),
    ({"axes": ["linear_x", "up"]}, "axes", "there are angular_x"),
    ({"gravity": ["0", "0", "-9.8"]}, "gravity", "str"),
    ({"gravity": 9.81}, "gravity", "a list"),
    ({"bad_rows": "ignore"}, "bad_rows", '"nan"')]
WRONG_OF_CHECKS = [
    ({"derating": "0.5"}, "derating", "str"),
    ({"consistent": 2}, "consistent", "True or False"),
    ({"derive": True}, "derive", "cubic_spline"),
    ({"tables": ["torques"]}, "tables", "there are tau"),
    ({"limits": {"drives": [{"dof": "panda_joint2", "effort_limit": "x"}]}},
     "limits", "effort_limit")]


def named(field, word):
    return refused(match=f"^{re.escape(field)}.*{re.escape(word)}", field=field,
                   reason="INVALID_OPTION")


@pytest.mark.parametrize("words, field, word", WRONG + WRONG_OF_TASKS)
def test_functions_of_states(panda, words, field, word):
    with named(field, word):
        panda.operational_space(np.zeros(7), **words)


@pytest.mark.parametrize("words, field, word", WRONG + WRONG_OF_CHECKS)
def test_checks(panda, words, field, word):
    nothing = np.zeros((2, 7))
    motion = torqued.Trajectory([0, 1], nothing, nothing, nothing)
    with named(field, word):
        panda.check_trajectory(motion, **words)


@pytest.mark.parametrize("wrenches", [
    5, [{"frame": "panda_link4"}], {"panda_link4": [0] * 5}])
def test_what_is_no_external_wrench(panda, wrenches):
    with refused(field="external_wrenches_on_robot"):
        panda.inverse_dynamics(np.zeros(7), external_wrenches_on_robot=wrenches)


@pytest.mark.parametrize("given", [5, [1, 2]])
def test_what_is_no_trajectory(panda, given):
    with named("trajectory", "a torqued.Trajectory or the path"):
        panda.check_trajectory(given)


@pytest.mark.parametrize("quantities", [[True], [1.0], 5.5, "jacobian"])
def test_what_is_no_quantity(panda, quantities):
    with refused(field="quantities"):
        panda.compute(quantities, np.zeros(7))


@pytest.mark.parametrize("call", [
    lambda robot: robot.jacobian(np.zeros(7), tip_frme="panda_link3"),
    lambda robot: robot.mass_matrix(np.zeros(7), gravity=[0, 0, 0]),
    lambda robot: robot.with_options(base_twist=[0] * 6),
    lambda robot: robot.client.register("panda", "<robot/>", expect="")])
def test_an_unknown_keyword_is_never_passed_over(panda, call):
    with pytest.raises(TypeError, match="unexpected keyword"):
        call(panda)


def test_numpys_scalars_and_lists_of_names_are_accepted(panda):
    q = np.zeros(7)
    expected = panda.inverse_dynamics(q, coulomb_friction=True)
    given = panda.inverse_dynamics(
        q, coulomb_friction=np.True_, viscous_friction=0,
        deadline=np.float32(5), joint_names=np.array(panda.joint_names),
        coulomb_smoothing=np.float64(0.1), precision=np.int32(1),
        gravity=panda.gravity, payload=torqued.Payload(center_of_mass=np.zeros(3)))
    assert np.array_equal(given, expected)
