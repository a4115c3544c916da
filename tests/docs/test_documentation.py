"""What the documentation shows is run, and does what it says."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

import pytest

from extract_snippets import snippets

SOURCE = os.environ["TEST_SOURCE"]
BIN = os.environ["TEST_BIN"]
README = os.path.join(SOURCE, "README.md")
SERVER = os.path.join(SOURCE, "docs", "server.md")
LINT = os.path.join(SOURCE, "docs", "lint.md")
HOSTILE = os.path.join(SOURCE, "docs", "hostile-input.md")
QUANTITIES = os.path.join(SOURCE, "docs", "quantities.md")
TRAJECTORY = os.path.join(SOURCE, "docs", "trajectory.md")
CPP = os.path.join(SOURCE, "docs", "cpp.md")
PYTHON = os.path.join(SOURCE, "docs", "python.md")
SINGULARITY = os.path.join(SOURCE, "docs", "singularity.md")
PERFORMANCE = os.path.join(SOURCE, "docs", "performance.md")


def run(command, **arguments):
    """Runs a shell line as a reader would, with the programs of this build."""
    environment = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"])
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], cwd=SOURCE,
        env=environment, capture_output=True, text=True, timeout=120,
        check=False, **arguments)


@pytest.mark.parametrize("path, number", [
    (README, 0), (QUANTITIES, 0), (QUANTITIES, 1)])
def test_a_call_prints_what_is_shown(path, number):
    call = snippets(path, "sh")[number]
    result = run(re.sub(r"^export PATH=.*\n", "", call))
    assert result.returncode == 0, result.stderr
    shown = snippets(path, "text")[number]

    def without_version(text):
        return re.sub(r"target \S+  server \S+", "", text).strip()

    assert without_version(result.stdout) == without_version(shown)


@pytest.mark.parametrize(
    "path", [README, SERVER, QUANTITIES, TRAJECTORY, SINGULARITY])
def test_shell_lines_succeed(path):
    for block in snippets(path, "sh"):
        # The reader's own build directory; here PATH has this build's.
        block = re.sub(r"^export PATH=.*\n", "", block, flags=re.MULTILINE)
        result = run(block)
        assert result.returncode == 0, block + result.stdout + result.stderr


@pytest.mark.parametrize("path", [README, PYTHON])
def test_python_programs_print_what_is_shown(path):
    """The blocks of a page are one program, and its text blocks the output,
    where it shows any."""
    program = "\n".join(snippets(path, "python"))
    assert "import torqued" in program
    result = subprocess.run(
        [sys.executable, "-W", "error", "-"], input=program, cwd=SOURCE,
        env=dict(os.environ, PATH=BIN + ":" + os.environ["PATH"]),
        capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    if path == PYTHON:
        assert result.stdout == "".join(snippets(path, "text"))


def count_of(numbers, n, m):
    """"10 n²" -> 490 where n = 7."""
    product = 1
    for word in numbers.split():
        powers = {"n": n, "n²": n**2, "n³": n**3, "m": m, "m²": m**2}
        product *= powers.get(word) or int(word)
    return product


def listed_quantities():
    """Of every quantity the rows of its results: name -> result -> cells."""
    with open(QUANTITIES, encoding="utf-8") as file:
        lines = [line.strip("|\n ") for line in file if line.startswith("|")]
    listed, header, name = {}, [], ""
    for line in lines:
        cells = [cell.strip() for cell in line.split("|")]
        if cells[0] == "Quantity":
            header = cells
        elif not cells[0].startswith("--"):
            if cells[1].startswith("`"):
                name = cells[0].strip("`")
            else:  # another result of the same
                cells.insert(0, "")
            row = dict(zip(header, cells))
            listed.setdefault(name, {})[row["Result"].strip("`")] = row
    return listed


def flat(numbers):
    """The numbers of nested lists."""
    if not isinstance(numbers, list):
        return [numbers]
    return [number for part in numbers for number in flat(part)]


def computed(*words):
    """Result -> numbers of one state, from torquectl compute."""
    printed = run(" ".join(["torquectl compute", *words, "--output json"]))
    assert printed.returncode == 0, printed.stderr
    results = json.loads(printed.stdout)["results"]
    return {name: flat(state) for name, (state,) in results.items()
            if name not in ("rank", "rule", "sigma_min")}


Q6 = "--q 0.1,-0.5,0.3,-2,0.2,1.5 --tau 1,2,3,4,5,6"
V6, A6 = "--v 0.3,0.2,-0.4,0.5,0.6,-0.7", "--a 1,-2,3,-1,2,1"


def test_every_quantity_is_listed_with_what_it_returns():
    names = re.search(r"QUANTITY (\S+) \.\.\.",
                      run("torquectl compute --help").stdout).group(1)
    listed = listed_quantities()
    assert sorted(listed) == sorted(names.split("|"))
    for name, rows in listed.items():
        results = computed(name, "--model deploy/models/panda.urdf",
                           "--q 0.1,-0.5,0.3,-2,0.2,1.5,0.7",
                           "--tau 1,2,3,4,5,6,7")
        assert set(results) == set(rows), name
        for result, row in rows.items():
            assert len(results[result]) == count_of(row["Numbers"], 7, 6)


def test_every_result_reads_what_is_listed_and_nothing_else(tmp_path):
    with open(os.path.join(SOURCE, "deploy", "models", "ur5e.urdf"),
              encoding="utf-8") as file:
        text = file.read()
    rusty = tmp_path / "rusty.urdf"
    rusty.write_text(re.sub(
        r"(<axis [^>]*/>)", r'\1<dynamics damping="0.7" friction="0.4"/>',
        re.sub(r"<dynamics [^>]*/>", "", text)))
    listed = listed_quantities()
    rows = {result: row for of_one in listed.values()
            for result, row in of_one.items()}

    def readers(word):
        return {result for result, row in rows.items()
                if word in re.split(r",\s*", row["Reads"])}

    def changed(before, after):
        assert before.keys() == after.keys()
        return {result for result, numbers in before.items()
                if max(abs(x - y) for x, y in zip(numbers, after[result]))
                > 1e-10 * max(map(abs, numbers))}

    # With room beside the task.
    model = f"--model {rusty} --axes lx,ly,lz"
    state = (*listed, model, Q6, V6, A6)
    before = computed(*state)
    assert rows.keys() == before.keys()
    six = "1,-2,3,-4,5,6"
    for word, call in (
            ("v", (*listed, model, Q6, A6, V6.replace("0.5", "0.9"))),
            ("a", (*listed, model, Q6, V6, A6.replace("3", "4"))),
            ("τ", (*listed, model, Q6.replace("4,5", "3,2"), V6, A6)),
            ("V₀", (*state, "--base-twist", six)),
            ("V̇₀", (*state, "--base-acceleration", six)),
            ("a*", (*state, "--task-acceleration 1,2,-3")),
            ("τ₀", (*state, "--null-space-torque", six)),
            ("gravity", (*state, "--gravity 1,2,-8")),
            ("friction", (*state, "--viscous --coulomb")),
            ("wrench", (*state, "--wrench", six)),
            ("wrench", (*state, "--external-wrench forearm_link=" + six))):
        assert changed(before, computed(*call)) == readers(word), word
    # Friction is smoothed for all that read it.
    rough = computed(*state, "--coulomb")
    assert changed(rough, computed(
        *state, "--coulomb --coulomb-smoothing 2")) == readers("friction")


def test_what_nothing_reads_is_refused():
    listed = listed_quantities()

    def refused(flag, *words):
        """The quantities that alone refuse the flag are those that read none
        of these words."""
        for name, of_one in listed.items():
            reads = {word for row in of_one.values()
                     for word in re.split(r",\s*", row["Reads"])}
            done = run(f"torquectl compute {name} --model "
                       f"deploy/models/ur5e.urdf {Q6} {flag}")
            if reads.isdisjoint(words):
                assert done.returncode == 1, (name, flag)
                assert "INVALID_OPTION" in done.stderr
            else:
                assert done.returncode == 0, (name, flag, done.stderr)

    six = "1,-2,3,-4,5,6"
    refused(f"--wrench {six}", "wrench")
    refused(f"--external-wrench forearm_link={six}", "wrench")
    refused(f"--base-twist {six}", "V₀", "V̇₀")
    refused(f"--base-acceleration {six}", "V₀", "V̇₀")
    refused(f"--task-acceleration {six}", "a*")
    refused(f"--null-space-torque {six}", "τ₀")


# What systemd does with the service, as far as the page asks for it.
SYSTEMCTL = """#!/bin/sh
set -eu
cd "$SERVICE"
case $1 in
  start)
    rm -f address
    setsid torqued --listen 127.0.0.1:0 --address-file address \\
        --store lib/models.db </dev/null >log 2>&1 &
    echo $! >pid
    tries=0
    while [ ! -s address ]; do
      [ $tries -lt 3000 ] && kill -0 "$(cat pid)"
      tries=$((tries + 1))
      sleep 0.01
    done ;;
  stop)
    kill "$(cat pid)"
    tries=0
    while kill -0 "$(cat pid)" 2>/dev/null; do
      [ $tries -lt 3000 ]
      tries=$((tries + 1))
      sleep 0.01
    done ;;
esac
"""


# The user of the service is not there; that it is named can be checked.
SUDO = """#!/bin/sh
set -eu
[ "$1 $2" = "-u torqued" ]
shift 2
exec "$@"
"""
INSTALL = """#!/bin/sh
set -eu
[ "$1 $2 $3 $4 $5" = "-d -o torqued -g torqued" ]
shift 5
exec /usr/bin/install -d "$@"
"""


def test_a_backup_is_restored_as_shown(tmp_path):
    for name in ("lib", "etc", "bin"):
        (tmp_path / name).mkdir()
    for name, text in (("systemctl", SYSTEMCTL), ("sudo", SUDO),
                       ("install", INSTALL)):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "etc" / "torqued.toml").write_text(
        f'store = "{tmp_path}/lib/models.db"\n')
    backup, = snippets(SERVER, "sh backup")
    restore, = snippets(SERVER, "sh restore")
    assert "systemctl stop torqued" in restore

    def here(command):
        for place in ("var/lib", "var/backups", "etc"):
            command = re.sub(rf"/{place}/torqued\b(?!\.)",
                             f"{tmp_path}/{os.path.basename(place)}", command)
        result = run(f'export PATH={tmp_path}/bin:$PATH SERVICE={tmp_path}\n'
                     + command)
        return result.returncode, result.stdout + result.stderr

    def models():
        address = (tmp_path / "address").read_text().strip()
        return here(f"torquectl --server {address} models list --output csv")

    assert here("systemctl start torqued") == (0, "")
    try:
        address = (tmp_path / "address").read_text().strip()
        done = here(f"torquectl --server {address} models add "
                    "deploy/models/panda.urdf")
        assert done[0] == 0, done
        before = models()
        assert before[0] == 0 and "panda" in before[1]
        code, said = here(backup)
        assert code == 0, said
        assert ": good, 1 names, 1 revisions, " in said
        with contextlib.closing(sqlite3.connect(
                tmp_path / "lib" / "models.db")) as connection, connection:
            connection.execute("UPDATE revisions SET source = zeroblob(99)")
        code, said = here(
            "torqued --config /etc/torqued/torqued.toml store check")
        assert code == 2 and " of panda: " in said, said
        code, said = here(restore)
        assert code == 0, said
        assert models() == before
        address = (tmp_path / "address").read_text().strip()
        assert here(f"torquectl --server {address} id -m panda "
                    "--q 0,0,0,0,0,0,0")[0] == 0
    finally:
        assert here("systemctl stop torqued")[0] == 0


def test_make_targets_that_are_named_exist():
    with open(os.path.join(SOURCE, "Makefile"), encoding="utf-8") as file:
        targets = re.findall(r"^([a-z-]+):", file.read(), re.MULTILINE)
    named = set()
    for path in (README, SERVER, HOSTILE, PERFORMANCE):
        with open(path, encoding="utf-8") as file:
            named |= set(re.findall(r"\bmake ([a-z-]+)\b(?!.*serves)",
                                    file.read()))
    assert {"demo", "test", "serve", "stop", "fuzz", "bench"} <= named
    assert named <= set(targets)


def test_every_fuzz_target_is_explained():
    with open(HOSTILE, encoding="utf-8") as file:
        rows = re.findall(r"^\| (`[^|]*) \|", file.read(), re.MULTILINE)
    explained = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    suffix = "_fuzz.cc"
    targets = {name.removesuffix(suffix) for name in os.listdir(
        os.path.join(SOURCE, "tests", "fuzz")) if name.endswith(suffix)}
    assert len(targets) > 8
    assert targets == explained


def test_limits_that_lint_advises_to_change_exist():
    with open(LINT, encoding="utf-8") as file:
        text = file.read()
    advised = set(re.findall(r"`([A-Z]\w+)::(\w+)`", text))
    assert {owner for owner, _ in advised} == {"UrdfLimits", "BuildOptions"}
    headers = set(re.findall(r"`(core/[\w/]+\.h)`", text))
    members = set()
    for header in headers:
        with open(os.path.join(SOURCE, header), encoding="utf-8") as file:
            for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\};",
                                         file.read(), re.MULTILINE | re.DOTALL):
                members |= {(name, member) for member in re.findall(
                    r"^  [\w:]+ (\w+) = ", body, re.MULTILINE)}
    assert advised <= members
    # All of those that bound a source.
    assert {m for m in members if m[0] == "UrdfLimits"} <= advised
    flags = run("torquectl id --help").stdout
    for flag in re.findall(r"`(--\w+)`", text):
        assert flag + " " in flags, flag


def test_client_program_prints_torques():
    result = run(os.path.join(BIN, "readme_client"))
    assert result.returncode == 0, result.stderr
    assert re.search(r"tau of the last state:( +\S+){6}\n", result.stdout)
    assert "rows not OK: 0" in result.stdout
    assert re.search(r"revision: [0-9a-f]{64}", result.stdout)


def test_tour_of_the_cpp_client_prints_what_is_shown():
    result = run(os.path.join(BIN, "cpp_tour"))
    assert result.returncode == 0, result.stderr
    assert result.stdout == "".join(snippets(CPP, "text"))


def test_client_program_says_what_to_do_where_there_is_no_server(tmp_path):
    # Away from the server that stands beside it.
    program = shutil.copy(os.path.join(BIN, "readme_client"), tmp_path)
    environment = {name: value for name, value in os.environ.items()
                   if name != "TORQUED_SERVER"}
    result = subprocess.run(
        [program], env=dict(environment, PATH=str(tmp_path)),
        capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 1
    assert result.stdout == ""
    assert "no executable torqued" in result.stderr
    assert "environment variable TORQUED_SERVER" in result.stderr
    assert result.stderr.count("\n") == 1


def test_in_process_program_prints_torques():
    result = run(os.path.join(BIN, "readme_core"))
    assert result.returncode == 0, result.stderr
    back = re.search(r"back: (.*)", result.stdout).group(1).split()
    assert [round(float(x), 9) for x in back] == [2.0] * 7


def test_limits_of_a_file_are_taken(tmp_path):
    (tmp_path / "limits.json").write_text(*snippets(TRAJECTORY, "json limits"))
    move = tmp_path / "move.csv"
    run(f"python3 deploy/models/panda_pick_and_place.py -o {move}")
    result = run(f"torquectl trajectory check {move} --output json "
                 f"--model deploy/models/panda.urdf --limits {tmp_path}/limits.json")
    assert result.returncode in (0, 2), result.stderr
    limits = {joint["joint"]: joint["torque_limit"]
              for joint in json.loads(result.stdout)["joints"]}
    assert limits["panda_joint2"] == 80 and limits["panda_joint3"] == 87


def test_configuration_file_is_accepted(tmp_path):
    file = tmp_path / "torqued.toml"
    file.write_text(snippets(SERVER, "toml config")[0])
    result = run(f"torqued --config {file} --print-config")
    assert result.returncode == 0, result.stderr
    assert "500000" in result.stdout
    # Twin: a key that does not exist is named.
    file.write_text("max-rowz = 1\n")
    result = run(f"torqued --config {file} --print-config")
    assert result.returncode == 2
    assert "max-rowz" in result.stderr


def test_settings_that_are_explained_exist():
    with open(SERVER, encoding="utf-8") as file:
        table = re.findall(r"^\| (`[^|]*) \|", file.read(), re.MULTILINE)
    options = run("torqued --help").stdout
    names = [name for row in table for name in re.findall(r"`([^`]+)`", row)]
    assert len(names) > 8
    for name in names:
        assert f"--{name} " in options, name
