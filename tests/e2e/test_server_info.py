"""What a server tells about itself, and the targets that it can be told to use."""

import json

import numpy as np
from torqued.v1 import server_info_pb2 as info_pb

import harness
from calls import RESULT_ARRAYS, States, everything_request
from harness import same_bits, table


def info_of(client):
    return client.info.GetServerInfo(info_pb.GetServerInfoRequest())


def test_the_info_is_that_of_the_settings(start):
    server = start("--threads", 3, "--max-rows", 1234,
                   "--max-message-bytes", 5 << 20,
                   "--max-inflight-bytes", 1 << 40,
                   "--max-inflight-streams", 77)
    with harness.Client(server.address) as client:
        info = info_of(client)
        assert info.server_version.count(".") == 2
        assert info.threads == 3
        assert info.max_rows == 1234
        assert info.max_message_bytes == 5 << 20
        assert info.max_inflight_bytes == 1 << 40
        assert info.max_inflight_streams == 77
        assert info.revision_layout == "2"
        assert info.target == info.targets[0].name
        assert info.targets[-1].name == "baseline"
        for target in info.targets:
            assert 1 <= target.lanes_double <= target.lanes_single


def test_every_target_can_be_forced_and_they_agree(start):
    states = States(7, 33)
    request = everything_request("panda", states)
    answers = {}

    def started(**environment):
        return start("--log-format", "json", models=harness.example_models(),
                     environment=environment)

    server = started()
    with harness.Client(server.address) as client:
        names = [target.name for target in info_of(client).targets]
        widest = client.dynamics.Compute(request)
        assert widest.echo.target == names[0]
    assert server.stop() == 0
    for name in names:
        server = started(TORQUED_ISA=name)
        with harness.Client(server.address) as client:
            info = info_of(client)
            assert info.target == name
            assert [target.name for target in info.targets] == names
            answers[name] = client.dynamics.Compute(request)
            assert answers[name].echo.target == name
        assert server.stop() == 0
        # The log goes on from server to server.
        *_, serving = (line for line in map(
            json.loads, server.log().splitlines())
            if line["message"] == "serving")
        assert serving["target"] == name
        assert serving["available_targets"] == ",".join(names)
    assert answers[names[0]].results == widest.results
    for name in names:
        for result in RESULT_ARRAYS:
            numbers, wanted = (
                table(getattr(reply.results, result))
                for reply in (answers[name], widest))
            # Of what solves with M or W, the condition is a few thousand.
            np.testing.assert_allclose(
                numbers, wanted, rtol=0,
                atol=1e-8 * np.abs(wanted).max(), err_msg=f"{name} {result}")
    if len(names) > 1:  # otherwise nothing was forced
        assert not all(
            same_bits(table(getattr(answers["baseline"].results, result)),
                      table(getattr(widest.results, result)))
            for result in RESULT_ARRAYS)
