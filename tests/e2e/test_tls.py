"""TLS: who reaches the server, and certificates that change while it runs."""

import os
import ssl
import time

import grpc
import numpy as np
import pytest

import harness
from calls import ask, compute
from certificates import Authority, openssl

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("stranger"), "stranger")


@pytest.fixture
def pair(authority, tmp_path):
    """Files that a server reads, which a test replaces."""
    cert, key = tmp_path / "server.pem", tmp_path / "server.key"
    replace((cert, key), authority.issue("first"))
    return cert, key


def replace(pair, files):
    for target, source in zip(pair, files):
        draft = target.with_suffix(".draft")
        draft.write_bytes(source.read_bytes())
        os.replace(draft, target)


def flags(pair, *more):
    return ("--tls-cert", pair[0], "--tls-key", pair[1], *more)


def connect(server, ca, pair=None, name="localhost"):
    key, cert = ((pair[1].read_bytes(), pair[0].read_bytes()) if pair
                 else (None, None))
    return harness.Client(
        server.address, ("grpc.ssl_target_name_override", name),
        credentials=grpc.ssl_channel_credentials(ca.read_bytes(), key, cert))


def asks(client):
    return compute(client, "planar_2r", [ask.MASS_MATRIX], q=np.zeros((1, 2)))


def refused(server, *arguments, **options):
    with connect(server, *arguments, **options) as client:
        with pytest.raises(grpc.RpcError) as error:
            asks(client)
    return error.value.code() == UNAVAILABLE


def test_a_client_verifies_the_server(start, authority, stranger, pair):
    server = start(*flags(pair), listen="tls:127.0.0.1:0",
                   models=harness.example_models())
    with connect(server, authority.ca) as client:
        assert asks(client).rows == 1
    assert refused(server, stranger.ca)
    assert refused(server, authority.ca, name="elsewhere")
    # Without TLS nothing is served there.
    with harness.Client(server.address.removeprefix("tls:")) as client:
        with pytest.raises(grpc.RpcError):
            asks(client)


def test_certificates_of_clients_are_optional_or_required(
        start, authority, stranger, pair):
    mine, theirs = authority.issue("client"), stranger.issue("client")
    for listen in ("tls:127.0.0.1:0", "mtls:127.0.0.1:0"):
        server = start(*flags(pair, "--tls-client-ca", authority.ca),
                       listen=listen, models=harness.example_models())
        with connect(server, authority.ca, mine) as client:
            assert asks(client).rows == 1
        assert refused(server, authority.ca, theirs)
        if listen.startswith("mtls"):
            assert refused(server, authority.ca)
        else:
            with connect(server, authority.ca) as client:
                assert asks(client).rows == 1
        assert server.stop() == 0


def test_health_is_asked_over_tls(start, authority, stranger, pair):
    server = start(*flags(pair, "--tls-client-ca", authority.ca),
                   listen="mtls:127.0.0.1:0")
    cert, key = authority.issue("probe")

    def check(ca, *more):
        return harness.run_to_exit(
            "--health-check", server.address.replace("mtls:", "tls:"),
            "--tls-ca", ca, "--tls-server-name", "localhost", *more)

    assert check(authority.ca, "--tls-cert", cert, "--tls-key", key
                 ).returncode == 0
    assert check(authority.ca).returncode == 1
    assert check(stranger.ca, "--tls-cert", cert, "--tls-key", key
                 ).returncode == 1
    # Without an address it asks the server of the settings, with its files.
    settings = {"TORQUED_ADDRESS_FILE": str(server.address_file),
                "TORQUED_TLS_CERT": str(pair[0]),
                "TORQUED_TLS_KEY": str(pair[1])}
    own = harness.run_to_exit("--health-check", environment=settings)
    assert (own.returncode, own.stdout) == (0, "")
    missing = check(authority.directory / "nothing")
    assert missing.returncode == 1 and "--tls-ca: cannot read" in missing.stdout


@pytest.mark.slow
@pytest.mark.parametrize("vouched", [True, False])
def test_the_watchdog_asks_over_tls(start, authority, stranger, pair, vouched):
    ca = (authority if vouched else stranger).ca
    server = start(*flags(pair, "--tls-client-ca", ca), "--listen",
                   "mtls:127.0.0.1:0", listen="tls:127.0.0.1:0",
                   models=harness.example_models())
    server.address = server.address.split("\n")[0]
    # Longer than it takes to give up.
    time.sleep(18)
    with connect(server, authority.ca) as client:
        assert asks(client).rows == 1


@pytest.mark.slow
def test_the_watchdog_does_not_ask_with_a_certificate_that_has_expired(
        start, authority, tmp_path):
    server = start(*flags(authority.issue("short", seconds=12)),
                   "--tls-client-ca", authority.ca, "--listen",
                   "mtls:127.0.0.1:0", listen=f"unix:{tmp_path}/socket")
    time.sleep(12 + 18)  # as above
    assert "does not answer" not in server.log() and server.stop() == 0


def serial(address):
    """Of the certificate that a new connection is shown."""
    host, port = address.removeprefix("tls:").rsplit(":", 1)
    return ssl.get_server_certificate((host, int(port)))


def test_a_new_certificate_is_used_without_a_failed_connection(
        start, authority, pair, tmp_path):
    server = start(*flags(pair), listen="tls:127.0.0.1:0",
                   models=harness.example_models(),  # no copy is on a disk
                   environment={"TMPDIR": str(tmp_path / "none")})
    before = serial(server.address)
    with connect(server, authority.ca) as old:
        assert asks(old).rows == 1
        replace(pair, authority.issue("second"))
        give_up = time.monotonic() + harness.CALL_SECONDS
        while serial(server.address) == before:
            assert time.monotonic() < give_up
            with connect(server, authority.ca) as client:
                assert asks(client).rows == 1
        assert asks(old).rows == 1
    assert server.lines_when_there("certificate replaced")


def bad_pairs(authority, stranger, pair):
    """What an administrator may leave in place of a certificate and its key."""
    cert, key = (path.read_bytes() for path in authority.issue("good"))
    other = stranger.issue("other")[1].read_bytes()
    openssl("pkey", "-in", pair[1], "-aes256", "-passout", "pass:secret",
            "-out", authority.directory / "locked.key")
    locked = (authority.directory / "locked.key").read_bytes()
    late = authority.issue("late", seconds=0)
    time.sleep(1)
    return {
        "another key": (cert, other), "no key": (cert, b""),
        "no certificate": (b"", key), "nothing": (b"", b""),
        "half a certificate": (cert[:len(cert) // 2], key),
        "no PEM": (b"words", b"words"), "a locked key": (cert, locked),
        "expired": tuple(path.read_bytes() for path in late)}


@pytest.mark.slow
def test_bad_files_are_logged_and_the_old_ones_serve_on(
        start, authority, stranger, pair, tmp_path):
    server = start(*flags(pair), listen="tls:127.0.0.1:0",
                   models=harness.example_models())
    before = serial(server.address)
    for logged, (what, texts) in enumerate(
            bad_pairs(authority, stranger, pair).items()):
        for path, text in zip(pair, texts):
            path.write_bytes(text)
        # One file may be seen before the other.
        harness.until(
            lambda: server.log().count("certificate not replaced") > logged)
        assert serial(server.address) == before, what
        refused_start = harness.run_to_exit(
            "--store", tmp_path / "other.db", "--listen", "tls:127.0.0.1:0",
            *flags(pair))
        assert refused_start.returncode == 1, what
        assert "--tls-" in refused_start.stdout, what
        # So that the next one is a change.
        replace(pair, authority.issue(f"good-{logged}"))
        harness.until(lambda: serial(server.address) != before)
        before = serial(server.address)
    pair[0].unlink()
    assert server.lines_when_there("cannot read")
    assert serial(server.address) == before
    assert "secret" not in server.log()


def test_addresses_need_their_files(tmp_path):
    for listen, more, missing in (
            ("tls:127.0.0.1:0", (), "--tls-cert"),
            ("mtls:127.0.0.1:0", ("--tls-cert", "a"), "--tls-client-ca")):
        ended = harness.run_to_exit("--listen", listen, *more, "--store",
                                    tmp_path / "models.db")
        assert ended.returncode == 64
        assert f"{listen} needs {missing}" in ended.stdout
