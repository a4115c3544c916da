"""Clients of servers that are there, that are not, and of one's own."""

import asyncio
import gc
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import torqued
import torqued.aio
from conftest import MODELS, refused

PANDA = MODELS / "panda.urdf"


def is_alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def ends_soon(pid):
    give_up = time.monotonic() + 20
    while is_alive(pid) and time.monotonic() < give_up:
        time.sleep(0.01)
    return not is_alive(pid)


def test_a_local_server_ends_with_its_client():
    with torqued.local([PANDA]) as client:
        pid = client.server.pid
        directory = pathlib.Path(client.address.removeprefix("unix:")).parent
        assert is_alive(pid) and directory.stat().st_mode & 0o77 == 0
        assert [m.name for m in client.models()] == ["panda"]
        assert client.health() is torqued.Health.SERVING
    assert not is_alive(pid) and not directory.exists()


def test_a_robot_of_its_own_server():
    with torqued.Robot.from_urdf(PANDA) as robot:
        pid = robot.client.server.pid
        assert robot.name == "panda" and robot.gravity_forces([0] * 7).any()
        assert [model.name for model in robot.client.models()] == ["panda"]
    assert ends_soon(pid)


def test_what_nothing_refers_to_is_ended():
    server = torqued.LocalServer()
    pid = server.pid
    del server
    gc.collect()
    assert ends_soon(pid)


@pytest.mark.parametrize("number", [
    None, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGKILL])
def test_a_local_server_does_not_outlive_its_program(number, tmp_path):
    end = f"os.kill(os.getpid(), {number:d})" if number else ""
    if number and number != signal.SIGKILL:
        end = f"signal.signal({number:d}, signal.SIG_DFL)\n" + end
    program = ("import os, signal, torqued\ns = torqued.LocalServer()\n"
               f"print(s.pid, flush=True)\n{end}")
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True,
        timeout=60, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert process.returncode == -(number or 0)
    assert ends_soon(int(process.stdout))
    if number is None:
        assert not list(tmp_path.glob("torqued-*"))


def test_a_fork_does_not_end_what_it_inherited():
    # In a program of its own, which has no connection: gRPC is not for forks.
    program = textwrap.dedent("""
        import os, torqued
        server = torqued.LocalServer()
        child = os.fork()
        if child == 0:
            server.stop()
            os._exit(0)
        os.waitpid(child, 0)
        print(os.path.exists(server.address.removeprefix("unix:")))
        """)
    done = subprocess.run([sys.executable, "-c", program],
                          capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.parametrize("environment, words, why", [
    ({"TORQUED_BINARY": "/nothing"}, {}, "cannot start /nothing"),
    ({"TORQUED_BINARY": ""}, {}, "PATH"), ({}, {"binary": "/"}, "cannot start /"),
    ({}, {"arguments": ["--nonsense"]}, "--nonsense"),
    ({}, {"binary": "/bin/true"}, "the local server /bin/true exited with code 0")])
def test_a_server_that_does_not_start_tells_why(monkeypatch, environment, words, why):
    for name, value in {"PATH": "/nowhere", **environment}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(torqued.LocalServerError, match=why):
        torqued.local(**words)


def test_a_server_that_is_not_there(tmp_path):
    async def connect(**words):
        await torqued.aio.connect(f"unix:{tmp_path}/nothing", **words)

    for call in (torqued.connect, lambda *_, **words: asyncio.run(connect(**words))):
        start = time.monotonic()
        with pytest.raises(torqued.Unavailable, match="no connection") as caught:
            call(f"unix:{tmp_path}/nothing")
        assert isinstance(caught.value, ConnectionError)
        with pytest.raises(torqued.Unavailable):
            call(f"unix:{tmp_path}/nothing", wait_for_server=0.3)
        assert time.monotonic() - start > 0.3


def test_a_closed_client_says_so():
    client = torqued.local([PANDA])
    robot = client.model("panda")
    client.close()
    client.close()
    for call in (lambda: robot.mass_matrix([0] * 7), client.health,
                 lambda: robot.compute(["energy"], [0] * 7),
                 lambda: client.register("again", PANDA)):
        with pytest.raises(torqued.Cancelled, match="closed"):
            call()


def test_models_by_path_text_and_bytes(client):
    text = PANDA.read_text()
    revisions = {
        client.register("twin", source).revision
        for source in (PANDA, str(PANDA), text, text.encode())}
    assert revisions == {client.model("panda").revision}
    assert client.source("twin") == text.encode()
    assert "twin" in [summary.name for summary in client.models()]
    client.delete("twin")
    with refused(LookupError, reason="MODEL_NOT_FOUND", code="NOT_FOUND"):
        client.model("twin")


@pytest.mark.parametrize("start, name", [
    ("<robot name='my arm'>", "my_arm"),
    ('<?xml version="1.0"?><robot\n xmlns="x" name = "b-2">', "b-2")])
def test_names_of_descriptions(client, start, name):
    robot = torqued.Robot.from_urdf(start + "<link name='a'/></robot>", client)
    assert robot.name == name


def test_a_robot_stays_the_revision_that_it_was(client):
    first = client.register("moving", PANDA)
    before = first.gravity_forces(np.full(7, 0.3))
    second = client.register("moving", MODELS / "ur5e.urdf")
    assert second.nv == 6 and second.revision != first.revision
    assert np.array_equal(first.gravity_forces(np.full(7, 0.3)), before)
    assert client.model("moving").nv == 6
    assert client.model(f"moving@{first.revision[:12]}").nv == 7


def test_a_tip_of_the_registration(client):
    robot = torqued.Robot.from_urdf(PANDA, client, name="short", tip_frame="panda_link4")
    assert robot.tip_frame == "panda_link4"
    assert np.array_equal(
        robot.frame_pose([0.5] * 7),
        client.model("panda").frame_pose([0.5] * 7, tip_frame="panda_link4"))


FAULTY = """<robot name='r'>
<link name='a'/>
<link name='b'><inertial><mass value='heavy'/></inertial></link>
<joint name='j' type='revolut'><parent link='a'/><child link='b'/></joint>
</robot>"""
FAULTS = ("3: invalid-number: ", "3: missing-element: ", "4: unknown-joint-type: ")


def told(client, urdf):
    """What a registration is told, by both kinds of client."""
    async def register():
        async with torqued.aio.connect(client.address) as waiting:
            await waiting.register("bad", urdf)

    with pytest.raises(torqued.InvalidArgument) as caught:
        client.register("bad", urdf)
    with pytest.raises(type(caught.value)) as awaited:
        asyncio.run(register())
    assert str(awaited.value) == str(caught.value)
    return caught.value


@pytest.mark.parametrize("kind", [pathlib.Path, str, None])
def test_all_faults_are_shown_by_the_lines_of_the_file_or_text(client, tmp_path, kind):
    path = tmp_path / "bad.urdf"
    path.write_text(FAULTY)
    error = told(client, kind(path) if kind else FAULTY)
    source = path if kind else "source"
    lines = str(error).splitlines()
    assert f"{source}: 3 errors" in lines[0]
    for line, fault in zip(lines[1:], FAULTS, strict=True):
        assert line.startswith(f"  {source}:{fault}")
    assert [v.field for v in error.field_violations] == [
        "source:3", "source:3", "source:4"]
    assert isinstance(error, torqued.FileError) is bool(kind)
    if kind:
        assert (error.file, error.line) == (str(path), 3)


def test_a_description_that_looks_wrong_loads_with_a_warning(client):
    urdf = PANDA.read_text().replace('<axis xyz="0 0 1"/>', '<axes xyz="0 0 1"/>', 1)
    with pytest.warns(torqued.ModelWarning, match="^odd, line .*<axes>.*'axis'") as caught:
        assert client.register("odd", urdf).nv == 7
    assert [each.filename for each in caught] == [__file__]


def test_a_name_moves_only_from_what_is_expected(client):
    with refused(torqued.FailedPrecondition, reason="REVISION_CONFLICT"):
        client.register("panda", MODELS / "ur5e.urdf", expected_current="")
    robot = client.register("fresh", PANDA, expected_current="", label="v1")
    assert client.model("fresh@v1").revision == robot.revision


def test_errors_travel_between_processes(client):
    with pytest.raises(torqued.InvalidArgument) as caught:
        client.model("panda").inverse_dynamics(np.zeros(6))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is type(caught.value) and str(copy) == str(caught.value)
    assert (copy.field, copy.reason) == ("q", torqued.Reason.WRONG_COLUMN_COUNT)
