"""A planner in plain Python: registers a robot, asks for the torques of some
states in both encodings, and prints what it got as JSON. Uses the generated
stubs and the standard library only.

Usage: planner.py ADDRESS URDF STATES_JSON
"""

import json
import pathlib
import platform
import struct
import sys

import grpc
from torqued.v1 import array_pb2, dynamics_pb2, dynamics_pb2_grpc
from torqued.v1 import model_registry_pb2, model_registry_pb2_grpc

DEADLINE_SECONDS = 30


def as_values(rows):
    return array_pb2.Array(
        columns=len(rows[0]), values=[x for row in rows for x in row])


def as_bytes(rows):
    numbers = [x for row in rows for x in row]
    return array_pb2.Array(
        columns=len(rows[0]), f64=struct.pack(f"<{len(numbers)}d", *numbers))


def numbers_of(array):
    if array.f64:
        return list(struct.unpack(f"<{len(array.f64) // 8}d", array.f64))
    return list(array.values)


def report(reply):
    numbers = numbers_of(reply.tau)
    return {
        "rows": reply.rows,
        "columns": reply.tau.columns,
        "payload": "f64" if reply.tau.f64 else "values",
        "torques": numbers,
        "bits": struct.pack(f"<{len(numbers)}d", *numbers).hex(),
        "joint_names": list(reply.echo.joint_names),
        "revision": reply.echo.revision,
    }


def stream(dynamics, states, chunk_rows):
    """The torques through Evaluate, chunk by chunk."""
    def messages():
        yield dynamics_pb2.EvaluateRequest(start=dynamics_pb2.EvaluateStart(
            model="python-robot",
            quantities=[dynamics_pb2.QUANTITY_INVERSE_DYNAMICS]))
        for first in range(0, len(states["q"]), chunk_rows):
            yield dynamics_pb2.EvaluateRequest(
                chunk=dynamics_pb2.EvaluateChunk(**{
                    name: as_bytes(rows[first:first + chunk_rows])
                    for name, rows in states.items()}))

    numbers, rows = [], []
    for reply in dynamics.Evaluate(messages(), timeout=DEADLINE_SECONDS):
        rows.append((reply.first_row, reply.rows))
        numbers += numbers_of(reply.results.tau)
    return {"chunks": rows,
            "bits": struct.pack(f"<{len(numbers)}d", *numbers).hex()}


def main(address, urdf, states_file):
    states = json.loads(pathlib.Path(states_file).read_text())
    with grpc.insecure_channel(
            address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        registry = model_registry_pb2_grpc.ModelRegistryStub(channel)
        dynamics = dynamics_pb2_grpc.DynamicsStub(channel)
        registered = registry.RegisterModel(
            model_registry_pb2.RegisterModelRequest(
                name="python-robot", source=pathlib.Path(urdf).read_bytes()),
            timeout=DEADLINE_SECONDS)

        def ask(encode):
            return report(dynamics.InverseDynamics(
                dynamics_pb2.InverseDynamicsRequest(
                    model="python-robot",
                    **{name: encode(rows) for name, rows in states.items()}),
                timeout=DEADLINE_SECONDS))

        print(json.dumps({
            "runtime": f"python {platform.python_version()}",
            "revision": registered.model.revision,
            "values": ask(as_values),
            "f64": ask(as_bytes),
            "stream": stream(dynamics, states, 10),
        }))


if __name__ == "__main__":
    main(*sys.argv[1:])
