"""All that can surround a robot at once: in bad rows, and what is refused of it."""

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb

import streams
from calls import ALL_QUANTITIES, LINEAR, OF_THE_TASK, RESULT_ARRAYS, ask
from harness import failure_of, same_bits, table
from surroundings import ROWS
from ways import ALIGNED, LOCAL, WORLD, check_refusal, place


@pytest.mark.parametrize("name, column, joint", [
    ("base_twist", 2, ""), ("base_acceleration", 5, ""),
    ("external_wrenches_on_robot", 13, ""), ("task_acceleration", 1, ""),
    ("null_space_torque", 3, "its own")])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_that_is_not_finite_spoils_its_row_alone(
        rusty, name, column, joint, bad):
    s = rusty.s
    given = rusty.everything | {
        "axes": LINEAR, "task_acceleration": s.task_acceleration[:, :3],
        "null_space_torque": s.null_space_torque}
    spoilt = given | {name: given[name].copy()}
    spoilt[name][4, column] = bad
    clean, question = (rusty.question(*ALL_QUANTITIES, **inputs)
                       for inputs in (given, spoilt))
    wanted = rusty.client.dynamics.Compute(clean.request())
    assert wanted.rows_not_ok == 0
    reply = rusty.client.dynamics.Compute(question.request())
    chunks = streams.evaluate(rusty.client, *question.messages([1, 2, 3]))
    joined = streams.joined(chunks)
    for row_status in (reply.row_status,
                       [row for chunk in chunks for row in chunk.row_status]):
        status, = row_status
        assert (status.row, status.code) == (4, pb.ROW_CODE_INVALID_INPUT)
        assert status.field == name
        assert status.joint == (rusty.joints[column] if joint else "")
        assert f"{name}[{column}]" in status.message
        assert np.array_equal(status.value, bad, equal_nan=True)
    others = np.arange(ROWS) != 4
    for result in RESULT_ARRAYS:
        rows = table(getattr(reply.results, result))
        assert np.isnan(rows[4]).all(), result
        assert np.isfinite(rows[others]).all(), result
        assert same_bits(
            rows[others], table(getattr(wanted.results, result))[others])
        assert same_bits(joined[result], rows)


# --- What is refused ---------------------------------------------------------

WIDTHS = {"base_twist": 6, "base_acceleration": 6,
          "external_wrenches_on_robot": 12, "task_acceleration": 3,
          "null_space_torque": 7}


def new_inputs(rows=3):
    """Zeros that fit, and what they need."""
    return {"axes": LINEAR, "places": [place(), place("panda_link3")],
            **{name: np.zeros((rows, width))
               for name, width in WIDTHS.items()}}


def test_what_fits_is_taken(panda):
    given = new_inputs()
    panda.ask(ask.TASK_TORQUE, **given)
    for name in WIDTHS:
        panda.ask(ask.TASK_TORQUE, **given | {name: given[name][:1]})


@pytest.mark.parametrize("name", WIDTHS)
@pytest.mark.parametrize("more", [-1, 1])
def test_columns_must_fit(panda, name, more):
    given = new_inputs()
    given[name] = np.zeros((3, WIDTHS[name] + more))
    failure = check_refusal(
        panda, panda.question(ask.TASK_TORQUE, **given), "WRONG_COLUMN_COUNT",
        name)
    assert str(WIDTHS[name]) in failure.violations[0][1]


@pytest.mark.parametrize("name", WIDTHS)
@pytest.mark.parametrize("rows", [2, 4])
def test_rows_must_fit(panda, name, rows):
    given = new_inputs() | {name: np.zeros((rows, WIDTHS[name]))}
    failure = failure_of(
        panda.client.dynamics.Compute,
        panda.question(ask.TASK_TORQUE, **given).request())
    assert (failure.reason, failure.fields) == ("WRONG_ROW_COUNT", [name])
    assert "3" in failure.message and str(rows) in failure.message
    chunk = panda.question(ask.TASK_TORQUE, **given)
    start, *_ = chunk.messages()
    whole = streams.chunk(**chunk.inputs)
    _, streamed = streams.failed(panda.client, start, whole)
    assert (streamed.reason, streamed.fields) == (
        "WRONG_ROW_COUNT", ["chunk." + name])


@pytest.mark.parametrize("name", ["task_acceleration", "null_space_torque"])
def test_what_only_the_task_torque_takes_is_refused_without_it(panda, name):
    for quantity in ALL_QUANTITIES:
        if quantity != ask.TASK_TORQUE:
            given = {"axes": LINEAR} if quantity in OF_THE_TASK else {}
            rows = np.zeros((1, WIDTHS[name]))
            failure = failure_of(
                panda.client.dynamics.Compute,
                panda.question(quantity, **given, **{name: rows}).request())
            assert (failure.reason, failure.fields) == (
                "INVALID_OPTION", [name])
    check_refusal(panda, panda.question(ask.BIAS_FORCES, **{name: rows}),
                  "INVALID_OPTION", name)


# --- Echo --------------------------------------------------------------------


def test_the_echo_lists_places_and_smoothing_with_defaults_filled_in(panda):
    question = panda.question(
        ask.INVERSE_DYNAMICS, coulomb=True, smoothing=0.25, places=[
            pb.WrenchPlace(), place("panda_link3", WORLD),
            pb.WrenchPlace(frame="panda_link0", reference_frame=ALIGNED)],
        external_wrenches_on_robot=np.zeros((1, 18)))
    tip = panda.info.tip_frame
    expected = [(tip, LOCAL), ("panda_link3", WORLD), ("panda_link0", ALIGNED)]
    first, = streams.evaluate(panda.client, *question.messages())
    for echo in (panda.client.dynamics.Compute(question.request()).echo,
                 first.echo):
        assert [(p.frame, p.reference_frame)
                for p in echo.external_wrenches] == expected
        assert echo.terms.coulomb_friction
        assert echo.terms.coulomb_smoothing == 0.25
    question.choice.tip_frame = "panda_link5"
    echo = panda.client.dynamics.Compute(question.request()).echo
    assert echo.external_wrenches[0].frame == "panda_link5"
    plain = panda.question(ask.INVERSE_DYNAMICS)
    echo = panda.client.dynamics.Compute(plain.request()).echo
    assert not echo.external_wrenches and echo.terms.coulomb_smoothing == 0
