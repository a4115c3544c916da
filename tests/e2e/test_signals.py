"""Signals that do not stop the server, and what systemd is told of its life."""

import contextlib
import re
import shutil
import signal
import socket
import time

import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import all_models, laborious_for, register, register_long
from certificates import Authority
from harness import begin
from test_metrics import get, metrics_address, value
from test_rights import METHODS, UNAUTHENTICATED, code_of, create
from test_tls import replace, serial


def test_only_a_stop_signal_hurries_a_server_that_stops(start):
    """As a second SIGTERM would."""
    server = start("--threads", 1)
    with harness.Client(server.address) as client:
        register_long(client)
        request = laborious_for(client, 2.0, server.cpu_seconds)
        batch = begin(client.dynamics.Compute, request)
        server.wait_until_computing()
        server.terminate()
        harness.until(lambda: "draining" in server.log())
        server.process.send_signal(signal.SIGHUP)
        assert batch.result().rows_not_ok == 0
    assert server.wait() == 0


def test_a_broken_pipe_is_no_end(start):
    server = start()
    with harness.Client(server.address) as client:
        server.process.send_signal(signal.SIGPIPE)
        assert all_models(client) == {}
    assert server.stop() == 0


def manager(address):
    """A socket like systemd's."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made.bind(str(address).replace("@", "\0"))
    made.settimeout(harness.CALL_SECONDS)
    return made


def told(manager):
    return manager.recv(4096).decode()


@pytest.mark.parametrize("abstract", [True, False])
def test_systemd_is_told_of_start_reload_and_stop(start, tmp_path, abstract):
    address = f"@{tmp_path}" if abstract else tmp_path / "notify"
    with manager(address) as systemd:
        server = start(environment={
            "NOTIFY_SOCKET": str(address), "WATCHDOG_USEC": "10000",
            "WATCHDOG_PID": "1"})  # of another process
        assert told(systemd) == "READY=1"
        before = time.monotonic_ns() // 1000
        server.process.send_signal(signal.SIGHUP)
        reloading = re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=(\d+)",
                                 told(systemd))
        assert before < int(reloading[1]) < time.monotonic_ns() // 1000
        assert told(systemd) == "READY=1"
        server.terminate()
        assert told(systemd) == "STOPPING=1"
        assert server.wait() == 0


@pytest.mark.slow
def test_systemd_hears_of_a_server_while_it_answers_itself(start, tmp_path):
    with manager(tmp_path / "notify") as systemd:
        server = start(listen=f"unix:{tmp_path}/socket", environment={
            "NOTIFY_SOCKET": str(tmp_path / "notify"),
            "WATCHDOG_USEC": "200000"})
        assert [told(systemd) for _ in range(4)] == [
            "READY=1"] + ["WATCHDOG=1"] * 3
        (tmp_path / "socket").unlink()
        assert server.lines_when_there("does not answer")
        systemd.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while told(systemd) == "WATCHDOG=1":  # sent before
                pass
        assert server.wait() == 70
        with pytest.raises(BlockingIOError):
            told(systemd)


def test_sighup_reloads_models_rights_and_certificates(start, tmp_path):
    models, rights = tmp_path / "models", tmp_path / "rights.toml"
    models.mkdir()
    for name in ("called", "deleted", "changed"):
        (models / f"{name}.urdf").write_text(robots.pendulum())
    authority = Authority(tmp_path)
    pair = tmp_path / "server.pem", tmp_path / "server.key"
    replace(pair, authority.issue("first"))
    rights.write_text('unix = "administer"\n')
    server = start(
        "--rights", rights, "--tls-cert", pair[0], "--tls-key", pair[1],
        "--listen", "tls:127.0.0.1:0", "--metrics-listen", "127.0.0.1:0",
        listen=f"unix:{tmp_path}/socket", models=models)
    metrics = metrics_address(server)
    server.address, tls = server.address.split("\n")
    shown = serial(tls)
    with harness.Client(server.address) as client:
        register(client, "called", robots.pendulum(2.0))
        client.registry.DeleteModel(
            registry_pb.DeleteModelRequest(name="deleted"))
        before = all_models(client)
        (models / "changed.urdf").write_text(robots.pendulum(3.0))
        shutil.copy(models / "called.urdf", models / "new.urdf")
        (models / "broken.urdf").write_text("<robot")
        replace(pair, authority.issue("second"))
        planner = create(rights, "planner", "evaluate")
        server.process.send_signal(signal.SIGHUP)
        line, = server.lines_when_there("reloaded")
        assert "models_changed=2 model_failures=1" in line
        assert any("broken.urdf" in line
                   for line in server.lines_when_there("model file"))
        assert code_of(client, METHODS[0][0], planner) != UNAUTHENTICATED
        after = all_models(client)
        assert after.keys() == {"called", "changed", "new"}
        assert after["called"] == before["called"]
        assert after["changed"].revision != before["changed"].revision
        harness.until(lambda: serial(tls) != shown)
        rights.write_text("broken")
        server.process.send_signal(signal.SIGHUP)
        harness.until(lambda: server.log().count("reloaded") == 2)
        text = get(metrics, "/metrics")[1]
        assert value(text, "torqued_rights_failures") == 1
        assert value(text, "torqued_model_file_failures") == 2
        assert all_models(client) == after
