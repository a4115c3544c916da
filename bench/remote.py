"""What the Python client costs beside bare gRPC.

Usage: remote.py
with PYTHONPATH=build/release/python TORQUED_BINARY=build/release/bin/torqued.

Milliseconds for inverse dynamics of the seven-axis arm on a local server:
  client     torqued.Robot.inverse_dynamics, numpy in and out
  transport  one call with the same numbers as bytes in a message made
             beforehand, the reply not looked at
Both take turns; the least time of each counts.
"""

import pathlib
import time

import grpc
import numpy as np
import torqued
from torqued.v1 import array_pb2, dynamics_pb2, dynamics_pb2_grpc

MODELS = pathlib.Path(__file__).resolve().parents[1] / "examples" / "robots"
COUNTS = (1, 100, 1000, 10_000, 100_000)
REPETITIONS = 100
OPTIONS = [("grpc.max_receive_message_length", -1)]


def measure(robot, stub, count):
    """(client, transport) in seconds."""
    q, v, a = np.random.default_rng(3).uniform(-1, 1, (3, count, robot.nv))
    request = dynamics_pb2.ComputeRequest(
        model="@" + robot.revision,
        quantities=[dynamics_pb2.QUANTITY_INVERSE_DYNAMICS],
        **{name: array_pb2.Array(columns=robot.nv, f64=numbers.tobytes())
           for name, numbers in (("q", q), ("v", v), ("a", a))})
    ways = (lambda: robot.inverse_dynamics(q, v, a),
            lambda: stub.Compute(request))
    least = [float("inf")] * 2
    for _ in range(REPETITIONS):
        for k, way in enumerate(ways):
            start = time.perf_counter()
            way()
            least[k] = min(least[k], time.perf_counter() - start)
    return least


def main():
    server = ["--max-message-bytes", str(64 << 20)]
    with torqued.local([MODELS / "panda.urdf"], arguments=server) as client, \
            grpc.insecure_channel(client.address, OPTIONS) as channel:
        stub = dynamics_pb2_grpc.DynamicsStub(channel)
        print("states  client ms  transport ms  client / transport")
        for count in COUNTS:
            ours, bare = measure(client.model("panda"), stub, count)
            print(f"{count:6d}  {1e3 * ours:9.3f}  {1e3 * bare:12.3f}"
                  f"  {ours / bare:18.2f}")


if __name__ == "__main__":
    main()
