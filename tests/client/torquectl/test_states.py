"""States from files."""

import json

import numpy as np

from calls import (ERROR, GRAVITY, OK, PLANAR, answering, planar_torques, run,
                   run_json, serving)


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


def test_columns_without_names_are_those_that_are_said(tmp_path):
    path = tmp_path / "states.csv"
    path.write_text("1,2,3,4,5,6\n")
    of_file = ("id", "-m", PLANAR, "--states", path, "--joint-names", "canonical")
    (tmp_path / "q.csv").write_text("1,2\n")
    for q in ("1,2", f"@{tmp_path / 'q.csv'}"):
        assert run_json("id", "-m", PLANAR, "--q", q, "--v", "3,4",
                        "--a", "5,6")["results"] == run_json(*of_file)["results"]
    # A time means nothing here.
    path.write_text("0,1,2,3,4,5,6\n")
    assert run(*of_file).returncode == ERROR
    (tmp_path / "q.names").write_text("a.q\n3\n")
    for bad in ("q.none", "q.names", "."):
        done = run("id", "-m", PLANAR, "--q", f"@{tmp_path / bad}")
        assert done.returncode == ERROR, bad


def test_columns_and_results_belong_to_one_revision(tmp_path):
    def field(number, content):
        return bytes([number << 3 | 2, len(content)]) + content

    # GetModelReply{model{name, revision, joints[]{name, nq, nv}}}
    joints = b"".join(field(10, field(1, name) + b"\x20\x01\x30\x01")
                      for name in (b"joint1", b"joint2"))
    known = field(1, field(1, b"arm") + field(2, b"abc") + joints)
    computed = []

    def compute(request, context):
        computed.append(request)
        return b""

    path = tmp_path / "states.csv"
    path.write_text("joint2.q,joint1.q\n0.4,0.3\n")
    with answering({
            "/torqued.v1.ServerInfo/GetServerInfo": lambda *_: b"",
            "/torqued.v1.ModelRegistry/GetModel": lambda *_: known,
            "/torqued.v1.Dynamics/Compute": compute}) as server:
        run("--server", server, "id", "-m", "arm", "--states", path)
    assert [request[:9] for request in computed] == [field(1, b"arm@abc")]


def test_more_states_than_any_message_holds_over_a_unix_socket(tmp_path):
    rows = 400_000
    states = np.random.default_rng(11).uniform(-2, 2, (rows, 6))
    # More than torquectl's own message limit of 16 MiB.
    assert states.nbytes > 16 << 20
    np.save(tmp_path / "in.npy", states)
    with serving(tmp_path, f"unix:{tmp_path}/s") as address:
        run("models", "add", PLANAR, "--server", address)
        done = run("id", "--states", tmp_path / "in.npy", "-m", "planar_2r",
                   *GRAVITY, "--joint-names", "canonical", "--server", address,
                   "--output", "csv")
    assert done.returncode == OK, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 1 + rows
    for row in (0, 999, 1000, 250_000, rows - 1):
        tau = [float(text) for text in lines[1 + row].split(",")[:2]]
        assert np.allclose(tau, planar_torques(*states[row].reshape(3, 2)),
                           rtol=0, atol=1e-12)
