"""Who may do what: tokens, certificates, Unix sockets, and a server that takes no
registrations."""

import os
import re
import stat
import time

import grpc
import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb
from torqued.v1 import server_info_pb2, trajectory_pb2

import harness
import robots
from calls import ask, compute_request
from certificates import Authority
from harness import failure_of
from streams import GOOD, evaluate

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
DENIED = grpc.StatusCode.PERMISSION_DENIED
ROLES = ["evaluate", "register", "administer"]
# The least role that each method needs; evaluate for all others.
NEEDS = {"ValidateModel": 1, "RegisterModel": 1, "DeleteModel": 2}
METHODS = [
    (f"/{service.full_name}/{method.name}", method.name)
    for file in (pb, registry_pb, server_info_pb2, trajectory_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods]


def create(file, name, role, *more, **options):
    done = harness.run_to_exit("token", "create", name, "--role", role,
                               "--rights", file, *more, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout.strip()


@pytest.fixture
def rights(tmp_path):
    return tmp_path / "rights.toml"


@pytest.fixture
def tokens(rights):
    """A token of each role."""
    return [create(rights, f"the-{role}", role) for role in ROLES]


def bearer(token):
    return {"metadata": (("authorization", f"Bearer {token}"),)}


def code_of(client, method, token=None):
    """Of a call with an empty message."""
    call = client.channel.stream_stream(method)(
        iter([b""]), timeout=harness.CALL_SECONDS,
        **(bearer(token) if token else {}))
    try:
        list(call)
    except grpc.RpcError:
        pass
    return call.code()


def masses(model="planar_2r"):
    return compute_request(model, [ask.MASS_MATRIX], q=np.zeros((1, 2)))


def test_every_method_needs_a_client_and_its_role(start, rights, tokens):
    server = start("--rights", rights, models=harness.example_models())
    assert len(METHODS) > 10
    with harness.Client(server.address) as client:
        for method, name in METHODS:
            assert code_of(client, method) == UNAUTHENTICATED, name
            assert code_of(client, method, "tqd_0") == UNAUTHENTICATED, name
            for rank, token in enumerate(tokens):
                denied = code_of(client, method, token) == DENIED
                assert denied == (rank < NEEDS.get(name, 0)), (name, rank)
        # Health needs no right, and the schema is served to nobody.
        assert code_of(client, "/grpc.health.v1.Health/Check") == (
            grpc.StatusCode.OK)
        assert code_of(
            client, "/grpc.reflection.v1alpha.ServerReflection/"
            "ServerReflectionInfo") == grpc.StatusCode.UNIMPLEMENTED


def test_refusals_say_what_is_missing(start, rights, tokens):
    server = start("--rights", rights, models=harness.example_models())
    with harness.Client(server.address) as client:
        none = failure_of(client.dynamics.Compute, masses())
        assert none.reason == "UNAUTHENTICATED"
        assert "token" in none.message and "certificate" in none.message
        wrong = failure_of(client.dynamics.Compute, masses(), **bearer("tqd_1"))
        assert "unknown" in wrong.message
        denied = failure_of(
            client.registry.DeleteModel,
            registry_pb.DeleteModelRequest(name="panda"), **bearer(tokens[1]))
        assert denied.reason == "PERMISSION_DENIED"
        assert denied.metadata["role"] == "administer"
        assert denied.metadata["client"] == "the-register"
        assert client.dynamics.Compute(masses(), **bearer(tokens[0])).rows == 1
    assert server.lines_when_there("client=the-register")
    assert not any(token in server.log() for token in tokens)


def test_a_pattern_limits_the_models(start, rights, tokens):
    token = create(rights, "arm", "register", "--models", "planar_*")
    server = start("--rights", rights, models=harness.example_models())
    with harness.Client(server.address) as client:
        mine = bearer(token)
        assert client.dynamics.Compute(masses(), **mine).rows == 1
        listed = client.registry.ListModels(
            registry_pb.ListModelsRequest(page_size=1), **mine)
        assert [model.name for model in listed.models] == ["planar_2r"]
        assert not listed.next_page_token
        unknown = failure_of(client.dynamics.Compute, masses("planar_3r"), **mine)
        assert unknown.message == "no model is named 'planar_3r'"
        revision = listed.models[0].revision
        for model in ("panda", f"@{revision}", revision):
            failure = failure_of(client.dynamics.Compute, masses(model), **mine)
            assert failure.reason == "PERMISSION_DENIED", model
            assert failure.metadata["models"] == "planar_*"
        failure = failure_of(
            client.registry.RegisterModel, registry_pb.RegisterModelRequest(
                name="other", source=robots.pendulum().encode()), **mine)
        assert failure.reason == "PERMISSION_DENIED"
        with pytest.raises(grpc.RpcError) as error:
            list(client.dynamics.Evaluate(iter(GOOD), **mine))
        assert harness.Failure.of(error.value).reason == "PERMISSION_DENIED"
        everything = client.registry.ListModels(
            registry_pb.ListModelsRequest(), **bearer(tokens[0]))
        assert len(everything.models) == 3


def test_certificates_have_rights_by_their_names(start, rights, tmp_path):
    authority = Authority(tmp_path)
    cert, key = authority.issue("server")
    rights.write_text('[arm]\nsan = "arm.example"\nrole = "evaluate"\n'
                      '[cell]\nsan = "spiffe://plant/cell"\n'
                      'role = "administer"\n')
    server = start("--rights", rights, "--tls-cert", cert, "--tls-key", key,
                   "--tls-client-ca", authority.ca, listen="mtls:127.0.0.1:0",
                   models=harness.example_models())

    def reason(san):
        mine = authority.issue("client", san)
        with harness.Client(
                server.address, ("grpc.ssl_target_name_override", "localhost"),
                credentials=grpc.ssl_channel_credentials(
                    authority.ca.read_bytes(), mine[1].read_bytes(),
                    mine[0].read_bytes())) as client:
            return failure_of(client.registry.DeleteModel,
                              registry_pb.DeleteModelRequest(name="none")).reason

    assert reason("DNS:arm.example") == "PERMISSION_DENIED"
    assert reason("DNS:x.example,URI:spiffe://plant/cell") == "MODEL_NOT_FOUND"
    assert reason("DNS:stranger.example") == "UNAUTHENTICATED"


def test_unix_sockets_have_a_role_of_their_own(start, rights, tmp_path):
    listen = f"unix:{tmp_path}/socket"
    for role, reason in (("register", "PERMISSION_DENIED"),
                         ("administer", "MODEL_NOT_FOUND"),
                         (None, "UNAUTHENTICATED")):
        rights.write_text(f'unix = "{role}"\n' if role else "")
        server = start("--rights", rights, listen=listen)
        with harness.Client(server.address) as client:
            assert failure_of(
                client.registry.DeleteModel,
                registry_pb.DeleteModelRequest(name="none")).reason == reason
        assert server.stop() == 0


def test_connections_of_a_client_share_its_half(start, rights, tokens):
    server = start("--rights", rights, "--max-inflight-streams", 2,
                   models=harness.example_models())
    with harness.Client(server.address) as one, \
            harness.Client(server.address) as other:
        stream = one.channel.stream_stream("/torqued.v1.Dynamics/Evaluate")

        def forever():
            yield GOOD[0].SerializeToString()
            yield GOOD[1].SerializeToString()
            time.sleep(20)

        call = stream(forever(), timeout=30, **bearer(tokens[0]))
        next(call)
        with pytest.raises(grpc.RpcError) as error:
            list(other.dynamics.Evaluate(iter(GOOD), **bearer(tokens[0])))
        assert harness.Failure.of(error.value).reason == "OVERLOADED"
        assert len(list(other.dynamics.Evaluate(
            iter(GOOD), **bearer(tokens[1])))) == 2
        call.cancel()


def test_rights_change_while_the_server_runs(start, rights, tokens):
    server = start("--rights", rights, models=harness.example_models())
    good = rights.read_text()
    with harness.Client(server.address) as client:
        new = create(rights, "new", "evaluate")
        harness.until(
            lambda: code_of(client, METHODS[0][0], new) != UNAUTHENTICATED)
        for text, problem in (
                ("[a", "line 1"), ('[a]\nrole = "boss"\n', "role"),
                ('[a]\nsha256 = "0"\nrole = "evaluate"\n', "a.sha256"),
                ('[a]\nrole = "evaluate"\n', "neither"),
                ('[a]\npassword = "x"\n', "known are"), ("x = 1\n", "'x'")):
            refused = server.log().count("rights not replaced")
            rights.write_text(text)
            harness.until(
                lambda: server.log().count("rights not replaced") != refused)
            *_, line = server.lines_when_there("rights not replaced")
            assert problem in line and str(rights) in line
            assert client.dynamics.Compute(masses(), **bearer(new)).rows == 1
        rights.write_text(good)
        harness.until(
            lambda: code_of(client, METHODS[0][0], new) == UNAUTHENTICATED)


def test_a_bad_file_ends_the_start(rights, tmp_path):
    rights.write_text('[a]\nrole = "boss"\n')
    ended = harness.run_to_exit("--rights", rights, "--store",
                                tmp_path / "models.db")
    assert ended.returncode == 1
    assert f"--rights: {rights}: line 2: 'a.role'" in ended.stdout


def test_a_token_is_printed_once_and_kept_as_a_hash(rights):
    token = create(rights, "planner", "evaluate", "--models", "arm_*")
    assert re.fullmatch("tqd_[0-9a-f]{64}", token)
    text = rights.read_text()
    assert token not in text and 'models = "arm_*"' in text
    assert stat.S_IMODE(os.stat(rights).st_mode) == 0o600
    again = harness.run_to_exit("token", "create", "planner", "--role",
                                "evaluate", "--rights", rights)
    assert again.returncode == 1 and "already" in again.stdout
    assert rights.read_text() == text
    for wrong in (("token",), ("token", "create", "--role", "evaluate"),
                  ("token", "create", "a", "--role", "boss"),
                  ("token", "create", "a", "--role", "evaluate")):
        assert harness.run_to_exit(*wrong).returncode == 64, wrong
    named = harness.run_to_exit("token", "create", "a.b", "--role", "evaluate",
                                "--rights", rights)
    assert named.returncode == 1 and "letters, digits" in named.stdout


def test_a_server_that_only_reads_takes_no_registrations(start):
    server = start("--read-only", models=harness.example_models())
    with harness.Client(server.address) as client:
        for call, request in (
                (client.registry.RegisterModel, registry_pb.RegisterModelRequest(
                    name="a", source=robots.pendulum().encode())),
                (client.registry.DeleteModel,
                 registry_pb.DeleteModelRequest(name="panda"))):
            failure = failure_of(call, request)
            assert failure.code == DENIED and failure.reason == "READ_ONLY"
            assert "--read-only" in failure.message
        assert len(evaluate(client, *GOOD)) == 2


def test_other_machines_are_served_with_tls_and_rights_or_insecurely(
        start, rights, tokens, tmp_path):
    assert len(tokens) == 3
    cert, key = Authority(tmp_path).issue("server")
    tls = ("--tls-cert", cert, "--tls-key", key)
    for listen, more in (("0.0.0.0:0", ()), ("[::]:0", ("--rights", rights)),
                         ("tls:0.0.0.0:0", tls)):
        ended = harness.run_to_exit("--listen", listen, *more, "--store",
                                    tmp_path / "models.db")
        assert ended.returncode == 64
        assert "--rights; --insecure (TORQUED_INSECURE=on) serves everybody" in ended.stdout
    for listen, more in (("0.0.0.0:0", ("--insecure",)),
                         ("tls:0.0.0.0:0", (*tls, "--rights", rights))):
        assert start(*more, listen=listen).stop() == 0
