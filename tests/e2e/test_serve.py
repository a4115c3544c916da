"""What `make serve` and `make stop` run."""

import subprocess

import pytest

import harness
from calls import all_models
from processes import running

SCRIPT = harness.example_models().parent / "demo" / "serve.sh"


def serve(action, state, listen="127.0.0.1:0"):
    return subprocess.run(
        [SCRIPT, action, harness.server_binary().parent, state],
        env=harness.clean_environment(TORQUED_LISTEN=listen),
        capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def state(tmp_path):
    yield tmp_path
    serve("stop", tmp_path)


def test_a_server_is_started_once_and_stopped(state):
    first = serve("start", state)
    assert first.returncode == 0, first.stderr
    pid = int((state / "pid").read_text())
    address = (state / "address").read_text().strip()
    assert f"Serving on {address} (pid {pid})." in first.stdout
    with harness.Client(address) as client:
        assert "panda" in all_models(client)
    again = serve("start", state)
    assert f"Already running on {address} (pid {pid})." in again.stdout
    assert serve("stop", state).stdout == "Stopped.\n"
    harness.until(lambda: harness.has_ended(pid))
    assert serve("stop", state).stdout == "No server is running.\n"


def test_a_stale_pid_file_harms_nobody(state):
    with running("sleep", "60") as bystander:
        (state / "pid").write_text(f"{bystander.pid}\n")
        assert serve("stop", state).stdout == "No server is running.\n"
        assert bystander.poll() is None
        (state / "pid").write_text(f"{bystander.pid}\n")
        assert "Serving on" in serve("start", state).stdout


def test_a_failed_start_says_why_and_leaves_no_pid(state, tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("other")) as other:
        failed = serve("start", state, listen=other.address)
    assert failed.returncode == 1
    assert "Address already in use" in failed.stderr
    assert not (state / "pid").exists()
