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


def test_the_command_line_tells_version_and_flags():
    version = harness.run_to_exit("--version")
    assert version.returncode == 0
    assert version.stdout.startswith("torqued ")
    usage = harness.run_to_exit("--help")
    assert usage.returncode == 0
    for flag in ("--listen", "--store", "--models", "--threads",
                 "--log-format", "--drain-grace"):
        assert flag in usage.stdout


@pytest.mark.parametrize("flags, named", [
    (["--lisen", "127.0.0.1:0"], "--lisen"),
    (["--lisen", "127.0.0.1:0"], "did you mean --listen?"),
    (["stor", "check"], "there is no command 'stor'; did you mean store?"),
    (["--log-level", "inf"], "not 'inf'; did you mean info?"),
    (["--store", "a", "--store", "b"], "--store: takes one value, not"),
    (["--store"], "--store: needs a value"),
    (["--listen", "nowhere"], "nowhere"),
    (["--listen", "127.0.0.1:99999"], "99999"),
    (["--listen", "999.0.0.1:0"], "999.0.0.1 is no IPv4 address"),
    (["--listen", "[host]:0"], "[host] is no IPv6 address"),
    (["--listen", "unix:" + 120 * "s"], "at most 107 bytes"),
    (["--health-check", "127.0.0.1:0"], "from 1 to 65535"),
    (["--threads", "many"], "many"),
    (["--threads", "-1"], "-1"),
    (["--log-format", "xml"], "needs text or json, not 'xml'"),
    (["--log-level", "loud"], "needs debug, info, warn or error, not 'loud'"),
    (["--reflection", "yes"], "needs on or off, not 'yes'"),
    (["--reflection", "1"], "needs on or off, not '1'"),
    (["--drain-grace", "soon"], "soon"),
    (["--isa", "avx1024"], "avx1024"),
    (["--max-rows", "0"], "--max-rows"),
    (["--config", "/no/such/file"], "/no/such/file"),
    (["stray"], "argument was not expected: stray"),
    (["a", "b", "c"], "arguments were not expected: a b c"),
])
def test_a_bad_flag_is_a_usage_error_that_names_it(flags, named, tmp_path):
    result = harness.run_to_exit("--store", tmp_path / "models.db", *flags)
    assert result.returncode == 2, result.stdout
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


@pytest.mark.parametrize("name, value", [
    ("TORQUED_THREADS", "many"), ("TORQUED_LISTEN", "nowhere"),
    ("TORQUED_LOG_FORMAT", "xml"), ("TORQUED_MAX_ROWS", "1e6"),
    ("TORQUED_ISA", "avx1024")])
def test_a_bad_environment_variable_is_a_usage_error_that_names_it(
        name, value, tmp_path):
    result = harness.run_to_exit(
        "--store", tmp_path / "models.db", environment={name: value})
    assert result.returncode == 2, result.stdout
    assert name in result.stdout
    assert value in result.stdout


def test_a_folder_that_is_made_for_the_store_is_told(start, tmp_path):
    folder = tmp_path / "no" / "such"
    log = start(store=folder / "models.db").log()
    assert f"made the folder of the store path={folder}" in log


def test_a_folder_that_is_there_is_no_news(start):
    assert "made the folder" not in start().log()


def test_a_variable_that_names_no_setting_is_a_warning(start):
    log = start(environment={"TORQUED_MAXROWS": "5"}).log()
    assert "unknown environment variable name=TORQUED_MAXROWS" in log


@pytest.mark.parametrize("text, named", [
    ("thread = 1\n", "unknown key 'thread'; did you mean threads?"),
    ('threads = "many"\n', "many"),
    ('listen = "127.0.0.1:0"\n# more\nlisten = "[::1]:0"\n', "line 3: "),
    ("threads = [1, 2]\n", "--threads: takes one value, not 2"),
    ("[server]\nthreads = 1\n", "server.threads"),
    ('log-format = "xml"\n', "xml")])
def test_a_bad_configuration_file_is_a_usage_error_that_names_the_place(
        text, named, tmp_path):
    file = tmp_path / "torqued.toml"
    file.write_text(text)
    result = harness.run_to_exit(
        "--store", tmp_path / "models.db", "--config", file)
    assert result.returncode == 2, result.stdout
    assert named in result.stdout


def test_a_flag_wins_over_the_environment_and_that_over_the_file(tmp_path):
    file = tmp_path / "torqued.toml"
    file.write_text("threads = 11\nmax-rows = 12\nmax-models = 13\n")

    def effective(name):
        lines = harness.run_to_exit(
            "--config", file, "--threads", 31, "--store", tmp_path / "m.db",
            "--print-config", environment={
                "TORQUED_THREADS": "21", "TORQUED_MAX_ROWS": "22"}
        ).stdout.splitlines()
        return [line.partition("=")[2].strip() for line in lines
                if line.startswith(name + " =")]

    assert effective("threads") == ["31"]
    assert effective("max-rows") == ["22"]
    assert effective("max-models") == ["13"]


def test_a_server_configured_by_file_alone_serves(tmp_path):
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.urdf").write_text(robots.pendulum())
    file = tmp_path / "torqued.toml"
    file.write_text(f'models = "{tmp_path}/robots"\nthreads = 1\n')
    with harness.Server(tmp_path / "run", "--config", file) as server, \
            harness.Client(server.address) as client:
        assert list(all_models(client)) == ["arm"]
        assert server.stop() == 0


def test_a_unix_socket_serves_like_a_port(start, tmp_path):
    socket = tmp_path / "s"
    server = start(listen=f"unix:{socket}")
    assert server.address == f"unix:{socket}"
    with harness.Client(server.address) as client:
        register(client, "arm", robots.pendulum())
        assert list(all_models(client)) == ["arm"]


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
