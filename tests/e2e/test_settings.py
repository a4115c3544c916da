"""Flags, environment, configuration file and logs."""

import json
import subprocess

import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import ask, all_models, compute_request, register
from harness import failure_of


@pytest.mark.parametrize("flags, named", [
    (["--lisen", "127.0.0.1:0"], "did you mean --listen?"),
    (["stor", "check"], "there is no command 'stor'; did you mean store?"),
    (["--log-level", "inf"], "not 'inf'; did you mean info?"),
    (["--store"], "--store: 1 required TEXT missing"),
    (["--listen", "127.0.0.1:99999"], "99999"),
    (["--threads", "-1"], "-1"),
    (["stray"], "argument was not expected: stray"),
])
def test_a_bad_flag_is_a_usage_error_that_names_it(flags, named, tmp_path):
    result = harness.run_to_exit("--store", tmp_path / "models.db", *flags)
    assert result.returncode == 64, result.stdout
    assert named in result.stdout
    assert not (tmp_path / "models.db").exists()


@pytest.mark.parametrize("flags", [
    ("--help",), ("--print-config",), ("store", "check")])
def test_output_that_cannot_be_written_is_told(flags, tmp_path):
    with harness.Server(tmp_path / "run") as server:
        assert server.stop() == 0
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [harness.server_binary(), "--store", server.store, *flags],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
            check=False)
    assert done.returncode == 1
    assert done.stderr == "torqued: stdout cannot be written\n"


def test_a_variable_that_names_no_setting_is_a_warning(start):
    log = start(environment={"TORQUED_MAXROWS": "5"}).log()
    assert "unknown environment variable name=TORQUED_MAXROWS" in log


def test_the_log_has_what_grpc_says_when_it_starts(start):
    server = start("--log-level", "debug", environment={"GRPC_VERBOSITY": "debug"})
    line, = server.lines_when_there("Using polling engine")
    assert line.endswith(" library=grpc")


def test_a_server_configured_by_file_alone_serves(tmp_path):
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.urdf").write_text(robots.pendulum())
    file = tmp_path / "torqued.toml"
    file.write_text(f'models = "{tmp_path}/robots"\nthreads = 1\n')
    with harness.Server(tmp_path / "run", "--config", file) as server, \
            harness.Client(server.address) as client:
        assert list(all_models(client)) == ["arm"]
        assert server.stop() == 0


def test_json_logs_are_one_object_a_line(start, tmp_path):
    models = tmp_path / "robots"
    models.mkdir()
    (models / "arm.urdf").write_text(robots.pendulum())
    (models / "bad.urdf").write_text('<robot name="\xff"')
    server = start("--log-format", "json", "--log-level", "debug",
                   models=models)
    with harness.Client(server.address) as client:
        client.dynamics.Compute(
            compute_request("arm", [ask.MASS_MATRIX], q=np.zeros((1, 1))))
        failure_of(client.dynamics.Compute, compute_request(
            'no\n"such"', [ask.MASS_MATRIX], q=np.zeros((1, 1))))
        assert server.stop() == 0
    lines = [json.loads(line) for line in server.log().splitlines()]
    assert len(lines) > 2
    for line in lines:
        assert {"time", "level", "message"} <= line.keys()
    assert any(server.address in str(line) for line in lines)
    assert any("bad.urdf" in str(line) for line in lines)


def test_who_changed_a_model_stands_in_the_log(start):
    server = start("--log-format", "json")
    with harness.Client(server.address) as client:
        revision = register(client, "arm", robots.pendulum(),
                            label="good").model.revision
        client.registry.GetModel(registry_pb.GetModelRequest(model="arm"))
        client.registry.DeleteModel(registry_pb.DeleteModelRequest(name="arm"))
    assert server.stop() == 0
    calls = [line for line in map(json.loads, server.log().splitlines())
             if line["message"] == "call done"]
    assert [(call["method"], call["model"], call["detail"])
            for call in calls] == [
        ("RegisterModel", "arm",
         f"registered at revision {revision}, label good"),
        ("DeleteModel", "arm", f"deleted, before at revision {revision}")]
    assert all(call["peer"] and call["request_id"] for call in calls)


def test_the_log_of_an_ordinary_life_is_short_and_names_the_address(start):
    server = start()
    with harness.Client(server.address) as client:
        all_models(client)
    assert server.stop() == 0
    log = server.log()
    assert server.address in log
    assert len(log.splitlines()) < 15, log
