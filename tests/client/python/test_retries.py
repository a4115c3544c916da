"""When calls are tried again, how often, and when they are given up."""

import asyncio
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import numpy as np
import pytest
import torqued
import torqued.aio
from conftest import MODELS
from ports import held_address
from servers import details, refusing
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
@pytest.mark.parametrize("stream", [False, True])
def test_what_the_caller_has_not_asked_for_is_tried_again(client, code, sentence, stream):
    retried = []
    with refusing(client.address, (code, None, 0, sentence)) as (address, _):
        with torqued.connect(address, chunk_rows=1 if stream else 1000, on_retry=(
                lambda error, _: retried.append(error.message))) as through:
            robot = through.model("panda")
            robot.compute(["mass_matrix"], np.zeros((2, 7)))
    assert retried == [sentence]


@pytest.mark.parametrize("code, sentence", [
    (grpc.StatusCode.INTERNAL, "a fault"),
    (grpc.StatusCode.UNKNOWN, "Exception iterating requests!"),
    (grpc.StatusCode.ABORTED, "Socket closed")])
def test_other_failures_are_final(client, code, sentence):
    with refusing(client.address, (code, None, 0, sentence)) as (address, _):
        with torqued.connect(address) as through:
            with pytest.raises(torqued.TorquedError, match=sentence):
                through.model("panda").mass_matrix(STATE)


def test_without_a_deadline_an_outage_has_its_end(monkeypatch):
    monkeypatch.setattr("torqued.retry.LONGEST_OUTAGE", 0.5)
    begin = time.monotonic()
    client = torqued.Client(Connection(Settings(held_address(), deadline=math.inf)))
    with client, pytest.raises(FAILURES, match="tried"):
        client.models()
    assert time.monotonic() - begin > 0.4


def test_the_budget_bounds_the_tries_and_fails_none_before_its_deadline(client):
    calls, seconds = 60, 3.0
    with refusing(client.address, *[(GONE, None)] * 2000) as (address, handler):
        with torqued.connect(address) as through:
            robot = through.model("panda")
            handler.calls.clear()

            def fail(_):
                begin = time.monotonic()
                with pytest.raises(FAILURES):
                    robot.mass_matrix(STATE, deadline=seconds)
                return time.monotonic() - begin

            begin = time.monotonic()
            with ThreadPoolExecutor(calls) as threads:
                lasted = list(threads.map(fail, range(calls)))
            lasting = time.monotonic() - begin
    assert min(lasted) > seconds - 0.1
    # The first ones, the bucket, what it gains, the last ones; backoff alone
    # makes hundreds of it.
    assert len(handler.calls) <= calls + 50 + 10 * lasting + calls


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
    failures = []
    client = torqued.Client(Connection(Settings(
        held_address(), deadline=math.inf,
        on_retry=lambda error, seconds: seconds > 0.5 and waiting.set())))

    def call():
        try:
            client.models()
        except torqued.TorquedError as error:
            failures.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    assert waiting.wait(30)
    client.close()
    caller.join(30)
    assert isinstance(failures[0], torqued.Cancelled)
    assert "closed" in failures[0].message


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
