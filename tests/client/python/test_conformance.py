"""The cases that the clients of all languages pass, in one call and in several,
blocking and not."""

import asyncio

import pytest
import torqued
from conformance import (CASES, arguments_of, check_error, check_evaluation, model_files)

# States of a message.
CHUNKS = (1000, 1)


@pytest.fixture(scope="module")
def server():
    with torqued.local() as connected:
        for name, path in model_files().items():
            connected.register(name, path)
        yield connected.address


@pytest.fixture(scope="module", params=CHUNKS)
def client(request, server):
    with torqued.connect(server, chunk_rows=request.param) as connected:
        yield connected


@pytest.fixture(scope="module")
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture(scope="module")
def waiting_client(client, loop):
    connected = loop.run_until_complete(
        _connect(client.address, client.connection.settings.chunk_rows))
    yield connected
    loop.run_until_complete(connected.close())


async def _connect(address, chunk_rows):
    return await torqued.aio.connect(address, chunk_rows=chunk_rows)


def ask(client, case):
    if "register" in case:
        words = dict(case["register"])
        return client.register(words.pop("name"), words.pop("urdf"), **words)
    return client.model(case["model"]).compute(
        case["quantities"], bad_rows="nan", **arguments_of(case))


async def ask_waiting(client, case):
    if "register" in case:
        words = dict(case["register"])
        return await client.register(words.pop("name"), words.pop("urdf"), **words)
    robot = await client.model(case["model"])
    return await robot.compute(case["quantities"], bad_rows="nan", **arguments_of(case))


def check(case, answer):
    expected = case["expect"]
    if "error" in expected:
        with pytest.raises(torqued.TorquedError) as caught:
            answer()
        check_error(caught.value, expected["error"], ("start.", "chunk."))
    else:
        check_evaluation(answer(), expected)


@pytest.mark.parametrize("name", CASES)
def test_case(client, name):
    case = CASES[name]
    check(case, lambda: ask(client, case))


@pytest.mark.parametrize("name", CASES)
def test_case_without_blocking(waiting_client, loop, name):
    case = CASES[name]
    check(case, lambda: loop.run_until_complete(ask_waiting(waiting_client, case)))


# --- That the runner can fail ------------------------------------------------


def test_a_wrong_number_is_found(client):
    case = CASES["inverse dynamics of panda"]
    evaluation = ask(client, case)
    check_evaluation(evaluation, case["expect"])
    evaluation.tau[1, 2] += 1e-8
    with pytest.raises(AssertionError):
        check_evaluation(evaluation, case["expect"])
