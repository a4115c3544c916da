"""Metrics and probes over HTTP, as Prometheus, a dashboard and a kubelet see them."""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import numpy as np
import pytest
import yaml

import harness
from calls import ask, compute, compute_request
from certificates import Authority
from harness import failure_of
from ports import held_address
from processes import running
from streams import GOOD, Stream, evaluate
from trajectories import Motion, check

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
RULES = DEPLOY / "prometheus/alerts.yml"


def get(address, path):
    """Status and text."""
    try:
        with urllib.request.urlopen(
                f"http://{address}{path}", timeout=harness.CALL_SECONDS) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def metrics_address(server):
    line, *_ = server.lines_when_there("serving metrics")
    return re.search(r"address=(\S+)", line)[1]


@pytest.fixture
def server(start):
    return start("--metrics-listen", "127.0.0.1:0",
                 models=harness.example_models())


def load(client):
    """Some of every kind of call."""
    for _ in range(3):
        compute(client, "planar_2r", [ask.MASS_MATRIX], q=np.zeros((5, 2)))
    evaluate(client, *GOOD)
    check(client, Motion.swinging(7, 100))
    assert failure_of(client.dynamics.Compute, compute_request(
        "no-model-of-this-name", [ask.MASS_MATRIX], q=np.zeros((1, 2))))


def value(text, series):
    found = re.search(rf"^{re.escape(series)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else None


def test_calls_rows_and_models_are_counted(server):
    address = metrics_address(server)
    with harness.Client(server.address) as client:
        load(client)
    # A call is counted once it ends, after its reply is there.
    ok = 'torqued_calls_total{code="OK",method="Compute",reason=""}'
    harness.until(lambda: value(get(address, "/metrics")[1], ok) == 3)
    text = get(address, "/metrics")[1]
    assert value(text, 'torqued_rows_total{quantity="mass_matrix"}') == 15
    assert value(text, "torqued_samples_total") == 100
    assert value(text, 'torqued_call_seconds_count{method="Compute"}') == 4
    assert value(text, 'torqued_calls_total{code="NOT_FOUND",'
                 'method="Compute",reason="MODEL_NOT_FOUND"}') == 1
    assert value(text, "torqued_serving") == 1
    # What a client writes is in no label.
    assert "no-model" not in text and "planar_2r" not in text


def test_probes_follow_the_server(server):
    address = metrics_address(server)
    assert get(address, "/healthz") == (200, "yes\n")
    assert get(address, "/readyz") == (200, "yes\n")
    assert get(address, "/nothing")[0] == 404
    with harness.Client(server.address) as client, \
            Stream(client, *GOOD) as stream:
        stream.receive()
        # The drain waits for the messages that the client takes.
        server.terminate()
        harness.until(lambda: get(address, "/readyz") == (503, "no\n"))


def test_requests_that_do_not_end_hold_up_nobody(server):
    host, port = metrics_address(server).rsplit(":", 1)
    halves = [socket.create_connection((host, int(port))) for _ in range(60)]
    for half in halves:
        half.sendall(b"GET /metrics HTTP/1.1\r\nHost:")
    assert get(f"{host}:{port}", "/healthz")[0] == 200
    halves[0].setblocking(False)
    with pytest.raises(BlockingIOError):  # it is not ended before
        halves[0].recv(1)
    for half in halves:
        half.close()


def test_an_address_that_is_taken_ends_the_start(server, tmp_path):
    taken = metrics_address(server)
    refused = harness.run_to_exit("--store", tmp_path / "other.db",
                                  "--metrics-listen", taken)
    assert refused.returncode == 1
    assert f"--metrics-listen: cannot listen on {taken}" in refused.stdout


def expressions():
    rules = yaml.safe_load(RULES.read_text())["groups"]
    for rule in (rule for group in rules for rule in group["rules"]):
        # Without the comparison, which is to find nothing.
        yield re.sub(r" (>|<|==) [0-9.]+$", "", rule["expr"])
    board = json.loads((DEPLOY / "grafana/torqued.json").read_text())
    for panel in board["panels"]:
        for target in panel["targets"]:
            yield target["expr"].replace("$instance", ".*")


@pytest.mark.slow
def test_prometheus_finds_data_for_every_expression(start, tmp_path):
    cert, key = Authority(tmp_path).issue("server")
    server = start("--metrics-listen", "127.0.0.1:0", "--tls-cert", cert,
                   "--tls-key", key, "--listen", "tls:127.0.0.1:0",
                   models=harness.example_models())
    server.address = server.address.split("\n")[0]
    program, tool = map(shutil.which, ("prometheus", "promtool"))
    if program is None:
        pytest.skip("prometheus is not installed")
    subprocess.run([tool, "check", "rules", RULES], check=True, timeout=60)
    configuration = tmp_path / "prometheus.yml"
    configuration.write_text(yaml.safe_dump({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(RULES)],
        "scrape_configs": [{
            "job_name": "torqued", "static_configs": [
                {"targets": [metrics_address(server)]}]}]}))
    address = held_address()
    missing = list(expressions())
    assert len(missing) > 15
    with running(program, f"--config.file={configuration}",
                 f"--storage.tsdb.path={tmp_path / 'data'}",
                 f"--web.listen-address={address}"), \
            harness.Client(server.address) as client:
        give_up = time.monotonic() + 60
        while missing:
            assert time.monotonic() < give_up, missing
            load(client)
            time.sleep(0.5)
            try:
                missing = [e for e in missing if not json.loads(get(
                    address, "/api/v1/query?"
                    + urllib.parse.urlencode({"query": e}))[1])[
                        "data"]["result"]]
            except (urllib.error.URLError, ConnectionError):
                continue  # it starts
