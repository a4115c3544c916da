"""A row that is not OK is never silent."""

import numpy as np
import pytest
import torqued
from conftest import refused

NAN = np.nan


@pytest.fixture
def spoilt(states):
    q = states(5).q
    q[3, 2] = NAN
    return q


def test_a_single_state_without_an_answer_raises(panda, spoilt):
    with refused(torqued.RowError, "row 0: .*panda_joint3", row=0, field="q",
                 joint="panda_joint3", code="INVALID_ARGUMENT",
                 row_code=torqued.RowCode.INVALID_INPUT) as caught:
        panda.inverse_dynamics(spoilt[3])
    assert np.isnan(caught.value.value)


def test_bad_rows_raise_or_are_nan(panda, spoilt, recwarn):
    with pytest.raises(torqued.RowError, match="row 3"):
        panda.inverse_dynamics(spoilt)
    with pytest.raises(torqued.RowError, match="row 3"):
        panda.compute(["inverse_dynamics"], spoilt)
    mask = panda.with_options(bad_rows="nan")
    with pytest.raises(torqued.RowError):
        mask.mass_matrix(spoilt, bad_rows="raise")
    assert np.isnan(mask.inverse_dynamics(spoilt[3])).all()
    assert np.isnan(mask.inverse_dynamics(spoilt)).any(axis=1).tolist() == [
        False, False, False, True, False]
    assert not recwarn


def test_a_singular_task_has_an_answer_and_warns(client):
    robot = client.model("planar_2r")
    q = np.array([[0.3, 0.0], [0.3, 1.0]])
    task = {"axes": ["linear_x", "linear_y"]}
    with pytest.warns(torqued.SingularTaskWarning, match="1 of 2"):
        result = robot.operational_space(q, **task)
    assert result.rule.tolist() == [
        torqued.TaskRule.RANGE_RESTRICTED, torqued.TaskRule.FULL_RANK]
    assert result.rank.tolist() == [1, 2]
    assert np.isfinite(result.Lambda).all()
    with pytest.warns(torqued.SingularTaskWarning):
        robot.operational_space(q[0], **task)
    evaluation = robot.compute(["operational_space"], q, bad_rows="nan", **task)
    assert evaluation.ok.tolist() == [False, True]
