"""Stopping, crashing, being given up on: what a server keeps and finishes."""

import random
import signal
import threading
import time

import grpc
import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb
from torqued.v1 import server_info_pb2 as info_pb

import harness
import robots
from calls import (
    ask, States, all_models, compute_request, everything_request, laborious,
    laborious_for, register, register_long)
from harness import begin, failure_of

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


# --- Restarts and crashes ----------------------------------------------------


def test_a_restart_keeps_models_and_answers(start):
    request = everything_request("panda", States(7, 20))
    lives = []
    for life in range(2):
        models = harness.example_models() if life == 0 else None
        with start(models=models) as server:
            with harness.Client(server.address) as client:
                reply = client.dynamics.Compute(request)
                model = client.registry.GetModel(registry_pb.GetModelRequest(
                    model="panda", include_source=True))
                lives.append((reply.results, reply.echo.revision, model))
            assert server.stop() == 0
    assert lives[0] == lives[1]


def register_until_killed(address, index, acknowledged):
    """Notes each name and its revision once it is acknowledged."""
    with harness.Client(address) as client:
        try:
            for i in range(10_000):
                name = f"arm-{index}-{i}"
                acknowledged[name] = register(
                    client, name, robots.pendulum(1 + i, 0.5 + index)
                ).model.revision
        except grpc.RpcError as error:
            assert error.code() == UNAVAILABLE, error


def test_a_crash_loses_no_acknowledged_registration(start):
    """Four lives; each ends with SIGKILL while threads register.
    tests/server/registry/kill_test.cc has fifty of one thread, and pointers that
    move."""
    delays = random.Random(20240607)
    known = {}
    for life in range(4):
        server = start()
        before = len(known)
        threads = [threading.Thread(
            target=register_until_killed,
            args=(server.address, 10 * life + i, known)) for i in range(4)]
        for thread in threads:
            thread.start()
        harness.until(lambda: len(known) > before + 20)
        time.sleep(delays.uniform(0.01, 0.25))
        server.kill()
        for thread in threads:
            thread.join()
        with start() as again, harness.Client(again.address) as client:
            models = all_models(client)
            assert {name: models[name].revision for name in known} == known
            for name in list(known)[-5:]:
                assert client.dynamics.Compute(compute_request(
                    name, [ask.MASS_MATRIX], q=np.zeros((1, 1)))).rows_not_ok == 0
            again.kill()


def test_a_second_server_on_the_same_store_is_refused(start, tmp_path):
    first = start()
    refused = harness.run_to_exit(
        "--listen", "127.0.0.1:0", "--store", first.store)
    assert refused.returncode == 1
    assert str(first.store) in refused.stdout
    assert str(first.pid) in refused.stdout
    assert len(refused.stdout.splitlines()) <= 3
    with harness.Client(first.address) as client:
        assert all_models(client) == {}
    # The store is free again once its server is gone, however it went.
    first.kill()
    assert start(store=first.store).stop() == 0


# --- Shutdown ----------------------------------------------------------------


def test_sigterm_lets_a_large_batch_finish_and_refuses_new_calls(start):
    server = start("--threads", 1)
    with harness.Client(server.address) as client, \
            harness.Client(server.address) as newcomer:
        register_long(client)
        request = laborious_for(client, 1.0)
        expected = client.dynamics.Compute(request).results
        newcomer.dynamics.Compute(laborious(1))
        batch = begin(client.dynamics.Compute, request)
        server.wait_until_computing()
        server.terminate()
        # A call on a connection that was there before is told to go elsewhere.
        deadline = time.monotonic() + harness.CALL_SECONDS
        while True:
            try:
                newcomer.dynamics.Compute(laborious(1))
            except grpc.RpcError as error:
                refusal = harness.Failure.of(error)
                break
            assert time.monotonic() < deadline, "new calls are still served"
        registry_refusal = failure_of(all_models, newcomer)
        info_refusal = failure_of(
            newcomer.info.GetServerInfo, info_pb.GetServerInfoRequest())
        with harness.Client(server.address) as latecomer:
            late_refusal = failure_of(all_models, latecomer)
        assert not batch.done(), "the batch was too small to tell"
        assert (refusal.code, refusal.reason) == (UNAVAILABLE, "DRAINING")
        assert registry_refusal.reason == "DRAINING"
        assert info_refusal.reason == "DRAINING"
        # On a connection of its own it may find nobody.
        assert late_refusal.code == UNAVAILABLE
        assert batch.result().results == expected
    assert server.wait() == 0
    assert not server.address_file.exists()


def test_sigterm_without_calls_ends_the_server_at_once(start):
    for number in (signal.SIGTERM, signal.SIGINT):
        server = start("--drain-grace", 600)
        with harness.Client(server.address) as client:
            all_models(client)
            server.process.send_signal(number)
            assert server.wait() == 0


def test_calls_that_outlast_the_grace_are_cut_off(start):
    server = start("--threads", 1, "--drain-grace", 0.2,
                   "--max-message-bytes", 1 << 27)
    with harness.Client(server.address) as client:
        register_long(client)
        batch = begin(client.dynamics.Compute, laborious_for(client, 4.0))
        server.wait_until_computing()
        server.terminate()
        assert server.wait() == 0
        failure = harness.Failure.of(batch.exception())
        assert failure.code == UNAVAILABLE


# --- Cancelled calls ---------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("how", ["cancelled", "past-its-deadline"])
def test_a_large_call_given_up_leaves_the_server_free(start, how):
    server = start("--threads", 1)
    with harness.Client(server.address) as client:
        register_long(client)
        request = laborious_for(client, 2.0, server.cpu_seconds)
        before = server.cpu_seconds_when_idle()
        client.dynamics.Compute(request)
        whole = server.cpu_seconds_when_idle() - before
        before = server.cpu_seconds()
        call = client.dynamics.Compute.func.future(
            request, timeout=0.3 if how == "past-its-deadline" else 30)
        if how == "cancelled":
            server.wait_until_computing()
            call.cancel()
        assert call.code() in (grpc.StatusCode.CANCELLED,
                               grpc.StatusCode.DEADLINE_EXCEEDED)
        # Nobody computes for nobody.
        assert server.cpu_seconds_when_idle() - before < whole / 2
        assert client.dynamics.Compute(laborious(1)).rows == 1
