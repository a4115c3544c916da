"""A store that is linked under a running server, full, or altered."""

import os
import sqlite3

import grpc
import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import all_models, ask, compute_request, register
from harness import failure_of

def pendulum(number):
    return robots.pendulum(1.0, 1 + number)


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
