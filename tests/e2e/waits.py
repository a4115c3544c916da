"""What a small call waits for beside bulk work of others, in milliseconds.

    waits.py SERVER_BINARY MODELS_DIRECTORY

Fails if 99 of 100 small calls do not take less than 20 ms beside 64 bulk
streams and 10 ms beside 20 clients with blocks that take up to 0.2 s, or if
such a block does not end within 0.3 s of its cancellation, in each of three
tries: both ends share the machine, which is to have nothing else to do.
"""

import ctypes
import itertools
import multiprocessing
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time

import harness
import streams
from calls import States, ask, register
from test_long_rows import ATTACKERS, chain, row

BULK_STREAMS = 64
ROWS_OF_A_CHUNK = 2048
# As many joints as a quantity allows, and rows that take long together.
KINDS = [row(f"chain{joints}", joints, quantity, rows)
         for joints, quantity, rows in (
             (256, ask.FORWARD_DYNAMICS_DERIVATIVES, 4),
             (256, ask.OPERATIONAL_SPACE, 400), (1024, ask.MASS_MATRIX, 1),
             (1024, ask.INVERSE_DYNAMICS_DERIVATIVES, 1),
             (1024, ask.CORIOLIS_MATRIX, 1))]
CANCELLED_MS = 300.0
TRIES, CALLS, CANCELLED = 3, 1000, 30
# Longer than a measurement takes.
ATTACK_SECONDS = 300
# A row that is under way takes 0.5 ms of CPU in such a time.
LOOK_SECONDS = 0.0005
IDLE_SECONDS = 0.00005
PR_SET_PDEATHSIG = 1


def rows_without_a_pause(client, index):
    request = KINDS[index % len(KINDS)]
    while True:
        client.dynamics.Compute(request)


def chunks_without_a_pause(client, index):
    states = States(7, ROWS_OF_A_CHUNK, seed=index)
    chunk = streams.chunk(q=states.q, v=states.v, a=states.a)
    for _ in client.dynamics.Evaluate(
            itertools.chain([streams.torques()], itertools.repeat(chunk)),
            timeout=ATTACK_SECONDS):
        pass


# The work that others ask for, from how many connections, and the bound.
LOADS = {
    f"{BULK_STREAMS} bulk streams": (chunks_without_a_pause, BULK_STREAMS, 20.0),
    f"{ATTACKERS} clients of large rows": (rows_without_a_pause, ATTACKERS, 10.0)}


def ask_without_a_pause(address, load, under_way):
    """A process of its own at low priority, as if on another machine: coding
    large messages is not to hold up the one that measures."""
    os.nice(10)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    ask_again, count, _ = LOADS[load]

    def client(index):
        with harness.Client(address) as one:
            ask_again(one, index)

    for index in range(count):
        threading.Thread(target=client, args=(index,), daemon=True).start()
    time.sleep(3)  # until all of them are under way
    under_way.set()
    threading.Event().wait(ATTACK_SECONDS)


def milliseconds_of_calls(address):
    request = row("panda", 7, ask.FORWARD_DYNAMICS)
    taken = []
    with harness.Client(address) as client:
        client.dynamics.Compute(request)
        for _ in range(CALLS):
            began = time.perf_counter()
            client.dynamics.Compute(request)
            taken.append(1e3 * (time.perf_counter() - began))
            time.sleep(0.002)
    return sorted(taken)


def cpu_seconds(pid):
    """Of all threads that there are, finer than the system's ticks."""
    return 1e-9 * sum(
        int(file.read_text().split()[0])
        for file in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"))


def milliseconds_to_end(server, client, kind):
    """From a cancellation of a row until the server computes no more."""
    call = harness.begin(client.dynamics.Compute, kind)
    server.wait_until_computing(0.05)
    assert not call.done(), "the rows have ended by themselves"
    began = time.perf_counter()
    call.cancel()
    used = cpu_seconds(server.pid)
    while True:
        time.sleep(LOOK_SECONDS)
        now = time.perf_counter()
        before, used = used, cpu_seconds(server.pid)
        if used - before < IDLE_SECONDS:
            return 1e3 * (now - began)
        assert now - began < harness.CALL_SECONDS, "it goes on computing"


def waits_beside(server, load):
    """p99 and the longest of the small calls."""
    processes = multiprocessing.get_context("spawn")
    under_way = processes.Event()
    others = processes.Process(
        target=ask_without_a_pause, args=(server.address, load, under_way),
        daemon=True)
    others.start()
    try:
        assert under_way.wait(harness.CALL_SECONDS)
        busy = cpu_seconds(server.pid)
        taken = milliseconds_of_calls(server.address)
        assert cpu_seconds(server.pid) - busy > 1, "the others do nothing"
    finally:
        others.kill()
        others.join()
    server.cpu_seconds_when_idle()
    return taken[len(taken) * 99 // 100], taken[-1]


def longest_end(server):
    """Of cancelled rows."""
    with harness.Client(server.address) as client:
        return max(
            milliseconds_to_end(server, client, kind) for kind in KINDS[:2]
            for _ in range(CANCELLED // 2))


def main(binary, models):
    os.environ.update(TORQUED_BINARY=binary, TEST_MODELS=models)
    with tempfile.TemporaryDirectory() as directory, \
            harness.Server(directory, "--threads", 2,
                           models=models) as server:
        with harness.Client(server.address) as client:
            for joints in (256, 1024):
                register(client, f"chain{joints}", chain(joints))
        for _ in range(TRIES):
            waits = {load: waits_beside(server, load) for load in LOADS}
            end = longest_end(server)
            is_kept = end <= CANCELLED_MS and all(
                p99 <= LOADS[load][2] for load, (p99, _) in waits.items())
            print("Waits: " + "".join(
                f"beside {load} small calls take {p99:.1f} ms (p99; longest "
                f"{longest:.1f}), " for load, (p99, longest) in waits.items())
                + f"cancelled rows end within {end:.1f} ms: "
                f"{'kept' if is_kept else 'not kept'}",
                flush=True)
            if is_kept:
                return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
