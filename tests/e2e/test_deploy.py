"""Files of deploy/ start a server."""

import pathlib
import re
import time

import pytest

import harness
from processes import running

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"


def settings(tmp_path, text):
    """A file with the paths and a free port of a test."""
    file = tmp_path / "torqued.toml"
    file.write_text(text.replace("/var/lib/torqued", str(tmp_path))
                    .replace("0.0.0.0:7421", "0.0.0.0:0"))
    return file


@pytest.mark.parametrize("flags", [(), ("--listen", "127.0.0.1:0")])
def test_the_image_says_how_to_go_on_and_checks_its_health(tmp_path, flags):
    file = settings(tmp_path, (DEPLOY / "image/torqued.toml").read_text())
    image = {"TORQUED_CONFIG": str(file),
             "TORQUED_STORE": str(tmp_path / "models.db")}
    if not flags:
        ended = harness.run_to_exit(environment=image)
        assert ended.returncode == 2
        for way in ("tls:", "--rights", "TORQUED_INSECURE=on"):
            assert way in ended.stdout
    image["TORQUED_INSECURE"] = "on"
    with running(harness.server_binary(), *flags,
                 env=harness.clean_environment(**image)):
        give_up = time.monotonic() + harness.START_SECONDS
        while (check := harness.run_to_exit(
                "--health-check", environment=image)).returncode:
            assert time.monotonic() < give_up, check.stdout
            time.sleep(0.05)


def test_the_label_of_the_image_is_the_version():
    label = re.search(r"^ARG VERSION=(\S+)$",
                      (DEPLOY.parent / "Dockerfile").read_text(), re.M)[1]
    assert harness.run_to_exit("--version").stdout == f"torqued {label}\n"
