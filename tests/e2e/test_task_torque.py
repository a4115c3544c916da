"""What the echo tells of a task."""

import pytest

from calls import OF_THE_TASK, ask


@pytest.mark.parametrize("quantity", OF_THE_TASK)
def test_the_echo_tells_of_the_task(panda, quantity):
    question = panda.question(quantity, axes=(6, 1))
    echo = panda.client.dynamics.Compute(question.request()).echo
    assert list(echo.operational_space.axes) == [6, 1]
    assert echo.operational_space.rank_tolerance == 1e-6
    assert echo.tip_frame == panda.info.tip_frame
    other = panda.client.dynamics.Compute(
        panda.question(ask.POWER_BALANCE).request()).echo
    assert not other.HasField("operational_space") and not other.tip_frame
