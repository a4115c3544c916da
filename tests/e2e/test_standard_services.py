"""Health and reflection, the services that every gRPC tool knows."""

import pathlib
import re
import time

import grpc
import health_pb2
import health_pb2_grpc
import reflection_pb2
import reflection_pb2_grpc
from google.protobuf import descriptor_pb2, descriptor_pool

import harness
from calls import laborious_for, register_long
from harness import begin, failure_of

SOURCE = pathlib.Path(__file__).resolve().parents[2]

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def test_the_health_service_tells_that_the_server_serves(start):
    server = start()
    with harness.Client(server.address) as client:
        health = health_pb2_grpc.HealthStub(client.channel)

        def check(service=""):
            return health.Check(
                health_pb2.HealthCheckRequest(service=service), timeout=10)

        assert check().status == SERVING
        assert failure_of(check, "no.such.Service").code == (
            grpc.StatusCode.NOT_FOUND)


def test_a_health_watcher_sees_the_server_go(start):
    server = start("--threads", 1)
    with harness.Client(server.address) as client:
        register_long(client)
        watch = health_pb2_grpc.HealthStub(client.channel).Watch(
            health_pb2.HealthCheckRequest(), timeout=30)
        assert next(watch).status == SERVING
        # Something to finish, so that the goodbye can be seen.
        batch = begin(client.dynamics.Compute, laborious_for(client, 0.6))
        time.sleep(0.1)
        server.terminate()
        assert next(watch).status == NOT_SERVING
        assert batch.result().rows_not_ok == 0
        watch.cancel()
    assert server.wait() == 0


def test_the_health_check_command_tells_it_to_scripts(start):
    server = start()
    healthy = harness.run_to_exit("--health-check", server.address)
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


def test_reflection_lists_the_services_and_describes_them(start):
    with harness.Client(start().address) as client:
        listed = reflect(client, list_services="*").list_services_response
        assert {"torqued.v1.Dynamics", "torqued.v1.ModelRegistry",
                "torqued.v1.ServerInfo", "grpc.health.v1.Health"} <= {s.name for s in listed.service}
        described = reflect(
            client, file_containing_symbol="torqued.v1.Dynamics"
        ).file_descriptor_response.file_descriptor_proto
        files = [descriptor_pb2.FileDescriptorProto.FromString(file)
                 for file in described]
        methods = {method.name for file in files for service in file.service
                   for method in service.method}
        assert {"Compute", "InverseDynamics", "OperationalSpace"} <= methods


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


def reflect_all(client, *requests):
    """The replies of one stream."""
    stub = reflection_pb2_grpc.ServerReflectionStub(client.channel)
    return list(stub.ServerReflectionInfo(iter([
        reflection_pb2.ServerReflectionRequest(**request)
        for request in requests]), timeout=10))


def files_of(reply):
    return [descriptor_pb2.FileDescriptorProto.FromString(file)
            for file in reply.file_descriptor_response.file_descriptor_proto]


def test_reflection_describes_files_with_what_they_import_once(start):
    asked = [{"file_by_filename": "torqued/v1/trajectory.proto"},
             {"file_containing_symbol": "torqued.v1.Dynamics.Compute"},
             {"file_containing_symbol": "grpc.health.v1.Health"}]
    with harness.Client(start().address) as client:
        trajectory, dynamics, health = (
            files_of(reply) for reply in reflect_all(client, *asked))
    pool = descriptor_pool.DescriptorPool()
    left = {file.name: file for file in trajectory}

    def add(name):
        if file := left.pop(name, None):
            for imported in file.dependency:
                add(imported)
            pool.Add(file)

    add("torqued/v1/trajectory.proto")
    assert not left
    assert trajectory[0].name == "torqued/v1/trajectory.proto"
    check = pool.FindServiceByName("torqued.v1.Trajectories").methods[0]
    assert check.input_type.fields_by_name["start"].message_type.full_name == (
        "torqued.v1.CheckTrajectoryStart")
    # What the stream has told already comes again only where it is asked for.
    names = [file.name for file in trajectory]
    assert len(set(names)) == len(names)
    assert "torqued/v1/dynamics.proto" in names
    assert [file.name for file in dynamics] == ["torqued/v1/dynamics.proto"]
    assert {service.name for file in health for service in file.service} == {
        "Health"}


def test_reflection_repeats_the_request_and_refuses_in_its_reply(start):
    asked = [{"file_containing_symbol": "no.such.Thing", "host": "here"},
             {"file_by_filename": "no/such.proto"},
             {"file_containing_extension": reflection_pb2.ExtensionRequest(
                 containing_type="torqued.v1.Array", extension_number=100)},
             {"all_extension_numbers_of_type": "no.such.Type"},
             {}]
    with harness.Client(start().address) as client:
        *replies, nothing, of_type = reflect_all(
            client, *asked, {"all_extension_numbers_of_type":
                             "torqued.v1.Array"})
    for request, reply in zip(asked, replies):
        assert reply.original_request == (
            reflection_pb2.ServerReflectionRequest(**request))
        assert reply.valid_host == reply.original_request.host
        assert reply.error_response.error_code == (
            grpc.StatusCode.NOT_FOUND.value[0])
        assert reply.error_response.error_message
    assert nothing.error_response.error_code == (
        grpc.StatusCode.INVALID_ARGUMENT.value[0])
    numbers = of_type.all_extension_numbers_response
    assert numbers.base_type_name == "torqued.v1.Array"
    assert not numbers.extension_number


def test_a_watcher_of_what_is_not_there_is_told_so(start):
    with harness.Client(start().address) as client:
        health = health_pb2_grpc.HealthStub(client.channel)
        watches = [health.Watch(health_pb2.HealthCheckRequest(service=name),
                                timeout=30)
                   for name in ("no.such.Service", "torqued.v1.Dynamics")]
        assert [next(watch).status for watch in watches] == [
            health_pb2.HealthCheckResponse.SERVICE_UNKNOWN, SERVING]
        for watch in watches:
            watch.cancel()
        # Bytes that are no request are told.
        for method in "Check", "Watch":
            call = client.channel.stream_stream(
                f"/grpc.health.v1.Health/{method}")
            failure = failure_of(
                lambda call=call: list(call(iter([b"\xff"]), timeout=10)))
            assert (failure.code, failure.reason) == (
                grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")


def test_reflection_can_be_turned_off(start):
    with harness.Client(start("--reflection", "off").address) as client:
        failure = failure_of(reflect, client, list_services="*")
        assert failure.code == grpc.StatusCode.UNIMPLEMENTED
