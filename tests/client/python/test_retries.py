"""When calls are tried again, how often, and when they are given up."""

import asyncio
import contextlib
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import numpy as np
import pytest
import torqued
import torqued.aio
from conftest import MODELS, connected_to
from ports import held_address
from servers import Restarting, details, nobody_but_one_try, refusing
from torqued.connection import Connection
from torqued.settings import Settings

GONE = grpc.StatusCode.UNAVAILABLE
PANDA = MODELS / "panda.urdf"
STATE = np.zeros(7)
FAILURES = (torqued.Unavailable, torqued.DeadlineExceeded)


@pytest.mark.parametrize("code, sentence", [
    (grpc.StatusCode.CANCELLED, "CANCELLED"), (grpc.StatusCode.UNKNOWN, "Stream removed"),
    (grpc.StatusCode.INTERNAL, "Received RST_STREAM with error code 2"),
    (GONE, "Socket closed")])
@pytest.mark.parametrize("most", [1, 1000])
def test_what_the_caller_has_not_asked_for_is_tried_again(client, code, sentence, most):
    retried = []
    with refusing(client.address, (code, None, 0, sentence)) as (address, _):
        with connected_to(address, most, on_retry=(
                lambda error, _: retried.append(error.message))) as through:
            robot = through.model("panda")
            robot.compute(["mass_matrix"], np.zeros((2, 7)))
    assert retried == [sentence]


TOO_LARGE = details(grpc.StatusCode.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE")


@pytest.mark.parametrize("code, detail, sentence, reason", [
    (grpc.StatusCode.INTERNAL, None, "a fault", None),
    (grpc.StatusCode.UNKNOWN, None, "Exception iterating requests!", None),
    (grpc.StatusCode.ABORTED, None, "Socket closed", None),
    # Details of another code are void.
    (grpc.StatusCode.INVALID_ARGUMENT, TOO_LARGE, "no", None),
    (grpc.StatusCode.RESOURCE_EXHAUSTED, TOO_LARGE, "no",
     torqued.Reason.REQUEST_TOO_LARGE)])
def test_other_failures_are_final(client, code, detail, sentence, reason):
    with refusing(client.address, (code, detail, 0, sentence)) as (address, handler):
        with torqued.connect(address) as through:
            with pytest.raises(torqued.TorquedError, match=sentence) as caught:
                through.model("panda").mass_matrix(STATE)
    assert caught.value.reason == reason
    assert handler.calls.count("/torqued.v1.Dynamics/Compute") == 1


def test_waits_double_and_the_last_try_comes_before_the_deadline(client):
    waits = []
    with refusing(client.address, *[(GONE, None)] * 100) as (address, handler):
        with torqued.connect(
                address, on_retry=lambda _, seconds: waits.append(seconds)) as through:
            robot, begin = through.model("panda"), time.monotonic()
            with pytest.raises(FAILURES):
                robot.mass_matrix(STATE, deadline=1)
            lasted = time.monotonic() - begin
    assert lasted > 0.9
    assert handler.calls.count("/torqued.v1.Dynamics/Compute") == len(waits) + 1 > 4
    assert all(0.5 <= wait / 0.05 / 2**k <= 1 for k, wait in enumerate(waits[:-1]))


@pytest.mark.parametrize("change", [
    lambda client: client.register("again", PANDA),
    lambda client: client.delete("again")])
def test_changes_are_made_again_only_where_they_were_not_begun(client, change):
    draining = details(GONE, "DRAINING")
    client.register("again", PANDA)
    with refusing(client.address, (GONE, draining), (GONE, draining)) as (
            address, handler):
        with torqued.connect(address) as through:
            change(through)
            asked = [call for call in handler.calls if "Registry" in call]
            assert len(asked) == 3
    client.register("again", PANDA)
    for code in (GONE, grpc.StatusCode.CANCELLED):
        with refusing(client.address, (code, None)) as (address, handler):
            with torqued.connect(address) as through:
                with pytest.raises((torqued.Unavailable, torqued.Cancelled)):
                    change(through)
                assert len(handler.calls) == 1
    client.delete("again")


def test_closing_ends_the_wait_for_another_try():
    waiting = threading.Event()
    client = torqued.Client(Connection(Settings(
        held_address(), deadline=math.inf,
        on_retry=lambda error, seconds: seconds > 0.5 and waiting.set())))
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(client.models)
        assert waiting.wait(30)
        client.close()
        with pytest.raises(torqued.Cancelled, match="closed"):
            call.result(30)


def test_a_registration_that_was_refused_waits_for_the_next_server(tmp_path):
    server, refusals = Restarting(tmp_path, MODELS, address=held_address()), []
    draining = contextlib.ExitStack()

    def come_again():
        nobody_but_one_try(server.address)
        server.start()

    def refused(error, _):
        refusals.append(error.reason)
        if len(refusals) == 1:
            draining.close()
            server.stop()
            again.start()

    again = threading.Thread(target=come_again)
    try:
        with draining, torqued.connect(server.address, on_retry=refused) as client:
            draining.enter_context(server.draining())
            # What was done twice would be refused.
            robot = client.register("new", PANDA, expected_current="")
            assert client.describe("new").revision == robot.revision
        again.join(60)
    finally:
        server.stop()
    assert refusals[0] is torqued.Reason.DRAINING


def test_a_cancelled_task_does_not_wait_for_another_try(client):
    async def cancel():
        waiting = asyncio.Event()
        refused = [(GONE, None)] * 2000
        with refusing(client.address, *refused) as (address, handler):
            async with torqued.aio.connect(
                    address, on_retry=lambda *_: waiting.set()) as through:
                robot = await through.model("panda")
                task = asyncio.create_task(robot.mass_matrix(STATE))
                await waiting.wait()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                made = len(handler.calls)
                assert (await through.describe("panda")).nv == 7
                assert len(handler.calls) == made + 1

    asyncio.run(asyncio.wait_for(cancel(), 60))
