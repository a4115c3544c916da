"""Planners in other languages, as their users would write them, get the same
torques as these tests: bit for bit."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import harness
from calls import ask, States, compute
from harness import table

HERE = pathlib.Path(__file__).parent
INSTALL_SECONDS = 240
RUN_SECONDS = 60
ROBOT = "panda"


@pytest.fixture(scope="module")
def states():
    return States(7, 25)


@pytest.fixture(scope="module")
def states_file(states, tmp_path_factory):
    file = tmp_path_factory.mktemp("planner") / "states.json"
    file.write_text(json.dumps({
        name: getattr(states, name).tolist() for name in ("q", "v", "a")}))
    return file


@pytest.fixture(scope="module")
def direct(client, states):
    return compute(client, ROBOT, [ask.INVERSE_DYNAMICS],
                   q=states.q, v=states.v, a=states.a)


def urdf():
    return harness.example_models() / f"{ROBOT}.urdf"


def run(*command, **options):
    result = subprocess.run(
        list(map(str, command)), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, check=False, **options)
    if result.returncode != 0:
        pytest.fail(
            f"{pathlib.Path(command[0]).name} ended with "
            f"{result.returncode}:\n{result.stdout}{result.stderr}",
            pytrace=False)
    return result.stdout


def check_planner(plan, direct):
    tau = table(direct.results.tau)
    assert plan["revision"] == direct.echo.revision
    for payload in ("values", "f64"):
        answer = plan[payload]
        assert answer["payload"] == payload
        assert (answer["rows"], answer["columns"]) == tau.shape
        assert answer["bits"] == tau.tobytes().hex()
        assert answer["torques"] == tau.ravel().tolist()
        assert answer["joint_names"] == list(direct.echo.joint_names)
        assert answer["revision"] == direct.echo.revision
    assert plan["stream"]["chunks"] == [[0, 10], [10, 10], [20, 5]]
    assert plan["stream"]["bits"] == tau.tobytes().hex()


def test_a_python_planner_gets_the_same_torques(
        module_server, states_file, direct):
    output = run(sys.executable, HERE / "planner.py", module_server.address,
                 urdf(), states_file, timeout=RUN_SECONDS)
    check_planner(json.loads(output), direct)


@pytest.fixture(scope="module")
def node_planner():
    """The planner beside the packages it needs, outside the source tree."""
    directory = pathlib.Path(os.environ["TEST_NODE_DIR"])
    done = subprocess.run(
        [HERE / "node" / "install.sh", directory], stderr=subprocess.PIPE,
        text=True, check=False, timeout=INSTALL_SECONDS)
    if done.returncode == 77:
        pytest.skip(f"no planner in Node: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return directory / "planner.mjs"


def test_a_node_planner_gets_the_same_torques(
        module_server, states_file, direct, node_planner):
    output = run("node", node_planner, module_server.address,
                 os.environ["TORQUED_PROTO"], urdf(), states_file,
                 timeout=RUN_SECONDS)
    plan = json.loads(output)
    check_planner(plan, direct)
    # An error arrives with its reason too.
    assert plan["error"]["code"] == "NOT_FOUND"
    assert plan["error"]["reason"] == "MODEL_NOT_FOUND"
    assert "nobody" in plan["error"]["message"]


def test_a_missing_node_is_named_with_the_way_to_install_it(tmp_path):
    empty = tmp_path / "bin"
    empty.mkdir()
    for tool in ("dirname", "cp", "mkdir"):
        (empty / tool).symlink_to(f"/usr/bin/{tool}")
    result = subprocess.run(
        ["/bin/sh", HERE / "node" / "install.sh", tmp_path / "out"],
        env={"PATH": str(empty)}, stderr=subprocess.PIPE, text=True,
        check=False, timeout=RUN_SECONDS)
    assert result.returncode == 77
    assert "apt-get install nodejs npm" in result.stderr
