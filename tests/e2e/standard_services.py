"""Health and reflection of gRPC. Debian has no Python stubs of them, so messages of
one field are those of wrappers.proto, which have the same bytes."""

import re

from google.protobuf.wrappers_pb2 import Int32Value, StringValue

SERVING, NOT_SERVING = 1, 2


def _health(method):
    return {"method": f"/grpc.health.v1.Health/{method}",
            "request_serializer": StringValue.SerializeToString,
            "response_deserializer": lambda reply: Int32Value.FromString(reply).value}


def health_of(client, service="", timeout=30):
    call = client.channel.unary_unary(**_health("Check"))
    return call(StringValue(value=service), timeout=timeout)


def watch_health(client, timeout=30):
    return client.channel.unary_stream(**_health("Watch"))(StringValue(), timeout=timeout)


def offered(client):
    """The services that can be called."""
    call = client.channel.stream_stream(
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
    # list_services, which is field 7.
    reply, = call(iter([b"\x3a\x01*"]), timeout=10)
    # A name follows its number and its length.
    return {name.decode() for name in
            re.findall(rb"\n.((?:grpc|torqued)\.[\w.]+)", reply, re.DOTALL)}
