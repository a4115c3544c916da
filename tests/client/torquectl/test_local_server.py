"""The server that torquectl starts for itself."""

import os
import pathlib
import signal
import subprocess

import pytest

from calls import PANDA, PLANAR, TORQUECTL, running, wait_for


@pytest.fixture(name="temporary")
def fixture_temporary(tmp_path):
    """Where torquectl keeps its temporary files, and nothing else is."""
    path = tmp_path / "tmp"
    path.mkdir()
    return path


def environment(temporary, **more):
    return {**{name: value for name, value in os.environ.items()
               if name != "TORQUED_SERVER_ADDRESS"},
            "TMPDIR": str(temporary), **more}


@pytest.mark.parametrize("number", [
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT,
    signal.SIGABRT, signal.SIGKILL])
def test_the_local_server_ends_with_torquectl(
        tmp_path, temporary, number):
    # It waits for the trajectory when its server runs already.
    fifo = tmp_path / "trajectory.csv"
    os.mkfifo(fifo)
    with running(TORQUECTL, "trajectory", "check", fifo, "-m", PLANAR,
                 env=environment(temporary),
                 stderr=subprocess.DEVNULL) as process:
        wait_for(lambda: list(temporary.glob("torqued-*/address")))
        server = wait_for(lambda: child_of(process.pid))
        process.send_signal(number)
        assert process.wait(30) == -number
    wait_for(lambda: not is_running(server))
    if number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        assert not list(temporary.iterdir())


def test_the_local_server_and_its_files_end_with_the_call(tmp_path, temporary):
    arguments = ["id", "-m", PLANAR, "--q"]
    for last, code in (("0,0", 0), ("0,0,0", 1), ("0,x", 64)):
        done = subprocess.run([TORQUECTL, *arguments, last], timeout=120,
                              env=environment(temporary), capture_output=True,
                              check=False)
        assert done.returncode == code, done.stderr
        assert not list(temporary.iterdir())
    # A store of the user's stays.
    subprocess.run([TORQUECTL, "models", "add", PLANAR, "--store",
                    tmp_path / "models.db"], timeout=120, check=True,
                   env=environment(temporary), stdout=subprocess.DEVNULL)
    assert not list(temporary.iterdir())
    assert (tmp_path / "models.db").stat().st_size > 0


@pytest.mark.parametrize("command", [
    ("id", "-m", PLANAR, "--q", "0,0"),
    ("mass-matrix", "-m", PLANAR, "--q", "0,0"),
    ("fd", "-m", PLANAR, "--q", "0,0", "--tau", "0,0"),
    ("opspace", "-m", PLANAR, "--q", "1,1", "--axes", "linear_x,linear_y"),
    ("compute", "energy", "-m", PLANAR, "--q", "0,0"),
    ("trajectory", "check", "move.csv", "-m", PLANAR),
    ("trajectory", "check", "moves", "-m", PLANAR),
    ("models", "show", PLANAR)])
@pytest.mark.parametrize("there", [True, False])
def test_a_file_that_is_asked_about_is_not_stored(tmp_path, temporary, command,
                                                  there):
    columns = ",".join(f"joint{k}.{of}" for of in "qva" for k in (1, 2))
    (tmp_path / "moves").mkdir()
    for path in (tmp_path / "move.csv", tmp_path / "moves" / "move.csv"):
        path.write_text(f"time,{columns}\n0,0,0,0,0,0,0\n1,0,0,0,0,0,0\n")

    def call(*words):
        done = subprocess.run(
            [TORQUECTL, *words, "--store", "models.db"], timeout=120,
            env=environment(temporary), capture_output=True, check=False,
            cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    if there:
        call("models", "add", PANDA, "--name", "planar_2r")
    before = stored(tmp_path)
    call(*command)
    assert stored(tmp_path) == before


def stored(directory):
    return {path.name: path.read_bytes()
            for path in directory.glob("models.db*")}


@pytest.mark.parametrize("disposition", ["default", "ignored"])
@pytest.mark.parametrize("closed", ["stdout", "both"])
def test_a_reader_that_goes_away_is_no_error_and_leaves_nothing(
        tmp_path, temporary, disposition, closed):
    states = tmp_path / "states.csv"
    states.write_text("joint1.q,joint2.q\n" + "0.1,0.2\n" * 20_000)
    line = (f"{TORQUECTL} id -m {PLANAR} --states {states} --output csv "
            + ("2>&1 " if closed == "both" else "2>/dev/null ")
            + "| head -3 >/dev/null; exit ${PIPESTATUS[0]}")
    reset = (None if disposition == "ignored" else
             lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
    done = subprocess.run(["bash", "-c", line], timeout=120, check=False,
                          env=environment(temporary), preexec_fn=reset,
                          restore_signals=False)
    assert done.returncode == 0
    assert not list(temporary.iterdir())


def test_an_interrupt_ends_a_local_server_that_still_starts(
        tmp_path, temporary):
    never_serves = tmp_path / "torqued"
    never_serves.write_text("#!/bin/sh\nexec sleep 1000\n")
    never_serves.chmod(0o755)
    with running(
            TORQUECTL, "ping", "--spawn",
            env=environment(temporary,
                            TORQUED_BINARY=str(never_serves))) as process:
        server = wait_for(lambda: child_of(process.pid))
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == -signal.SIGINT
    wait_for(lambda: not is_running(server))
    assert not list(temporary.iterdir())


def child_of(parent):
    """The id of a child process of `parent`, or None."""
    for task in pathlib.Path(f"/proc/{parent}/task").iterdir():
        for child in (task / "children").read_text().split():
            return int(child)
    return None


def is_running(process):
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"
