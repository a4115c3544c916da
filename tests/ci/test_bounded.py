""".ci/bounded: what it runs ends, and nothing of it stays."""

import os
import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow
BOUNDED = pathlib.Path(os.environ["TEST_SOURCE"]) / ".ci" / "bounded"
GRANDCHILD = 'setsid sh -c "$0 echo \\$\\$; exec sleep 1000" & sleep 0.5;'


def bounded(seconds, *command, **environment):
    return subprocess.run(
        [BOUNDED, str(seconds), *command], capture_output=True, text=True,
        timeout=60, check=False, env={**os.environ, **environment})


def is_there(pid):
    return pathlib.Path(f"/proc/{int(pid)}").exists()


@pytest.mark.parametrize("trap, command, code, says", [
    ("trap '' TERM;", "sleep 1000", 124, "takes longer than 3 s"),
    ("", "exit 3", 3, "still running"),
    ("", "kill -INT $PPID; sleep 1000", 130, "still running")])
def test_a_grandchild_with_a_session_of_its_own_ends(
        trap, command, code, says):
    done = bounded(3, "sh", "-c", f"{GRANDCHILD} {command}", trap)
    assert done.returncode == code, done.stderr
    assert says in done.stderr and "sleep 1000" in done.stderr
    assert not is_there(done.stdout)


@pytest.mark.parametrize("code", [0, 7])
def test_the_exit_code_passes_through_and_nothing_is_said(code):
    done = bounded(50, "sh", "-c", f"echo out; exit {code}")
    assert (done.returncode, done.stdout) == (code, "out\n")
    assert set(done.stderr.splitlines()) <= {
        "bounded: no cgroup may be made here, so memory has no limit"}


def cgroups():
    """Of checks that run, and of some that were killed."""
    return {path.name for path in
            pathlib.Path("/sys/fs/cgroup").glob("**/torqued-bounded-*")}


def test_memory_has_a_limit():
    before = cgroups()
    program = "print(len([bytearray(1 << 20) for _ in range(400)]))"
    assert bounded(50, sys.executable, "-c", program).stdout == "400\n"
    limited = bounded(50, sys.executable, "-c", program, BOUNDED_MB="100")
    if "no cgroup" in limited.stderr:
        pytest.skip("no cgroup with a limit of memory may be made here")
    assert limited.returncode == 128 + 9 and limited.stdout == ""
    assert "processes were killed" in limited.stderr
    left = cgroups() - before
    assert all(is_there(name.split("-")[2]) for name in left)
