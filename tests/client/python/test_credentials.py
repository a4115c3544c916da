"""TLS and tokens, with the Python clients and torquectl."""

import asyncio
import hashlib
import os
import pathlib
import re
import socket
import subprocess

import numpy as np
import pytest
import torqued
import torqued.aio

from certificates import Authority
from conftest import MODELS
from ports import held_address

TORQUECTL = pathlib.Path(os.environ["TEST_BIN"], "torquectl")
TOKEN, BOSS = "tqd_planner", "tqd_boss"
Q = np.zeros((3, 2))


class Place:
    """A server with rights at four addresses, and the files of its clients."""

    def __init__(self, directory):
        authority = Authority(directory)
        self.ca, self.directory = authority.ca, directory
        self.stranger = Authority(directory, "stranger").ca
        self.arm = dict(zip(("tls_cert", "tls_key"),
                            authority.issue("arm", "DNS:arm.example")))
        cert, key = authority.issue("server")
        rights = self.file("rights.toml", '[arm]\nsan = "arm.example"\n'
                           'role = "evaluate"\n' + "".join(
                               f'[{role}]\nrole = "{role}"\nmodels = "{models}"\nsha256 = '
                               f'"{hashlib.sha256(token.encode()).hexdigest()}"\n'
                               for role, token, models in (
                                   ("evaluate", TOKEN, "planar_*"),
                                   ("administer", BOSS, "*"))))
        self.plain = held_address()
        port, mtls = (held_address().rpartition(":")[2] for _ in range(2))
        self.tls, self.mtls = f"tls:localhost:{port}", f"tls:localhost:{mtls}"
        self.by_number = f"tls:127.0.0.1:{port}"
        self.server = torqued.LocalServer(arguments=[
            "--models", str(MODELS),
            "--listen", self.plain, "--listen", self.by_number,
            "--listen", f"mtls:127.0.0.1:{mtls}", "--tls-cert", str(cert),
            "--tls-key", str(key), "--tls-client-ca", str(self.ca),
            "--rights", str(rights)])

    def file(self, name, text):
        (self.directory / name).write_text(text)
        return self.directory / name


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    made = Place(tmp_path_factory.mktemp("place"))
    with made.server:
        yield made


def by_python(address, delete=False, **options):
    """The failure of a client, or nothing."""
    async def ask():
        async with torqued.aio.connect(address, **options) as client:
            assert await client.health() == torqued.Health.SERVING
            robot = await client.model("planar_2r")
            await robot.compute(["mass_matrix"], Q)

    try:
        with torqued.connect(address, **options) as client:
            if delete:
                client.delete("panda", expected_current="")
            assert client.health() == torqued.Health.SERVING
            robot = client.model("planar_2r")
            robot.mass_matrix(Q)
            robot.compute(["mass_matrix"], Q)
        asyncio.run(ask())
    except torqued.TorquedError as error:
        return f"{error.code} {error.reason and error.reason.name} ({error.field}) {error}"
    return ""


def by_torquectl(address, delete=False, token="", exit_code=1, **options):
    command = ("models", "rm", "panda", "--expected-current", "0" * 64) if delete else (
        "mass-matrix", "--model", "planar_2r", "--q", "0,0")
    flags = (word for option, value in options.items()
             for word in ("--" + option.replace("_", "-"), value))
    done = subprocess.run(
        [TORQUECTL, "--server", address, *command, *flags],
        env={**os.environ, **({"TORQUED_TOKEN": token} if token else {})},
        capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == 0:
        return ""  # a slow machine sees how far it is on stderr
    assert done.returncode == exit_code, done.stderr
    return done.stderr


@pytest.fixture(params=[by_python, by_torquectl], ids=["python", "torquectl"])
def ask(request, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://proxy.invalid")
    return request.param


def test_a_certificate_or_a_token_says_who_the_client_is(ask, place, monkeypatch):
    token_file = place.file("token", f"{TOKEN} \r\n\n")
    assert ask(place.mtls, tls_ca=place.ca, **place.arm) == ""
    assert ask(place.tls, tls_ca=place.ca, token=TOKEN) == ""
    assert ask(place.by_number, tls_ca=place.ca, token_file=token_file,
               tls_server_name="localhost") == ""
    # Without TLS, within this machine.
    assert ask(place.plain, token=TOKEN) == ""
    assert ask(place.server.address, token_file=token_file) == ""
    monkeypatch.setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", str(place.ca))
    monkeypatch.setenv("TORQUED_TOKEN", TOKEN)
    assert ask(place.tls) == ""
    # What is given counts more.
    assert "UNAUTHENTICATED" in ask(place.tls, token_file=place.file("x", "x"))


def test_the_server_says_who_is_unknown_and_who_may_not(ask, place):
    none = ask(place.tls, tls_ca=place.ca)
    assert "UNAUTHENTICATED" in none and "needs a token" in none
    denied = ask(place.tls, tls_ca=place.ca, token=TOKEN, delete=True)
    assert "PERMISSION_DENIED" in denied and "administer" in denied
    assert "REVISION_CONFLICT" in ask(place.tls, tls_ca=place.ca, token=BOSS, delete=True)


@pytest.mark.parametrize("command", [("id", "--states"), ("trajectory", "check")])
def test_a_client_of_some_models_may_use_files_with_them(place, command):
    columns = ",".join(f"joint{k}.{of}" for of in "qva" for k in (1, 2))
    file = place.file("move.csv", f"time,{columns}\n0{',0' * 6}\n1{',0' * 6}\n")
    done = subprocess.run(
        [TORQUECTL, "--server", place.plain, *command, file, "--model", "planar_2r"],
        env={**os.environ, "TORQUED_TOKEN": TOKEN}, capture_output=True, text=True,
        timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_connection_that_is_not_trusted_is_not_made(ask, place):
    for address, options, why in (
            (place.tls, {"tls_ca": place.stranger}, "ertificate verify failed"),
            (place.by_number, {"tls_ca": place.ca}, "name 127.0.0.1 is not in"),
            (place.tls, {"tls_ca": place.ca, "tls_server_name": "other"},
             "name other is not in"),
            (place.mtls, {"tls_ca": place.ca}, "")):
        failure = ask(address, token=TOKEN, **options)
        assert f"no connection to {address}" in failure and why in failure


def test_what_does_not_fit_is_refused_before_anything_is_sent(ask, place):
    good, text = place.file("good", TOKEN), place.file("text", "two words")
    empty = place.file("empty", "\n")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        plain = f"ipv4:127.0.0.1:{listener.getsockname()[1]}"
        tls = plain.replace("ipv4", "tls")
        for address, options, option, why in (
                (plain, {"token_file": good}, "token_file", "only to tls:HOST"),
                ("192.0.2.1", {"token_file": good}, "token_file",
                 "not to 192.0.2.1:7421"),
                ("127.example", {"token": TOKEN}, "token|TORQUED_TOKEN",
                 "not to 127.example"),
                (tls, {"token_file": text}, "token_file", "no spaces"),
                (tls, {"token_file": empty}, "token_file", "empty"),
                (tls, {"tls_ca": text}, "tls_ca", "text is not a PEM file"),
                (tls, {"tls_ca": "/nowhere"}, "tls_ca",
                 "cannot read /nowhere: No such file"),
                (tls, {**place.arm, "tls_key": empty}, "tls_key",
                 "empty is not a PEM file")):
            failure = ask(address, **options)
            named = failure.replace("--", "").replace("-", "_")
            assert re.search(rf"\(({option})\)", named), failure
            assert "INVALID_OPTION" in failure and why in failure, failure
            assert TOKEN not in failure
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.parametrize("address, options", [
    ("localhost", {"tls_ca": "a"}), ("localhost", {"tls_server_name": "a"}),
    ("tls:localhost", {"tls_cert": "a"})])
def test_options_of_another_kind_of_address_are_refused(address, options):
    by_torquectl(address, exit_code=64, **options)
    with pytest.raises(torqued.InvalidArgument, match="tls[_:]"):
        torqued.connect(address, **options)


@pytest.mark.parametrize("token", ["secr\u00e9t", "secret\n", b"secret", ""])
def test_what_is_no_token_is_refused_and_not_shown(token):
    with pytest.raises(torqued.InvalidArgument, match="token: ") as caught:
        torqued.connect("tls:localhost", token=token)
    assert "secr" not in str(caught.value)
    assert "secret" not in repr(torqued.Settings("a", token="secret"))
