"""Options of the wrong kind are refused by name, whatever is asked."""

import asyncio

import numpy as np
import pytest
import torqued
import torqued.aio

# option -> (what is no such thing, field, word of the message)
WRONG = [
    ({"payload": 2}, "payload", "Payload(mass=2.0)"),
    ({"payload": {"mass": 2}}, "payload", "Payload(mass=2.0)"),
    ({"joint_names": "panda_joint1"}, "joint_names", "list of names"),
    ({"joint_names": 7}, "joint_names", "list of names"),
    ({"joint_names": ["panda_joint1", 2]}, "joint_names[1]", "a name"),
    ({"viscous_friction": "no"}, "viscous_friction", "True or False"),
    ({"coulomb_friction": {"coulomb": 1}}, "coulomb_friction",
     "True or False"),
    ({"sigma_min": 0.5}, "sigma_min", "True or False"),
    ({"coulomb_smoothing": "0.1"}, "coulomb_smoothing", "a number"),
    ({"damping": True}, "damping", "a number"),
    ({"rank_tolerance": [1, 2]}, "rank_tolerance", "a number"),
    ({"characteristic_length": object()}, "characteristic_length",
     "a number"),
    ({"deadline": "soon"}, "deadline", "a number"),
    ({"tip_frame": 3}, "tip_frame", "a name"),
    ({"tip_frame": None}, "tip_frame", "a name"),
    ({"axes": "linear_x"}, "axes", "list of torqued.TaskAxis"),
    ({"axes": 5}, "axes", "list of torqued.TaskAxis"),
    ({"gravity": ["0", "0", "-9.8"]}, "gravity[0]", "a number"),
    ({"gravity": [0, 0, True]}, "gravity[2]", "a number"),
    ({"gravity": [10**400, 0, 0]}, "gravity[0]", "a number"),
    ({"gravity": 9.81}, "gravity", "a list of numbers"),
    ({"gravity": "down"}, "gravity", "a list of numbers"),
    ({"rank_tolerance": np.array("0.1")}, "rank_tolerance", "a number")]
# Choices are looked at where they are sent.
WRONG_CHOICES = [
    ({"precision": True}, "options.precision", "there are double, single"),
    ({"precision": 1.0}, "options.precision", "there are double, single"),
    ({"precision": torqued.ReferenceFrame.LOCAL}, "options.precision",
     "there are double, single"),
    ({"reference_frame": True}, "options.reference_frame", "there are local"),
    ({"reference_frame": np.True_}, "options.reference_frame",
     "there are local")]
# Of functions of states alone.
WRONG_OF_STATES = [
    ({"fail_fast": "x"}, "fail_fast", "True or False"),
    ({"on_bad_row": "ignore"}, "on_bad_row", '"mask"'),
    ({"external_wrenches": 5}, "external_wrenches", "ExternalWrench"),
    ({"external_wrenches": [{"frame": "panda_link4"}]},
     "external_wrenches[0]", "ExternalWrench"),
    ({"external_wrenches": torqued.ExternalWrench([0] * 6)},
     "external_wrenches", "list of torqued.ExternalWrench"),
    ({"progress": 5}, "progress", "function of (done, total)")]
# Of checks alone.
WRONG_OF_CHECKS = [
    ({"derating": "0.5"}, "derating", "a number"),
    ({"derating": True}, "derating", "a number"),
    ({"derating": [1]}, "derating", "a number"),
    ({"derating": None}, "derating", "a number"),
    ({"derating": 10**400}, "derating", "a number"),
    ({"merge_gap": "0.1"}, "merge_gap", "a number"),
    ({"consistent": 2}, "consistent", "True or False"),
    ({"consistent": "no"}, "consistent", "True or False"),
    ({"derive": True}, "derive", "cubic_spline"),
    ({"derive": 1.0}, "derive", "cubic_spline"),
    ({"limits": {"panda_joint2": {"effort": np.True_}}},
     "limits['panda_joint2'].effort", "not a number"),
    ({"progress": 5}, "progress", "function of (done, total)")]


def assert_named(error, field, word):
    assert error.reason is torqued.Reason.INVALID_OPTION
    assert error.field == field
    assert str(error).startswith(field)
    assert word in str(error)


@pytest.mark.parametrize("words, field, word",
                         WRONG + WRONG_CHOICES + WRONG_OF_STATES)
def test_functions_of_states(client, panda, words, field, word):
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.inverse_dynamics(np.zeros(7), **words)
    assert_named(caught.value, field, word)

    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot = await waiting.model("panda")
            await robot.inverse_dynamics(np.zeros(7), **words)

    with pytest.raises(torqued.InvalidArgument) as caught:
        asyncio.run(compute())
    assert_named(caught.value, field, word)


@pytest.mark.parametrize("words, field, word", WRONG)
def test_checks_and_bound_options(panda, words, field, word):
    nothing = np.zeros((2, 7))
    motion = torqued.Trajectory([0, 1], nothing, nothing, nothing)
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.check_trajectory(motion, **words)
    assert_named(caught.value, field, word)
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.with_options(**words)
    assert_named(caught.value, field, word)


@pytest.mark.parametrize("words, field, word",
                         WRONG_CHOICES + WRONG_OF_CHECKS)
def test_checks_alone(panda, words, field, word):
    nothing = np.zeros((2, 7))
    motion = torqued.Trajectory([0, 1], nothing, nothing, nothing)
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.check_trajectory(motion, **words)
    assert_named(caught.value, field, word)


@pytest.mark.parametrize("given", [None, 5, [1, 2]])
def test_what_is_no_trajectory(panda, given):
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.check_trajectory(given)
    assert_named(caught.value, "trajectory", "a torqued.Trajectory or the path")


@pytest.mark.parametrize("quantities, field", [
    ([True], "quantities[0]"), ([1.0], "quantities[0]"), (5, "quantities")])
def test_what_is_no_quantity(panda, quantities, field):
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.compute(quantities, np.zeros(7))
    assert caught.value.field == field


@pytest.mark.parametrize("given, field", [
    ({"mass": "2"}, "payload.mass"), ({"mass": None}, "payload.mass"),
    ({"mass": 10**400}, "payload.mass"),
    ({"mass": 2, "center_of_mass": [0, "0", 1]}, "payload.center_of_mass[1]"),
    ({"mass": 2, "center_of_mass": "here"}, "payload.center_of_mass"),
    ({"mass": 2, "inertia": 3}, "payload.inertia")])
def test_numbers_of_a_payload(given, field):
    with pytest.raises(torqued.InvalidArgument) as caught:
        torqued.Payload(**given)
    assert_named(caught.value, field, "number")


def test_what_has_a_frame_names_it():
    for make in (lambda: torqued.Payload(1.0, frame=3),
                 lambda: torqued.ExternalWrench([0] * 6, frame=None)):
        with pytest.raises(torqued.InvalidArgument, match="frame takes"):
            make()


@pytest.mark.parametrize("rows", ["x", "10", 0, -1, 2.5, True, None])
def test_rows_of_a_message_that_are_no_count(rows):
    with pytest.raises(torqued.InvalidArgument) as caught:
        torqued.connect("unix:/nowhere", chunk_rows=rows)
    assert_named(caught.value, "chunk_rows", "a whole number, at least 1")


def test_numpys_scalars_and_lists_of_names_are_taken(panda):
    q = np.zeros(7)
    names = np.array(panda.joint_names)
    expected = panda.inverse_dynamics(q, coulomb_friction=True)
    given = panda.inverse_dynamics(
        q, coulomb_friction=np.True_, viscous_friction=0,
        deadline=np.float32(5), joint_names=names,
        coulomb_smoothing=np.float64(0.1), precision=np.int32(1),
        gravity=panda.gravity, payload=torqued.Payload(
            np.float32(0), center_of_mass=np.zeros(3)))
    assert np.array_equal(given, expected)
