"""The cases that the clients of all languages pass, in one call and in several,
blocking and not."""

import asyncio
import itertools

import pytest
import torqued
from conformance import (CASES, arguments_of, check_error, check_evaluation, model_files)

@pytest.fixture(scope="module")
def server():
    with torqued.local() as connected:
        for name, path in model_files().items():
            connected.register(name, path)
        yield connected.address


# Most states of a message, and whether calls are awaited.
@pytest.fixture(scope="module", params=itertools.product((1000, 1), (False, True)))
def ask(request, server):
    """Answers a case."""
    most, is_awaited = request.param
    loop = asyncio.new_event_loop()
    connect = torqued.aio.connect if is_awaited else torqued.connect

    def done(called):
        return loop.run_until_complete(wait(called)) if is_awaited else called

    async def wait(called):
        return await called

    def answer(case):
        if "register" in case:
            words = dict(case["register"])
            return done(client.register(words.pop("name"), words.pop("urdf"), **words))
        return done(done(client.model(case["model"])).compute(
            case["quantities"], bad_rows="nan", **arguments_of(case)))

    client = done(connect(server))
    client.connection.server.max_rows = most
    yield answer
    done(client.close())
    loop.close()


def check(case, answer):
    expected = case["expect"]
    if "error" in expected:
        with pytest.raises(torqued.TorquedError) as caught:
            answer()
        check_error(caught.value, expected["error"], ("start.", "chunk."))
    else:
        check_evaluation(answer(), expected)


@pytest.mark.parametrize("name", CASES)
def test_case(ask, name):
    case = CASES[name]
    check(case, lambda: ask(case))


def test_the_runner_finds_a_wrong_number(ask):
    case = CASES["inverse dynamics of panda"]
    evaluation = ask(case)
    check_evaluation(evaluation, case["expect"])
    evaluation.tau[1, 2] += 1e-8
    with pytest.raises(AssertionError):
        check_evaluation(evaluation, case["expect"])
