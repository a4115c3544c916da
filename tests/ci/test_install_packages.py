"""deploy/debian/install-packages.sh where another apt-get is at work, with lists
and archives of its own."""

import fcntl
import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
SCRIPT = SOURCE / "deploy" / "debian" / "install-packages.sh"


@pytest.fixture(name="apt")
def fixture_apt(tmp_path):
    """An environment in which apt-get has its own state, finds no package
    installed, and one that could be, but is nowhere."""
    for directory in ("state/lists/partial", "cache/archives/partial", "dpkg",
                      "bin", "repository"):
        (tmp_path / directory).mkdir(parents=True)
    (tmp_path / "dpkg" / "status").write_text("")
    (tmp_path / "apt.conf").write_text(f"""
        Dir::State "{tmp_path}/state";
        Dir::State::status "{tmp_path}/dpkg/status";
        Dir::Cache "{tmp_path}/cache";
        Dir::Etc::sourcelist "{tmp_path}/sources.list";
        Dir::Etc::sourceparts "/dev/null";
        APT::Sandbox::User "root";
        """)
    (tmp_path / "sources.list").write_text(
        f"deb [trusted=yes] file:{tmp_path}/repository ./\n")
    (tmp_path / "repository" / "Packages").write_text(
        "Package: python3\nVersion: 99\nArchitecture: all\n"
        f"Filename: ./python3.deb\nSize: 1\nSHA256: {64 * '0'}\n")
    # What the script asks before it calls apt-get; and it must not ask for root.
    for name, line in (("dpkg-query", "exit 1"), ("id", "echo 0")):
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)
    return {**os.environ, "APT_CONFIG": str(tmp_path / "apt.conf"),
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}


@pytest.mark.parametrize("lock", [
    "state/lists/lock", "dpkg/lock-frontend", "cache/archives/lock"])
def test_waits_until_the_lock_is_free(apt, tmp_path, lock):
    with open(tmp_path / lock, "w", encoding="utf-8") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        with subprocess.Popen(
                [SCRIPT, "demo"], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True,
                env={**apt, "APT_LOCK_SECONDS": "60"}) as script:
            try:
                said = script.stderr.readline()
                assert said.startswith("Waiting: "), said
                assert lock in said and str(os.getpid()) in said
                assert script.poll() is None
                fcntl.lockf(held, fcntl.LOCK_UN)
                _, errors = script.communicate(timeout=60)
            finally:
                script.kill()
    assert "Failed to fetch" in errors and "python3.deb" in errors


def test_gives_up_in_the_end(apt, tmp_path):
    lock = tmp_path / "state" / "lists" / "lock"
    with open(lock, "w", encoding="utf-8") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        done = subprocess.run(
            [SCRIPT, "demo"], capture_output=True, text=True, check=False,
            timeout=60, env={**apt, "APT_LOCK_SECONDS": "0"})
    assert done.returncode != 0
    assert f"Could not get lock {lock}" in done.stderr


def shell_files():
    """Of the source, without what is built or downloaded."""
    for directory, directories, names in os.walk(SOURCE):
        directories[:] = [name for name in directories
                          if name not in (".git", "build", "node_modules")]
        for name in names:
            path = pathlib.Path(directory, name)
            if name in ("Dockerfile", "Makefile") or name.endswith(".sh"):
                yield path
            elif path.parent == SOURCE / ".ci":
                yield path


def apt_get_calls(text):
    """Lines that call apt-get for what may take dpkg's lock. A message that
    names apt-get stands in quotes."""
    for line in text.replace("\\\n", " ").splitlines():
        bare = re.sub(r"""(?:^|\s)#.*|"(?!\$@)[^"]*"|'[^']*'""", "", line)
        if re.search(r"\bapt-get\s+(?!indextargets|clean)", bare):
            yield bare.strip()


def test_every_call_of_apt_get_waits_for_the_lock_of_dpkg():
    calls = [(path, call) for path in shell_files()
             for call in apt_get_calls(path.read_text(encoding="utf-8"))]
    assert {path.name for path, _ in calls} >= {
        "install-packages.sh", "make-base.sh", "debian-test.sh"}
    assert [(str(path), call) for path, call in calls
            if "DPkg::Lock::Timeout=" not in call
            # Which waits for all locks by itself.
            and path != SCRIPT] == []


@pytest.mark.parametrize("line, called", [
    ("offline apt-get update -qq", True),
    (" && apt-get \\\n install x", True), (" && apt-get clean", False),
    ('fail "apt-get install"', False), ("# apt-get update", False),
    ("mirror=$(apt-get indextargets --format)", False)])
def test_a_call_of_apt_get_is_found(line, called):
    assert bool(list(apt_get_calls(line))) is called
