"""What a wrench of the tip changes."""

import pytest
from torqued.v1 import dynamics_pb2 as pb

import streams
from calls import (
    ALL_QUANTITIES, UNDER_WRENCHES, States, compute_request, quantity_name,
    tip_wrench)
from harness import failure_of


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
