"""torquectl as its users run it: real processes, a real server.

Needs $TORQUECTL and $TORQUED_SERVER, which ctest sets.
"""

import contextlib
import csv
import io
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

TORQUECTL = os.environ["TORQUECTL"]
MODELS = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "models"
PLANAR = str(MODELS / "planar_2r.urdf")
PANDA = str(MODELS / "panda.urdf")
GRAVITY = ("--gravity", "0,-9.81,0")

OK, ERROR, NO, USAGE = 0, 1, 2, 64


def run(*arguments, cwd=None, env=None):
    environment = {k: v for k, v in os.environ.items()
                   if k != "TORQUED_SERVER_ADDRESS"}
    environment.update(env or {})
    return subprocess.run([TORQUECTL, *map(str, arguments)], text=True,
                          capture_output=True, timeout=120, cwd=cwd,
                          env=environment, check=False)


def run_json(*arguments, code=OK):
    done = run(*arguments, "--output", "json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@contextlib.contextmanager
def serving(directory, listen):
    """Address of a server; it must stop in order."""
    address_file = directory / "address"
    with subprocess.Popen(
            [os.environ["TORQUED_SERVER"], "--listen", listen,
             "--address-file", address_file, "--store", directory / "store"],
            stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 20
        while not address_file.exists() or not address_file.read_text():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        try:
            yield address_file.read_text().split()[0]
        finally:
            process.terminate()
            assert process.wait(30) == 0


@pytest.fixture(scope="module", name="server")
def fixture_server(tmp_path_factory):
    """Address of a server that outlives the calls."""
    with serving(tmp_path_factory.mktemp("server"), "127.0.0.1:0") as address:
        yield address


@pytest.fixture(scope="module", name="trajectory")
def fixture_trajectory(tmp_path_factory):
    """The pick-and-place trajectory as CSV."""
    path = tmp_path_factory.mktemp("trajectory") / "pick_and_place.csv"
    subprocess.run([sys.executable, MODELS / "panda_pick_and_place.py",
                    "-o", path], check=True)
    return path


def planar_torques(q, v, a):
    """The closed form in the header of planar_2r.urdf."""
    l1, l2, m1, m2, g = 0.5, 0.4, 2.0, 1.5, 9.81
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    c1, c12 = math.cos(q[0]), math.cos(q[0] + q[1])
    m11 = (m1 + m2) * l1**2 + m2 * (2 * l1 * l2 * c2 + l2**2)
    m12 = m2 * (l1 * l2 * c2 + l2**2)
    m22 = m2 * l2**2
    h = m2 * l1 * l2 * s2
    return (m11 * a[0] + m12 * a[1] - h * (2 * v[0] * v[1] + v[1]**2)
            + (m1 + m2) * g * l1 * c1 + m2 * g * l2 * c12,
            m12 * a[0] + m22 * a[1] + h * v[0]**2 + m2 * g * l2 * c12)


# One-shot quantities


def test_id_agrees_with_the_closed_form_of_the_planar_arm():
    answer = run_json("id", "-m", PLANAR, *GRAVITY, "--q", "0.3,-0.4;-1,2",
                      "--v", "-0.5,0.25", "--a=1,-2;3,0.125")
    assert answer["rows"] == 2 and answer["rows_not_ok"] == 0
    expected = [planar_torques((0.3, -0.4), (-0.5, 0.25), (1, -2)),
                planar_torques((-1, 2), (-0.5, 0.25), (3, 0.125))]
    assert np.allclose(answer["results"]["tau"], expected, rtol=0, atol=1e-13)
    assert answer["echo"]["joint_names"] == ["joint1", "joint2"]
    assert answer["echo"]["terms"]["gravity"] == [0, -9.81, 0]
    assert len(answer["echo"]["revision"]) == 64


def test_mass_matrix_is_symmetric_and_the_closed_form():
    answer = run_json("mass-matrix", "-m", PLANAR, "--q", "0,0")
    assert np.allclose(answer["results"]["mass_matrix"],
                       [[[1.715, 0.54], [0.54, 0.24]]], rtol=0, atol=1e-14)


def test_fd_undoes_id_at_full_precision_of_the_text():
    state = ("-m", PLANAR, *GRAVITY, "--q", "0.3,-0.4", "--v", "1,2")
    tau = run_json("id", *state, "--a", "5,6")["results"]["tau"][0]
    back = run_json("fd", *state, "--tau", ",".join(map(repr, tau)))
    assert np.allclose(back["results"]["a"], [[5, 6]], rtol=0, atol=1e-11)


def test_opspace_reports_a_stretched_arm_and_damps_it_on_request():
    task = ("opspace", "-m", PLANAR, "--q", "0.3,0", "--axes", "lx,ly",
            "--frame", "local_world_aligned")
    reported = run_json(*task, code=NO)
    assert reported["results"]["rank"] == [1]
    assert reported["results"]["rule"] == ["TASK_RULE_RANGE_RESTRICTED"]
    assert reported["row_status"][0]["code"] == "ROW_CODE_SINGULAR_TASK_SPACE"
    damped = run_json(*task, "--damped", "0.1", code=NO)
    assert damped["results"]["rule"] == ["TASK_RULE_DAMPED"]
    assert damped["echo"]["operational_space"]["damping"] == 0.1
    bent = run_json(*(x if x != "0.3,0" else "0.3,1" for x in task))
    assert bent["results"]["rank"] == [2]
    assert bent["results"]["sigma_min"][0] > 0
    table = run(*task)
    assert "state 0: rank 1, sigma_min 0, range restricted\n" in table.stdout


@pytest.mark.parametrize("command, result", [
    (("id", *GRAVITY), "tau"), (("mass-matrix",), "mass_matrix"),
    (("fd", "--tau", "1,2"), "a"), (("opspace", "--axes", "lx,ly"), "lambda")])
def test_single_precision_is_near_double_and_echoed(command, result):
    def answer(*extra):
        said = run_json(*command, "-m", PLANAR, "--q", "0.3,-0.4", *extra)
        return said["echo"]["precision"], np.array(said["results"][result])

    name, exact = answer()
    assert name == "PRECISION_DOUBLE"
    name, rounded = answer("--precision", "single")
    assert name == "PRECISION_SINGLE"
    assert np.any(rounded != exact)
    assert np.allclose(rounded, exact, rtol=1e-5, atol=1e-5)


def test_a_wrench_changes_the_torques_and_its_frame_matters():
    def tau(*extra):
        return run_json("id", "-m", PLANAR, "--q", "0.3,0.4",
                        *extra)["results"]["tau"][0]

    # Pulling up with 10 N in world axes: the lever arms are the x distances.
    pull = ("--wrench", "0,0,0,0,10,0")
    x2 = 0.4 * math.cos(0.7)
    x1 = 0.5 * math.cos(0.3) + x2
    aligned = tau(*pull, "--wrench-frame", "local_world_aligned")
    assert np.allclose(aligned, [10 * x1, 10 * x2], rtol=0, atol=1e-13)
    assert not np.allclose(tau(*pull), aligned)


def test_joints_permutes_columns_by_name():
    plain = run_json("id", "-m", PLANAR, *GRAVITY, "--q", "0.3,0.4")
    swapped = run_json("id", "-m", PLANAR, *GRAVITY, "--q", "0.4,0.3",
                       "--joints", "joint2,joint1")
    assert swapped["results"]["tau"][0] == plain["results"]["tau"][0][::-1]
    assert swapped["echo"]["joint_names"] == ["joint2", "joint1"]


def test_a_bad_row_is_named_and_the_exit_code_says_no():
    done = run("id", "-m", PLANAR, "--q", "0,0;nan,1", "--output", "csv")
    assert done.returncode == NO
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["status"] for row in rows] == ["OK", "ROW_CODE_INVALID_INPUT"]
    assert rows[1]["joint1.tau"] == "nan"
    assert "row 1: invalid input (q, joint joint1)" in done.stderr
    table = run("id", "-m", PLANAR, "--q", "0,0;nan,1")
    assert table.stdout.splitlines()[-1].endswith("  invalid input")
    assert "ROW_CODE" not in table.stdout


def test_states_come_from_named_columns_in_any_order(tmp_path):
    path = tmp_path / "states.csv"
    path.write_text("joint2.q,spare,joint1.q,joint1.v,joint2.v\r\n"
                    "0.4,9,0.3,1,2\r\n\r\n-0.4,9,0.1,0,0\r\n")
    done = run("id", "-m", PLANAR, *GRAVITY, "--states", path, "--output",
               "json")
    assert done.returncode == OK, done.stderr
    assert "not used: spare" in done.stderr
    expected = [planar_torques((0.3, 0.4), (1, 2), (0, 0)),
                planar_torques((0.1, -0.4), (0, 0), (0, 0))]
    assert np.allclose(json.loads(done.stdout)["results"]["tau"], expected,
                       rtol=0, atol=1e-13)


def test_plain_columns_need_their_order_said(tmp_path):
    path = tmp_path / "states.csv"
    path.write_text("0.3,0.4\n")
    refused = run("mass-matrix", "-m", PLANAR, "--states", path)
    assert refused.returncode == ERROR
    assert "--joints" in refused.stderr
    taken = run("mass-matrix", "-m", PLANAR, "--states", path, "--joints",
                "canonical")
    assert taken.returncode == OK


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", "<f4"])
def test_states_come_from_numpy_files(tmp_path, order, dtype):
    q = np.asarray([[0.25, -0.5], [1.5, 2.0], [0.0, 0.125]], dtype, order)
    np.save(tmp_path / "q.npy", q)
    answer = run_json("id", "-m", PLANAR, *GRAVITY, "--q",
                      f"@{tmp_path}/q.npy")
    expected = [planar_torques(row, (0, 0), (0, 0)) for row in q.tolist()]
    assert np.allclose(answer["results"]["tau"], expected, rtol=0, atol=1e-13)


# Trajectories


def test_trajectory_gives_torques_summary_and_plot(trajectory, tmp_path):
    done = run("trajectory", trajectory, "--model", PANDA, "-o", "tau.csv",
               "--plot", "tau.svg", "--summary", "summary.json",
               "--fail-on-limit", cwd=tmp_path)
    assert done.returncode == OK, done.stderr
    assert "within the effort limits; most loaded: panda_joint2" in done.stdout

    with open(tmp_path / "tau.csv", encoding="utf-8") as file:
        header = file.readline().strip().split(",")
        tau = np.loadtxt(file, delimiter=",")
    assert header == ["time"] + [f"panda_joint{k}.tau" for k in range(1, 8)]
    assert tau.shape == (10000, 8)
    assert np.isfinite(tau).all()

    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["states"] == 10000
    assert summary["within_effort_limits"] is True
    assert summary["states_per_second"] > 0
    for k, joint in enumerate(summary["joints"]):
        column = tau[:, k + 1]
        sample = int(np.argmax(np.abs(column)))
        assert joint["sample"] == sample
        assert joint["time_s"] == tau[sample, 0]
        assert joint["tau"] == column[sample]
        assert joint["max_abs_tau"] == abs(column[sample])
        assert joint["effort_limit"] == (87 if k < 4 else 12)
        assert joint["utilization"] == pytest.approx(
            abs(column[sample]) / joint["effort_limit"])

    svg = ElementTree.parse(tmp_path / "tau.svg").getroot()
    texts = "".join(svg.itertext())
    assert f"panda@{summary['revision'][:12]}" in texts
    for k in range(1, 8):
        assert f"panda_joint{k}" in texts
    dashed = [line for line in svg.iter("{http://www.w3.org/2000/svg}line")
              if "stroke-dasharray" in line.attrib]
    assert len(dashed) == 2 * 7 + 1


def test_trajectory_rows_equal_one_shot_answers(trajectory, tmp_path):
    run("trajectory", trajectory, "-m", PANDA, "-o", tmp_path / "tau.npy")
    tau = np.load(tmp_path / "tau.npy")
    states = np.loadtxt(trajectory, delimiter=",", skiprows=1)
    row = 7812
    q, v, a = (",".join(map(repr, states[row, 1 + 7 * k:8 + 7 * k].tolist()))
               for k in range(3))
    answer = run_json("id", "-m", PANDA, "--q", q, "--v", v, "--a", a)
    assert answer["results"]["tau"][0] == tau[row].tolist()


@pytest.mark.parametrize("with_time", [True, False])
def test_trajectory_takes_numpy_files_with_stated_joint_order(
        trajectory, tmp_path, with_time):
    states = np.loadtxt(trajectory, delimiter=",", skiprows=1)[:500]
    np.save(tmp_path / "in.npy", states if with_time else states[:, 1:])
    refused = run("trajectory", tmp_path / "in.npy", "-m", PANDA)
    assert refused.returncode == ERROR
    assert "--joints" in refused.stderr
    done = run("trajectory", tmp_path / "in.npy", "-m", PANDA, "--joints",
               "canonical", "-o", tmp_path / "a.npy", "--output", "json")
    assert done.returncode == OK, done.stderr
    assert (json.loads(done.stdout)["duration_s"] is not None) == with_time
    run("trajectory", trajectory, "-m", PANDA, "-o", tmp_path / "b.npy")
    assert np.array_equal(np.load(tmp_path / "a.npy"),
                          np.load(tmp_path / "b.npy")[:500])


def test_a_trajectory_larger_than_any_message_over_a_unix_socket(tmp_path):
    rows = 500_000
    random = np.random.default_rng(11)
    states = random.uniform(-2, 2, (rows, 6))
    # More than torquectl's own message limit of 16 MiB.
    assert states.nbytes > 16 << 20
    np.save(tmp_path / "in.npy", states)
    with serving(tmp_path, f"unix:{tmp_path}/s") as address:
        run("models", "add", PLANAR, "--server", address)
        done = run("trajectory", tmp_path / "in.npy", "-m", "planar_2r",
                   *GRAVITY, "--joints", "canonical",
                   "-o", tmp_path / "tau.npy", "--server", address)
        assert done.returncode == OK, done.stderr
    tau = np.load(tmp_path / "tau.npy")
    assert tau.shape == (rows, 2)
    for row in (0, 1023, 1024, 250_000, rows - 1):
        q, v, a = states[row].reshape(3, 2)
        assert np.allclose(tau[row], planar_torques(q, v, a), rtol=0,
                           atol=1e-12)


@pytest.mark.parametrize("second_time", ["0", "-1", "nan", "inf"])
def test_trajectory_refuses_times_that_do_not_increase(tmp_path, second_time):
    path = tmp_path / "t.csv"
    names = [f"joint{k}.{x}" for x in "qva" for k in (1, 2)]
    path.write_text("time," + ",".join(names) + "\n0,1,2,3,4,5,6\n"
                    f"{second_time},1,2,3,4,5,6\n")
    done = run("trajectory", path, "-m", PLANAR)
    assert done.returncode == ERROR
    assert f"{path}:3" in done.stderr
    assert "time" in done.stderr


def test_trajectory_refuses_missing_accelerations(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("time,joint1.q,joint2.q,joint1.v,joint2.v\n0,1,2,3,4\n")
    done = run("trajectory", path, "-m", PLANAR)
    assert done.returncode == ERROR
    assert "joint1.a" in done.stderr


def test_trajectory_over_its_limits_fails_only_when_asked(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"joint{k}.{x}" for x in "qva" for k in (1, 2)]
    path.write_text("time," + ",".join(names) + "\n"
                    "0,0,0,0,0,0,0\n0.5,0,0,0,0,0,0\n1.5,0,0,0,0,60,0\n")
    arguments = ("trajectory", path, "-m", PLANAR, *GRAVITY)
    told = run(*arguments)
    assert told.returncode == OK
    assert "over the effort limit: joint1" in told.stdout
    assert "OVER in 1 samples" in told.stdout
    failed = run(*arguments, "--fail-on-limit", "--plot", tmp_path / "t.svg",
                 "--output", "json")
    assert failed.returncode == NO
    joint = json.loads(failed.stdout)["joints"][0]
    assert (joint["sample"], joint["time_s"]) == (2, 1.5)
    assert joint["samples_over_limit"] == 1
    assert (tmp_path / "t.svg").exists()


def test_trajectory_with_a_bad_row_says_no(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"joint{k}.{x}" for x in "qva" for k in (1, 2)]
    path.write_text(",".join(names) + "\n1,2,3,4,5,6\n1,nan,3,4,5,6\n")
    done = run("trajectory", path, "-m", PLANAR, "-o", tmp_path / "o.csv")
    assert done.returncode == NO
    assert "row 1: invalid input" in done.stderr
    assert (tmp_path / "o.csv").read_text().splitlines()[2] == "nan,nan"


def test_progress_is_silent_when_quiet(trajectory):
    quiet = run("trajectory", trajectory, "-m", PANDA, "-q")
    assert quiet.returncode == OK
    assert quiet.stderr == ""


# Models


def test_models_are_added_listed_shown_and_removed(server, tmp_path):
    at = ("--server", server)
    added = run_json(*at, "models", "add", PLANAR, "--name", "two.links",
                     "--tip", "tip", "--label", "golden", "--expect", "none")
    revision = added["model"]["revision"]
    assert added["changed"] is True
    assert run_json(*at, "models", "add", PLANAR, "--name", "two.links",
                    "--tip", "tip")["changed"] is False

    listed = {model["name"]: model for model in run_json(*at, "models", "list")}
    assert listed["two.links"]["revision"] == revision
    shown = run_json(*at, "models", "show", "two.links@golden")
    assert [joint["name"] for joint in shown["joints"]] == ["joint1", "joint2"]
    assert shown["joints"][0]["effort"] == 60
    source = run(*at, "models", "show", f"@{revision[:8]}", "--source")
    assert source.stdout == pathlib.Path(PLANAR).read_text()
    assert run_json(*at, "id", "-m", "two.links@golden", "--q",
                    "0,0")["echo"]["revision"] == revision

    conflict = run(*at, "models", "rm", "two.links", "--expect", "0" * 64)
    assert conflict.returncode == ERROR
    assert "REVISION_CONFLICT" in conflict.stderr.splitlines()[0]
    assert run(*at, "models", "rm", "two.links").returncode == OK
    gone = run(*at, "models", "show", "two.links")
    assert gone.returncode == ERROR
    assert gone.stderr.startswith("torquectl: MODEL_NOT_FOUND")


def test_validate_prints_every_finding_and_exits_2_on_errors(tmp_path):
    good = run("models", "validate", PLANAR)
    assert good.returncode == OK
    assert "0 errors" in good.stdout

    broken = tmp_path / "broken.urdf"
    broken.write_text(pathlib.Path(PLANAR).read_text().replace(
        '<mass value="2"/>', '<mass value="-2"/>'))
    bad = run("models", "validate", broken)
    assert bad.returncode == NO
    assert f"{broken}:" in bad.stdout
    assert "error: negative-mass" in bad.stdout
    assert json.loads(run("models", "validate", broken, "--output",
                          "json").stdout)["valid"] is False


def test_add_of_a_broken_model_prints_the_whole_report(server, tmp_path):
    broken = tmp_path / "broken.urdf"
    broken.write_text(pathlib.Path(PLANAR).read_text().replace(
        '<mass value="2"/>', '<mass value="-2"/>'))
    done = run("--server", server, "models", "add", broken)
    assert done.returncode == ERROR
    assert done.stderr.startswith("torquectl: INVALID_MODEL (source): ")
    assert "error: negative-mass" in done.stderr


def test_what_would_be_lost_with_a_local_server_is_refused():
    for command in (["add", PLANAR], ["list"], ["rm", "arm"]):
        done = run("models", *command)
        assert done.returncode == USAGE
        assert "--server" in done.stderr


def test_a_store_keeps_models_between_local_servers(tmp_path):
    store = ("--store", tmp_path / "models.db")
    assert run(*store, "models", "add", PLANAR).returncode == OK
    assert [model["name"] for model in run_json(*store, "models", "list")] == [
        "planar_2r"]


def test_a_models_directory_is_registered_by_the_local_server():
    answer = run_json("id", "--models-dir", MODELS, "-m", "planar_2r", "--q",
                      "0,0")
    assert answer["echo"]["model"] == "planar_2r"


# Servers


def test_ping_tells_health_and_address(server):
    answer = run_json("--server", server, "ping", "--count", "5")
    assert answer["health"] == "SERVING"
    assert answer["address"] == server
    assert 0 < answer["round_trip_us_min"] <= answer["round_trip_us_median"]
    assert run("health").returncode == OK


def test_info_tells_versions_targets_and_limits(server):
    answer = run_json("--server", server, "info")
    version = run("--version").stdout.split()[1]
    assert answer["client_version"] == answer["server_version"] == version
    assert answer["address"] == server
    names = [target["name"] for target in answer["targets"]]
    assert answer["target"] == names[0]  # the widest
    assert names[-1] == "baseline"
    for target in answer["targets"]:
        assert target["lanes_single"] >= target["lanes_double"] >= 1
    assert answer["threads"] >= 1
    assert answer["max_rows"] == 1_000_000
    assert answer["max_message_bytes"] == 64 << 20
    assert answer["max_inflight_rows"] == 16_000_000
    assert answer["max_inflight_bytes"] == 1 << 30
    assert answer["revision_layout"] == "1"

    text = run("--server", server, "info").stdout
    assert f"server version      {version}\n" in text
    assert f"target in use       {names[0]}\n" in text
    assert "bytes per message   67108864\n" in text
    table = run("--server", server, "info", "--output", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["target"] for row in rows] == names
    assert [row["in_use"] for row in rows] == ["yes"] + ["no"] * (
        len(names) - 1)


def test_an_address_without_a_port_means_the_default_port():
    # Whether or not somebody serves there, the address is named.
    for done in (run("--server", "127.0.0.55", "ping"),
                 run("ping", env={"TORQUED_SERVER_ADDRESS": "127.0.0.55"})):
        assert "127.0.0.55:7421" in done.stdout + done.stderr


def test_the_address_comes_from_the_environment_unless_told_otherwise(server):
    env = {"TORQUED_SERVER_ADDRESS": server}
    done = run("ping", env=env)
    assert server in done.stdout
    spawned = run("ping", "--spawn", env=env)
    assert spawned.returncode == OK
    assert server not in spawned.stdout


def test_no_connection_is_an_error_in_one_line():
    done = run("--server", "127.0.0.1:1", "ping")
    assert done.returncode == ERROR
    assert done.stderr.startswith("torquectl: UNAVAILABLE: ")
    assert "127.0.0.1:1" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_missing_server_binary_is_an_error():
    done = run("ping", env={"TORQUED_SERVER": "/no/such/binary"})
    assert done.returncode == ERROR
    assert "/no/such/binary" in done.stderr


def test_a_server_error_names_reason_and_field():
    done = run("id", "-m", PLANAR, "--q", "1,2,3")
    assert done.returncode == ERROR
    assert done.stderr.startswith("torquectl: WRONG_COLUMN_COUNT (q): ")


@pytest.mark.parametrize("arguments", [
    (), ("frobnicate",), ("models",), ("id",), ("id", "-m", PLANAR),
    ("id", "-m", PLANAR, "--q", "1,x"), ("id", "-m", PLANAR, "--q", "1;1,2"),
    ("id", "-m", PLANAR, "--q", "1,2", "--gravity", "1,2"),
    ("id", "-m", PLANAR, "--q", "1,2", "--states", "f.csv"),
    ("id", "-m", PLANAR, "--q", "1,2", "--wrench-frame", "moon"),
    ("opspace", "-m", PLANAR, "--q", "1,2", "--axes", "lx,zz"),
    ("id", "-m", PLANAR, "--q", "1,2", "--precision", "half"),
    ("trajectory", "f.csv", "-m", PLANAR, "-o", "f.txt"),
    ("ping", "--spawn", "--server", "127.0.0.1:1"),
    ("ping", "--store", "x.db", "--server", "127.0.0.1:1"),
    ("ping", "--output", "xml"), ("ping", "--timeout", "-1"),
    ("id", "--server", "127.0.0.1:1", "-m", PLANAR, "--q", "0,0"),
])
def test_a_senseless_command_line_exits_64(arguments):
    done = run(*arguments)
    assert done.returncode == USAGE, done.stderr
    assert done.stderr.startswith("torquectl: USAGE")
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [
    ("--help",), ("id", "--help"), ("models", "add", "--help"),
    ("trajectory", "--help"), ("--version",)])
def test_help_exits_0(arguments):
    done = run(*arguments)
    assert done.returncode == OK
    assert done.stdout


def test_help_documents_the_exit_codes():
    text = run("--help").stdout
    for line in ("  0   ", "  1   ", "  2   ", "  64  "):
        assert line in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGKILL])
def test_the_local_server_ends_with_torquectl(tmp_path, number):
    # It waits for the trajectory when its server runs already.
    fifo = tmp_path / "trajectory.csv"
    os.mkfifo(fifo)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = dict(os.environ, TMPDIR=str(temporary))
    with subprocess.Popen([TORQUECTL, "trajectory", fifo, "-m", PLANAR],
                          env=environment, stderr=subprocess.DEVNULL
                          ) as process:
        wait_for(lambda: list(temporary.glob("torqued-*/address")))
        server = wait_for(lambda: child_of(process.pid))
        process.send_signal(number)
        assert process.wait(30) == -number
    wait_for(lambda: not is_running(server))
    if number != signal.SIGKILL:
        assert not list(temporary.iterdir())


def test_an_interrupt_ends_a_local_server_that_still_starts(tmp_path):
    never_serves = tmp_path / "torqued"
    never_serves.write_text("#!/bin/sh\nexec sleep 1000\n")
    never_serves.chmod(0o755)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = dict(os.environ, TMPDIR=str(temporary),
                       TORQUED_SERVER=str(never_serves))
    with subprocess.Popen([TORQUECTL, "ping"], env=environment) as process:
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


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.01)
    raise AssertionError("waited in vain")
