"""When singular values come, and what gravity there is by default."""

import numpy as np
from torqued.v1 import dynamics_pb2 as pb

from calls import FRAMES, States, ask, compute, options
from harness import array, table

DOWN = (0.0, -9.81, 0.0)  # gravity in the plane of planar_2r
LINEAR_XY = [pb.TASK_AXIS_LINEAR_X, pb.TASK_AXIS_LINEAR_Y]
STRETCHED = np.array([[0.3, 0.0], [0.4, 1.1], [-2.0, 0.0]])
STRETCHED_V = np.array([[0.5, -1.0], [0.2, 0.3], [1.5, 0.7]])


def singular_task(client, q=STRETCHED, **task):
    return client.dynamics.OperationalSpace(pb.OperationalSpaceRequest(
        model="planar_2r", q=array(q), v=array(STRETCHED_V),
        options=options(
            gravity=DOWN, reference_frame=FRAMES["world_aligned"]),
        operational_space=pb.OperationalSpaceOptions(
            axes=LINEAR_XY, **{"sigma_min": True, **task})))


def test_singular_values_come_only_when_asked_for_and_change_nothing(client):
    asked = singular_task(client)
    plain = singular_task(client, sigma_min=False)
    assert asked.echo.operational_space.sigma_min
    assert not plain.echo.operational_space.sigma_min
    assert len(asked.sigma_min) == 3
    assert len(plain.sigma_min) == 0
    assert getattr(plain, "lambda") == getattr(asked, "lambda")
    assert plain.eta == asked.eta
    assert plain.rank == asked.rank
    assert plain.rule == asked.rule
    # A singular row names its value either way.
    assert plain.row_status == asked.row_status
    assert [s.value for s in plain.row_status] == [
        asked.sigma_min[0], asked.sigma_min[2]]
    nearly = singular_task(client, q=[[0.3, 1e-8]] * 3, sigma_min=False)
    told = singular_task(client, q=[[0.3, 1e-8]] * 3).sigma_min
    assert nearly.row_status[1].value == told[1] > 0


def test_gravity_is_the_models_unless_given(client):
    def bias(gravity):
        return compute(
            client, "ur5e", [ask.BIAS_FORCES], q=States(6, 10).q,
            options=options(gravity=gravity))

    default, explicit, zero, double = (
        bias(g) for g in (None, (0, 0, -9.81), (0, 0, 0), (0, 0, -19.62)))
    assert default.results == explicit.results
    assert list(default.echo.terms.gravity) == [0, 0, -9.81]
    assert not table(zero.results.bias).any()
    np.testing.assert_allclose(
        table(double.results.bias), 2 * table(default.results.bias),
        rtol=1e-13, atol=1e-13)
