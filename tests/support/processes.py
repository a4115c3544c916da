"""Processes that end with the test that started them."""

import contextlib
import subprocess


@contextlib.contextmanager
def running(*command, **options):
    """A process; killed if it is there at the end, or when the thread that
    started it has ended."""
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", *map(str, command)], **options)
    with process:
        try:
            yield process
        finally:
            process.kill()
