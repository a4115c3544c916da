"""Keywords that there are not are refused, with the nearest that there is."""

import asyncio

import numpy as np
import pytest
import torqued
import torqued.aio
from conftest import MODELS

PANDA = MODELS / "panda.urdf"
STATE = np.zeros(7)


def of_a_robot(function, *states):
    return lambda client, words: getattr(
        client.model("panda"), function)(*states, **words)


# what is called, the keyword, what it may have meant
CALLS = [
    (lambda client, words: client.register("panda", PANDA, **words),
     "expect", "expected_current"),
    (lambda client, words: client.register("panda", PANDA, **words),
     "labell", "label"),
    (lambda client, words: client.register("panda", PANDA, **words),
     "tip", "tip_frame"),
    (lambda client, words: client.register("panda", PANDA, **words),
     "default_tip", "tip_frame"),
    (lambda client, words: client.validate(PANDA, **words),
     "tip_fram", "tip_frame"),
    (lambda client, words: client.delete("panda", **words),
     "expect", "expected_current"),
    (of_a_robot("inverse_dynamics", STATE), "gravitiy", "gravity"),
    (of_a_robot("compute", ["mass_matrix"], STATE), "tip", "tip_frame"),
    (of_a_robot("with_options"), "pay_load", "payload"),
    (of_a_robot("check_trajectory", torqued.Trajectory([0, 1], [STATE] * 2)),
     "derating_factor", "derating")]
MADE = [
    (lambda words: torqued.connect("localhost:1", **words),
     "dedline", "deadline"),
    (lambda words: torqued.aio.connect("localhost:1", **words),
     "wait", "wait_for_server"),
    (lambda words: torqued.local(**words), "chunkrows", "chunk_rows"),
    (lambda words: torqued.aio.local(**words), "retries", "retry"),
    (lambda words: torqued.LocalServer(**words), "model", "models"),
    (lambda words: torqued.Robot.from_urdf(PANDA, **words),
     "expected", "expected_current"),
    (lambda words: torqued.aio.Robot.from_urdf(PANDA, **words),
     "labels", "label"),
    (lambda words: torqued.Payload(1.0, **words), "com", "center_of_mass"),
    (lambda words: torqued.ExternalWrench([0] * 6, **words),
     "frame_", "frame"),
    (lambda words: torqued.Options(**words), "axis", "axes"),
    (lambda words: torqued.Settings("a:1", **words), "tries", "retry"),
    (lambda words: torqued.Trajectory([0], [[0]], **words),
     "joints", "joint_names")]


@pytest.mark.parametrize("call, word, meant", CALLS)
def test_of_calls(client, call, word, meant):
    before = client.describe("panda").revision
    with pytest.raises(TypeError, match=f"{word!r}.*{meant!r}"):
        call(client, {word: ""})
    assert client.describe("panda").revision == before

    async def asynchronous():
        async with torqued.aio.connect(client.address) as waiting:
            robot = await waiting.model("panda")

            class Known:
                """The robot, which is there already."""
                model = staticmethod(lambda name: robot)
                register, validate = waiting.register, waiting.validate
                delete = waiting.delete

            await call(Known, {word: ""})

    with pytest.raises(TypeError, match=f"{word!r}.*{meant!r}"):
        asyncio.run(asynchronous())


@pytest.mark.parametrize("make, word, meant", MADE)
def test_of_what_is_made(make, word, meant):
    with pytest.raises(TypeError, match=f"{word!r}.*{meant}"):
        make({word: 1})


def test_a_word_that_is_near_to_none_is_told_all(client):
    with pytest.raises(TypeError, match="there are .*label.*tip_frame"):
        client.register("panda", PANDA, zzz=1)


def test_what_only_a_registration_has_is_refused_without_one(client):
    with pytest.raises(TypeError, match="'label'"):
        client.validate(PANDA, label="v1")


def test_limits_that_there_are_not_are_told_with_the_nearest(panda):
    motion = torqued.Trajectory([0, 1], [STATE] * 2, [STATE] * 2, [STATE] * 2)
    with pytest.raises(torqued.InvalidArgument, match="did you mean 'effort'"):
        panda.check_trajectory(
            motion, limits={"panda_joint1": {"efort": 3}})
