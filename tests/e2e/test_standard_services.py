"""Health and reflection, the services that every gRPC tool knows."""

import pathlib
import re

import grpc
import pytest

import harness
from calls import laborious_for, register_long
from harness import begin, failure_of
from standard_services import NOT_SERVING, SERVING, health_of, offered, watch_health

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def test_a_health_watcher_sees_the_server_go(start):
    server = start("--threads", 1)
    with harness.Client(server.address) as client:
        register_long(client)
        watch = watch_health(client)
        assert next(watch) == SERVING
        # Something to finish, so that the goodbye can be seen.
        batch = begin(client.dynamics.Compute, laborious_for(client, 0.6))
        server.wait_until_computing()
        server.terminate()
        assert next(watch) == NOT_SERVING
        assert batch.result().rows_not_ok == 0
        watch.cancel()
    assert server.wait() == 0


def test_the_health_check_command_tells_it_to_scripts(start):
    server = start()
    # A proxy of the environment is not asked.
    healthy = harness.run_to_exit(
        "--health-check", server.address,
        environment={"http_proxy": "http://proxy.invalid"})
    assert (healthy.returncode, healthy.stdout) == (0, "")
    assert server.stop() == 0
    gone = harness.run_to_exit("--health-check", server.address)
    assert gone.returncode == 1
    assert gone.stdout.startswith("torqued: ")


STANDARD = {"grpc.health.v1.Health",
            "grpc.reflection.v1alpha.ServerReflection"}


def test_the_health_of_every_service_that_can_be_called_is_told(start):
    with harness.Client(start().address) as client:
        ours = offered(client) - STANDARD
        assert "torqued.v1.Trajectories" in ours
        for service in ours:
            assert health_of(client, service) == SERVING, service
        with pytest.raises(grpc.RpcError) as error:
            health_of(client, "no.such.Service")
        assert error.value.code() == grpc.StatusCode.NOT_FOUND


def test_every_service_that_can_be_called_is_on_the_page_and_in_the_contract(
        start):
    with harness.Client(start().address) as client:
        services = offered(client)
    page = (SOURCE / "docs/operations.md").read_text()
    assert {name for name in services if f"`{name}`" not in page} == set()
    contract = {
        f"torqued.v1.{name}"
        for file in (SOURCE / "proto").glob("torqued/v1/*.proto")
        for name in re.findall(r"^service (\w+)", file.read_text(), re.M)}
    assert services - STANDARD == contract


def test_reflection_can_be_turned_off(start):
    with harness.Client(start("--reflection", "off").address) as client:
        failure = failure_of(offered, client)
        assert failure.code == grpc.StatusCode.UNIMPLEMENTED
