"""What the Python client costs beside the transport alone, and beside a client
that sends lists of numbers.

Usage: python_transport.py [--repetitions N] [--check]
with PYTHONPATH=build/release/python TORQUED_SERVER=build/release/bin/torqued.

Inverse dynamics of the seven-axis example arm, on one local server:
  client     torqued.Robot.inverse_dynamics, numpy in and out
  transport  bare gRPC: the same numbers as bytes in messages made beforehand,
             replies not looked at; the faster of one call and a stream
  naive      generated stubs and `repeated double`, numpy in and out
The three take turns; the least time of each counts. --check fails where the
client takes over 1.5 times the transport with 10 000 states.
"""

import argparse
import pathlib
import random
import sys
import time

import grpc
import numpy as np
import torqued
from torqued.v1 import array_pb2, dynamics_pb2, dynamics_pb2_grpc

MODELS = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "models"
COUNTS = (1, 100, 1000, 10_000, 100_000)
CHUNK = 1000
LIMIT = 1.5
# The client's own; with gRPC's defaults the transport takes longer.
OPTIONS = [("grpc.max_receive_message_length", 64 << 20),
           ("grpc.max_send_message_length", 64 << 20),
           ("grpc.enable_retries", 0)]
QUANTITIES = [dynamics_pb2.QUANTITY_INVERSE_DYNAMICS]


def as_bytes(numbers):
    return array_pb2.Array(columns=numbers.shape[1], f64=numbers.tobytes())


def as_values(numbers):
    return array_pb2.Array(
        columns=numbers.shape[1], values=numbers.ravel().tolist())


class Transport:
    """Sends what was made beforehand."""

    def __init__(self, stub, model, q, v, a):
        self._stub = stub
        inputs = {"q": q, "v": v, "a": a}
        self._request = dynamics_pb2.ComputeRequest(
            model=model, quantities=QUANTITIES,
            **{name: as_bytes(rows) for name, rows in inputs.items()})
        self._messages = [dynamics_pb2.EvaluateRequest(
            start=dynamics_pb2.EvaluateStart(
                model=model, quantities=QUANTITIES))]
        for row in range(0, len(q), CHUNK):
            self._messages.append(dynamics_pb2.EvaluateRequest(
                chunk=dynamics_pb2.EvaluateChunk(**{
                    name: as_bytes(rows[row:row + CHUNK])
                    for name, rows in inputs.items()})))

    def in_one_call(self):
        self._stub.Compute(self._request)

    def through_a_stream(self):
        for _ in self._stub.Evaluate(iter(self._messages)):
            pass


def naive(stub, model, q, v, a):
    reply = stub.Compute(dynamics_pb2.ComputeRequest(
        model=model, quantities=QUANTITIES, q=as_values(q), v=as_values(v),
        a=as_values(a)))
    return np.array(reply.results.tau.values).reshape(len(q), -1)


def least(ways, repetitions):
    """Seconds of each way. They take turns in an order that changes: whoever
    comes behind the lists of numbers finds the caches cold."""
    best = dict.fromkeys(ways, float("inf"))
    shuffled = random.Random(1)
    for _ in range(repetitions):
        for name in shuffled.sample(list(ways), len(ways)):
            function = ways[name]
            start = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def measure(robot, stub, count, repetitions):
    q, v, a = np.random.default_rng(3).uniform(-1, 1, (3, count, robot.nv))
    model = "@" + robot.revision
    transport = Transport(stub, model, q, v, a)
    expected = robot.inverse_dynamics(q, v, a)
    assert np.array_equal(naive(stub, model, q, v, a), expected)
    best = least({
        "client": lambda: robot.inverse_dynamics(q, v, a),
        "call": transport.in_one_call,
        "stream": transport.through_a_stream,
        "naive": lambda: naive(stub, model, q, v, a)}, repetitions)
    best["transport"] = min(best.pop("call"), best.pop("stream"))
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--check", action="store_true")
    choices = parser.parse_args()
    ratios = {}
    with torqued.local([MODELS / "panda.urdf"]) as client, \
            grpc.insecure_channel(client.address, OPTIONS) as channel:
        robot = client.model("panda")
        stub = dynamics_pb2_grpc.DynamicsStub(channel)
        print("states   client ms  transport ms  naive ms  "
              "client/transport  naive/client")
        for count in COUNTS:
            # The longest ones are fewer.
            repetitions = choices.repetitions // (5 if count > 10_000 else 1)
            best = measure(robot, stub, count, max(repetitions, 1))
            ms = {name: seconds * 1e3 for name, seconds in best.items()}
            ratios[count] = ms["client"] / ms["transport"]
            print(f"{count:6d}  {ms['client']:10.3f}  {ms['transport']:12.3f}"
                  f"  {ms['naive']:8.3f}  {ratios[count]:16.2f}"
                  f"  {ms['naive'] / ms['client']:12.1f}")
    if choices.check and ratios[10_000] > LIMIT:
        sys.exit(f"the client takes {ratios[10_000]:.2f} times the transport; "
                 f"at most {LIMIT} is wanted")


if __name__ == "__main__":
    main()
