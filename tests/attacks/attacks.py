#!/usr/bin/env python3
"""All attacks at full size, a table of what they took, and whether each kept
within the bounds."""

import argparse
import contextlib
import itertools
import os
import pathlib
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def settle(build):
    """What ctest sets for the tests, for a program that is run by hand."""
    os.environ["TORQUED_SERVER"] = str(build / "bin" / "torqued")
    os.environ["TEST_MODELS"] = str(SOURCE / "deploy" / "models")
    paths = [str(build / "tests" / "e2e" / "stubs"),
             str(SOURCE / "tests" / "e2e"),
             str(SOURCE / "tests" / "support")]
    os.environ["PYTHONPATH"] = ":".join(paths)  # of the small calls
    sys.path[1:1] = paths


if "TORQUED_SERVER" not in os.environ:
    settle(SOURCE / "build" / "release")

# pylint: disable=wrong-import-position
import arena
import harness
from floods import CROWD, CROWDS, FLOODS
from proxies import FLAGS, KINDS, Proxy, share_of_failures

# A machine that others use as well may be slow for once. It takes no memory.
TRIES = 3


def run_once(flood, seconds, connections, over, directory):
    """On a server of its own, which the flood reaches in this way."""
    listen = f"unix:{directory}/socket" if over == "unix" else "127.0.0.1:0"
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(harness.Server(
            directory, *FLAGS.get(over, ()), listen=listen,
            models=harness.example_models()))
        through = None
        if over in KINDS:
            through = stack.enter_context(
                Proxy(over, directory / over, server.address)).address
        return arena.run(server, flood, seconds, through=through,
                         connections=connections)


def attacks_of(arguments):
    """The way, the flood and its connections, of each that is to be run."""
    names = arguments.floods or [*FLOODS, *CROWDS]
    for over, name in itertools.product(arguments.over, names):
        if name in FLOODS:
            for connections in arguments.connections:
                yield over, name, connections
        elif over not in KINDS:  # proxies take fewer of one client
            yield over, name, CROWD


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("floods", nargs="*", metavar="FLOOD",
                        help=" ".join([*FLOODS, *CROWDS]))
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--connections", type=int, nargs="*", default=[1, 16],
                        help=f"but for {' '.join(CROWDS)}, which have {CROWD}")
    parser.add_argument("--over", nargs="*",
                        default=["tcp", "unix", *KINDS])
    parser.add_argument("--tries", type=int, default=TRIES)
    arguments = parser.parse_args()
    missed = done = 0
    print("| over " + arena.HEAD, flush=True)
    with tempfile.TemporaryDirectory(prefix="torqued-attacks-") as scratch:
        for over, name, connections in attacks_of(arguments):
            in_time = bounded = False
            for _ in range(arguments.tries):
                outcome = run_once(
                    {**FLOODS, **CROWDS}[name], arguments.seconds, connections,
                    over, pathlib.Path(tempfile.mkdtemp(dir=scratch)))
                print(f"| {over} {outcome.row()}", flush=True)
                in_time = outcome.is_in_time()
                bounded = outcome.is_bounded(share_of_failures(over, name))
                if in_time or not bounded:
                    break
            missed += not (in_time and bounded)
            done += 1
    print(f"Attacks: {done} run, {missed} beyond the bounds")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
