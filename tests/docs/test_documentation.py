"""What the documentation shows is run, and does what it says."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import settings_table
from extract_snippets import snippets

SOURCE = os.environ["TEST_SOURCE"]
BIN = os.environ["TEST_BIN"]
README = os.path.join(SOURCE, "README.md")
ROBOTS = os.path.join(SOURCE, "docs", "robots.md")
QUANTITIES = os.path.join(SOURCE, "docs", "quantities.md")
SERVER = os.path.join(SOURCE, "docs", "operations.md")
TRAJECTORY = os.path.join(SOURCE, "docs", "trajectories.md")
CPP = os.path.join(SOURCE, "docs", "cpp.md")
PYTHON = os.path.join(SOURCE, "docs", "python.md")


def in_folder(text, folder):
    """What readers have written to /tmp is written to the folder."""
    return text.replace("/tmp/", f"{folder}/")


def run(command, **arguments):
    """Runs a shell line as a reader would, with the programs of this build."""
    environment = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"])
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], cwd=SOURCE,
        env=environment, capture_output=True, text=True, timeout=120,
        check=False, **arguments)


@pytest.mark.parametrize("path, number", [
    (README, 0), (QUANTITIES, 0)])
def test_a_call_prints_what_is_shown(path, number):
    call = snippets(path, "sh")[number]
    result = run(re.sub(r"^export PATH=.*\n", "", call))
    assert result.returncode == 0, result.stderr
    shown = snippets(path, "text")[number]

    def without_version(text):
        return re.sub(r"target \S+  server \S+", "", text).strip()

    assert without_version(result.stdout) == without_version(shown)


@pytest.mark.parametrize(
    "path", [README, ROBOTS, SERVER, QUANTITIES, TRAJECTORY])
def test_shell_lines_succeed(path, tmp_path):
    for block in snippets(path, "sh"):
        # The reader's own build directory; here PATH has this build's.
        block = re.sub(r"^export PATH=.*\n", "", block, flags=re.MULTILINE)
        result = run(f"export TMPDIR={tmp_path}\n" + in_folder(block, tmp_path))
        assert result.returncode == 0, block + result.stdout + result.stderr


@pytest.mark.parametrize("path", [README, PYTHON])
def test_python_programs_print_what_is_shown(path, tmp_path):
    """The blocks of a page are one program, and its text blocks the output,
    where it shows any."""
    program = "\n".join(snippets(path, "python"))
    assert "import torqued" in program
    result = subprocess.run(
        [sys.executable, "-W", "error", "-"],
        input=in_folder(program, tmp_path), cwd=SOURCE,
        env=dict(os.environ, PATH=BIN + ":" + os.environ["PATH"]),
        capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    if path == PYTHON:
        shown = "".join(snippets(path, "text"))
        assert result.stdout == in_folder(shown, tmp_path)


def test_client_program_prints_torques():
    result = run(os.path.join(BIN, "readme_client"))
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.split()) == 6


def test_tour_of_the_cpp_client_prints_what_is_shown():
    result = run(os.path.join(BIN, "cpp_tour"))
    assert result.returncode == 0, result.stderr
    assert result.stdout == "".join(snippets(CPP, "text"))


def test_in_process_program_prints_torques():
    result = run(os.path.join(BIN, "cpp_core"))
    assert result.returncode == 0, result.stderr
    back = re.search(r"back: (.*)", result.stdout).group(1).split()
    assert [round(float(x), 9) for x in back] == [2.0] * 7


def test_limits_of_a_file_are_taken(tmp_path):
    (tmp_path / "limits.json").write_text(*snippets(TRAJECTORY, "json limits"))
    move = tmp_path / "move.csv"
    run(f"python3 examples/robots/panda_pick_and_place.py -o {move}")
    result = run(f"torquectl trajectory check {move} --output json "
                 f"--model examples/robots/panda.urdf --limits {tmp_path}/limits.json")
    assert result.returncode in (0, 2), result.stderr
    limits = {joint["joint"]: joint["torque_limit"]
              for joint in json.loads(result.stdout)["joints"]}
    assert limits["panda_joint2"] == 80 and limits["panda_joint3"] == 87


def test_configuration_file_is_accepted(tmp_path):
    file = tmp_path / "torqued.toml"
    file.write_text(in_folder(snippets(SERVER, "toml config")[0], tmp_path))
    result = run(f"torqued --config {file} --print-config")
    assert result.returncode == 0, result.stderr
    assert "500000" in result.stdout
    # Twin: a key that does not exist is named.
    file.write_text("max-rowz = 1\n")
    result = run(f"torqued --config {file} --print-config")
    assert result.returncode == 64
    assert "max-rowz" in result.stderr


def test_files_that_pages_name_exist():
    pages = [Path(README), Path(SOURCE, "CONTRIBUTING.md"),
             *Path(SOURCE, "docs").glob("*.md")]
    found = [(page.name, name) for page in pages for name in re.findall(
        r"(?<![\w./-])(?:client|core|deploy|docs|proto|server|tests)/[\w/-]+(?:\.\w+)+",
        page.read_text(encoding="utf-8"))]
    assert ("architecture.md", "server/main.cc") in found
    assert not [entry for entry in found if not Path(SOURCE, entry[1]).is_file()]


def test_table_of_settings_is_that_of_the_help():
    """`settings_table.py` in this folder rewrites it."""
    page = Path(SERVER).read_text(encoding="utf-8")
    assert settings_table.written(page, run("torqued --help").stdout) == page


def test_tables_of_quantities_and_reasons_are_those_of_the_contract(tmp_path):
    protos = Path(SOURCE, "proto")
    files = sorted(protos.glob("torqued/v1/*.proto"))
    subprocess.run(
        ["protoc", f"-I{protos}", f"--plugin={protos}/plugin/protoc-gen-torqued",
         f"--torqued_out=pages:{tmp_path}", *files], check=True, timeout=60)
    pages = list(tmp_path.iterdir())
    assert len(pages) == 2
    for page in pages:
        assert page.read_text("utf-8") == Path(SOURCE, "docs", page.name).read_text("utf-8")
