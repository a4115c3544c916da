"""A client of its own process that makes one small call after the other until
its stdin ends. Prints a JSON array of their durations in seconds, and the
number of those that failed."""

import json
import select
import sys
import time

import grpc
import numpy as np

import harness
from calls import ask, compute

PAUSE_SECONDS = 0.002


def main(address):
    durations, failures = [], []
    with harness.Client(address) as client:

        def call():
            compute(client, "planar_2r", [ask.MASS_MATRIX], q=np.zeros((1, 2)))

        for _ in range(20):  # connects, and fills what is filled once
            call()
        print("ready", flush=True)
        over = False
        while not over:  # one at least
            over = bool(select.select([sys.stdin], [], [], PAUSE_SECONDS)[0])
            begin = time.monotonic()
            try:
                call()
            except grpc.RpcError as error:
                failures.append(f"{error.code().name}: {error.details()}")
            durations.append(time.monotonic() - begin)
    print(json.dumps({"durations": durations, "failures": failures}))


if __name__ == "__main__":
    main(sys.argv[1])
