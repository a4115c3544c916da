"""Health and reflection, the services that every gRPC tool knows."""

import pathlib
import re

import grpc
import health_pb2
import health_pb2_grpc
import pytest
import reflection_pb2
import reflection_pb2_grpc

import harness
from calls import laborious_for, register_long
from harness import begin, failure_of

SOURCE = pathlib.Path(__file__).resolve().parents[2]

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def test_a_health_watcher_sees_the_server_go(start):
    server = start("--threads", 1)
    with harness.Client(server.address) as client:
        register_long(client)
        watch = health_pb2_grpc.HealthStub(client.channel).Watch(
            health_pb2.HealthCheckRequest(), timeout=30)
        assert next(watch).status == SERVING
        # Something to finish, so that the goodbye can be seen.
        batch = begin(client.dynamics.Compute, laborious_for(client, 0.6))
        server.wait_until_computing()
        server.terminate()
        assert next(watch).status == NOT_SERVING
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


def reflect(client, **request):
    stub = reflection_pb2_grpc.ServerReflectionStub(client.channel)
    reply, = stub.ServerReflectionInfo(iter([
        reflection_pb2.ServerReflectionRequest(**request)]), timeout=10)
    return reply


STANDARD = {"grpc.health.v1.Health",
            "grpc.reflection.v1alpha.ServerReflection"}


def offered(client):
    """The services that can be called."""
    listed = reflect(client, list_services="*").list_services_response
    return {service.name for service in listed.service}


def test_the_health_of_every_service_that_can_be_called_is_told(start):
    with harness.Client(start().address) as client:
        health = health_pb2_grpc.HealthStub(client.channel)
        ours = offered(client) - STANDARD
        assert "torqued.v1.Trajectories" in ours
        for service in ours:
            reply = health.Check(
                health_pb2.HealthCheckRequest(service=service), timeout=10)
            assert reply.status == SERVING, service
        with pytest.raises(grpc.RpcError) as error:
            health.Check(health_pb2.HealthCheckRequest(
                service="no.such.Service"), timeout=10)
        assert error.value.code() == grpc.StatusCode.NOT_FOUND


def test_every_service_that_can_be_called_is_on_the_page_and_in_the_contract(
        start):
    with harness.Client(start().address) as client:
        services = offered(client)
    page = (SOURCE / "docs/server.md").read_text()
    assert {name for name in services if f"`{name}`" not in page} == set()
    contract = {
        f"torqued.v1.{name}"
        for file in (SOURCE / "proto").glob("torqued/v1/*.proto")
        for name in re.findall(r"^service (\w+)", file.read_text(), re.M)}
    assert services - STANDARD == contract


def test_reflection_can_be_turned_off(start):
    with harness.Client(start("--reflection", "off").address) as client:
        failure = failure_of(reflect, client, list_services="*")
        assert failure.code == grpc.StatusCode.UNIMPLEMENTED
