"""What .dockerignore admits is enough for the Dockerfile."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
DOCKERFILE = (SOURCE / "Dockerfile").read_text()


def admitted():
    lines = (SOURCE / ".dockerignore").read_text().splitlines()
    everything, *exceptions = [line for line in lines
                               if line and not line.startswith("#")]
    assert everything == "*"
    # Plain paths alone: patterns would have to be matched here too.
    assert all(re.fullmatch(r"![\w./-]+", line) for line in exceptions)
    return [line.removeprefix("!") for line in exceptions]


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    directory = tmp_path_factory.mktemp("context")
    for name in admitted():
        source, target = SOURCE / name, directory / name
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    yield directory
    shutil.rmtree(directory)


def test_what_is_copied_is_there(context):
    copied = [path for arguments in re.findall(
        r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE)
        for path in arguments.split()]
    assert len(copied) >= 3
    for path in copied:
        assert (context / path).exists(), path


def test_it_can_be_configured_and_lacks_no_source(context):
    commands = [shlex.split(command) for command in re.findall(
        r"\bcmake --.*?(?= *\\?$)", DOCKERFILE, re.MULTILINE)]
    assert [command[1] for command in commands] == ["--preset", "--build"]
    # Nothing is compiled: ninja only looks for what it would need.
    commands[1] += ["--", "-n"]
    for command in commands:
        result = subprocess.run(command, cwd=context, capture_output=True,
                                text=True, timeout=600, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
