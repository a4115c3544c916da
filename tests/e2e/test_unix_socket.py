"""Serving on a socket that is a file."""

import os
import socket
import stat

import pytest

import harness
from calls import States, all_models, everything_request

pytestmark = pytest.mark.usefixtures("short_path")


@pytest.fixture
def short_path(tmp_path, monkeypatch):
    """Relative paths stay short, whatever the temporary directory is."""
    monkeypatch.chdir(tmp_path)


def refusal(tmp_path, address, code=1):
    result = harness.run_to_exit(
        "--listen", address, "--store", tmp_path / "other.db")
    assert result.returncode == code
    assert len(result.stdout.splitlines()) <= 3
    return result.stdout


def test_a_socket_serves_beside_a_port(start, tmp_path):
    address = f"unix:{tmp_path}/socket"
    server = start("--listen", address, models=harness.example_models())
    port, file = server.address.splitlines()
    assert file == address
    request = everything_request("panda", States(7, 30))
    answers = []
    for place in (port, file):
        with harness.Client(place) as client:
            answers.append(client.dynamics.Compute(request).results)
        health = harness.run_to_exit("--health-check", place)
        assert health.returncode == 0
    assert answers[0] == answers[1]
    assert server.stop() == 0
    assert not (tmp_path / "socket").exists()


@pytest.mark.parametrize("umask, mode", [(0o077, 0o700), (0o007, 0o770)])
def test_the_umask_says_who_may_connect(start, tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        start(listen="unix:socket")
    finally:
        os.umask(before)
    status = (tmp_path / "socket").stat()
    assert stat.S_ISSOCK(status.st_mode)
    assert stat.S_IMODE(status.st_mode) == mode


def test_the_socket_of_a_killed_server_is_replaced(start, tmp_path):
    first = start(listen="unix:socket")
    first.kill()
    assert (tmp_path / "socket").exists()
    with start(listen="unix:socket") as second:
        with harness.Client(f"unix:{tmp_path}/socket") as client:
            assert all_models(client) == {}
        assert second.stop() == 0


def test_the_socket_of_a_live_server_is_not_taken(start, tmp_path):
    start(listen="unix:socket")
    text = refusal(tmp_path, "unix:socket")
    assert "unix:socket: another server listens there" in text
    with harness.Client(f"unix:{tmp_path}/socket") as client:
        assert all_models(client) == {}


def test_a_listener_too_busy_to_answer_counts_as_live(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        listener.listen(0)
        clients = []
        with pytest.raises(BlockingIOError):
            while True:
                clients.append(socket.socket(socket.AF_UNIX))
                clients[-1].setblocking(False)
                clients[-1].connect("socket")
        text = refusal(tmp_path, "unix:socket")
        assert "another server listens there" in text
        for client in clients:
            client.close()


@pytest.mark.parametrize("first, second, why", [
    ("unix:socket", "unix:socket", "another server listens there"),
    ("unix:{}/socket", "unix:link/socket", "another server listens there"),
    ("127.0.0.1:1", "127.0.0.1:1", "Address already in use")])
def test_an_address_is_listed_once(tmp_path, first, second, why):
    (tmp_path / "link").symlink_to(tmp_path)
    text = refusal(tmp_path, f"{first.format(tmp_path)},{second}")
    assert f"cannot listen on {second}: {why}" in text
    assert not (tmp_path / "socket").exists()


def test_a_file_that_is_no_socket_is_left_alone(tmp_path):
    (tmp_path / "socket").write_text("do not touch")
    text = refusal(tmp_path, "unix:socket")
    assert "exists and is not a socket" in text
    assert (tmp_path / "socket").read_text() == "do not touch"


def test_a_place_that_cannot_be_is_refused_with_the_reason(tmp_path):
    text = refusal(tmp_path, f"unix:{tmp_path}/no/such/directory/socket")
    assert "No such file or directory" in text
    text = refusal(tmp_path, "unix:" + 120 * "s", code=64)
    assert "at most 107 bytes" in text
    assert sorted(tmp_path.iterdir()) in (
        [], [tmp_path / "other.db", tmp_path / "other.db.lock"])
