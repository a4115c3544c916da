"""A store whose files are deleted, replaced or linked under a running server,
and one that is full."""

import os
import pathlib
import shutil
import sqlite3
import time

import grpc
import health_pb2
import health_pb2_grpc
import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import all_models, ask, compute_request, register
from harness import failure_of

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
REGISTRY = "torqued.v1.ModelRegistry"


def pendulum(number):
    return robots.pendulum(1.0, 1 + number)


def health_of(client, service):
    return health_pb2_grpc.HealthStub(client.channel).Check(
        health_pb2.HealthCheckRequest(service=service), timeout=10).status


def wait_until(holds):
    give_up = time.monotonic() + harness.CALL_SECONDS
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.02)


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_a_deleted_file_is_noticed_before_a_registration_is_acknowledged(
        start, end):
    server = start()
    with harness.Client(server.address) as client:
        revision = register(client, "arm", pendulum(1)).model.revision
        os.remove(f"{server.store}{end}")
        refused = failure_of(register, client, "leg", pendulum(2))
        assert refused.code == grpc.StatusCode.UNAVAILABLE
        assert refused.reason == "STORE_UNAVAILABLE"
        assert f"{server.store}{end} was deleted" in refused.message
        # What the server has it serves.
        assert all_models(client)["arm"].revision == revision
        client.dynamics.Compute(
            compute_request("arm", [ask.MASS_MATRIX], q=np.zeros((1, 1))))
        wait_until(lambda: health_of(client, REGISTRY) == NOT_SERVING)
        assert health_of(client, "") == SERVING
        assert health_of(client, "torqued.v1.Dynamics") == SERVING
        wait_until(lambda: "nothing can be registered" in server.log())
        line, = (line for line in server.log().splitlines()
                 if "nothing can be registered" in line)
        assert " error " in line and "was deleted" in line
    assert server.stop() == 0


def test_a_replaced_file_is_noticed_and_one_that_is_put_back_is_good(start):
    server = start()
    aside = pathlib.Path(f"{server.store}.aside")
    with harness.Client(server.address) as client:
        register(client, "arm", pendulum(1))
        os.rename(server.store, aside)
        server.store.write_bytes(b"")
        wait_until(lambda: health_of(client, REGISTRY) == NOT_SERVING)
        refused = failure_of(register, client, "leg", pendulum(2))
        assert refused.reason == "STORE_UNAVAILABLE"
        assert "was replaced" in refused.message
        os.rename(aside, server.store)
        wait_until(lambda: health_of(client, REGISTRY) == SERVING)
        register(client, "leg", pendulum(2))
    wait_until(lambda: "the model store is back" in server.log())
    assert server.stop() == 0
    with start(store=server.store) as again:
        with harness.Client(again.address) as client:
            assert set(all_models(client)) == {"arm", "leg"}


@pytest.mark.parametrize("end", ["stopped", "killed"])
def test_a_store_that_is_touched_or_checkpointed_by_others_keeps_all(
        start, end):
    server = start()
    with harness.Client(server.address) as client:
        for number, pragma in enumerate(["wal_checkpoint",
                                         "wal_checkpoint(TRUNCATE)",
                                         "quick_check"]):
            register(client, f"arm{number}", pendulum(number))
            os.utime(server.store, (number, number))
            register(client, f"leg{number}", pendulum(number))
            with sqlite3.connect(server.store) as database:
                database.execute(f"PRAGMA {pragma}")
            database.close()
        register(client, "last", pendulum(1))
        assert health_of(client, REGISTRY) == SERVING
        names = set(all_models(client))
    if end == "stopped":
        assert server.stop() == 0
    else:
        server.kill()
    assert "nothing can be registered" not in server.log()
    assert len(names) == 7
    with start(store=server.store) as again:
        with harness.Client(again.address) as client:
            assert set(all_models(client)) == names
    assert not os.path.exists(f"{server.store}-wal.left")


@pytest.mark.parametrize("end", ["stopped", "killed"])
def test_a_store_that_is_overwritten_is_noticed_and_never_mixed(
        start, tmp_path, end):
    with start(store=tmp_path / "other.db") as other:
        with harness.Client(other.address) as client:
            register(client, "hand", pendulum(9))
        # The file has all then.
        assert other.stop() == 0
    server = start()
    with harness.Client(server.address) as client:
        for number in range(20):
            register(client, f"arm{number}", pendulum(number))
        shutil.copyfile(other.store, server.store)
        refused = failure_of(register, client, "leg", pendulum(2))
        assert refused.reason == "STORE_UNAVAILABLE"
        assert "was written by another program" in refused.message
        wait_until(lambda: health_of(client, REGISTRY) == NOT_SERVING)
        assert health_of(client, "") == SERVING
        line, = server.lines_when_there("nothing can be registered")
        left = f"{server.store}-wal.left"
        assert " error " in line and left in line
        assert os.path.getsize(left) > 0
    if end == "stopped":
        assert server.stop() == 0
    else:
        server.kill()
    assert server.store.read_bytes() == other.store.read_bytes()
    with start(store=server.store) as again:
        with harness.Client(again.address) as client:
            assert set(all_models(client)) == {"hand"}


@pytest.mark.parametrize("how", ["hard link", "no lock file"])
def test_a_second_server_is_refused_by_any_name_of_the_file(
        start, tmp_path, how):
    server = start()
    path = server.store
    if how == "hard link":
        path = tmp_path / "link.db"
        os.link(server.store, path)
    else:
        os.remove(f"{server.store}.lock")
    refused = harness.run_to_exit(
        "--store", path, "--listen", "127.0.0.1:0", seconds=30)
    assert refused.returncode == 1
    assert "is in use by another torqued" in refused.stdout
    with harness.Client(server.address) as client:
        register(client, "arm", pendulum(1))
    assert server.stop() == 0


def test_a_full_store_refuses_what_adds_to_it_with_a_reason_of_its_own(start):
    server = start("--max-models", 2, "--max-revisions", 3,
                   "--max-store-bytes", 400_000)
    with harness.Client(server.address) as client:
        def refused(name, source, limit, setting):
            failure = failure_of(register, client, name, source)
            assert failure.code == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert failure.reason == "QUOTA_REACHED"
            assert failure.metadata["limit"] == str(limit)
            assert failure.metadata["setting"] == setting
            # Trying again does not help.
            assert failure.retry_delay is None

        register(client, "arm", pendulum(1))
        register(client, "leg", pendulum(2))
        refused("hand", pendulum(1), 2, "max-models")
        refused("arm", pendulum(3) + " " * 400_000, 400_000, "max-store-bytes")
        register(client, "arm", pendulum(3))
        refused("arm", pendulum(4), 3, "max-revisions")
        assert set(all_models(client)) == {"arm", "leg"}
        client.registry.DeleteModel(
            registry_pb.DeleteModelRequest(name="leg"))
        register(client, "hand", pendulum(4))


def test_a_pointer_that_was_altered_is_broken_and_the_others_serve(start):
    with start() as server:
        with harness.Client(server.address) as client:
            first = register(client, "arm", pendulum(1)).model.revision
            register(client, "arm", pendulum(2))
            register(client, "leg", pendulum(3))
        assert server.stop() == 0
    with sqlite3.connect(server.store) as database:
        assert database.execute(
            "UPDATE names SET revision = ? WHERE name = 'arm'",
            (first,)).rowcount == 1
    database.close()
    check = harness.run_to_exit("store", "check", server.store)
    assert check.returncode == 2
    assert "name arm: is not what was stored" in check.stdout
    again = start(store=server.store)
    line, = again.lines_when_there("broken model")
    assert "model=arm" in line
    with harness.Client(again.address) as client:
        models = all_models(client)
        assert models["arm"].state == registry_pb.MODEL_STATE_BROKEN
        assert "damaged" in models["arm"].problem
        assert models["leg"].state == registry_pb.MODEL_STATE_READY
        refused = failure_of(client.dynamics.Compute, compute_request(
            "arm", [ask.MASS_MATRIX], q=np.zeros((1, 1))))
        assert refused.reason == "MODEL_BROKEN"
        register(client, "arm", pendulum(2))
        client.dynamics.Compute(
            compute_request("arm", [ask.MASS_MATRIX], q=np.zeros((1, 1))))
