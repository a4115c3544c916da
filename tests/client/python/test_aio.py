"""The client for asyncio, beyond the cases that it shares with the other."""

import asyncio

import numpy as np
import pytest
import torqued
import torqued.aio
from conftest import MODELS


def run(function, *arguments):
    async def limited():
        return await asyncio.wait_for(function(*arguments), 60)

    return asyncio.run(limited())


def test_a_local_server_and_models():
    async def compute():
        async with torqued.aio.local([MODELS]) as client:
            assert "panda" in [m.name for m in await client.models()]
            assert await client.health() is torqued.Health.SERVING
            assert (await client.server_info()).max_rows > 0
            assert (await client.validate(MODELS / "ur5e.urdf")).valid
            robot = await client.register("twin", MODELS / "panda.urdf")
            assert (await client.source("twin")).startswith(b"<?xml")
            assert (await robot.gravity_forces(np.full(7, 0.5))).shape == (7,)
            await client.delete("twin")
            with pytest.raises(torqued.NotFound):
                await client.model("twin")
        async with torqued.aio.Robot.from_urdf(MODELS / "ur5e.urdf") as robot:
            assert robot.client.server is not None
            assert (await robot.gravity_forces([0] * 6)).any()

    run(compute)


def test_a_cancelled_task_ends_its_call(client):
    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot = await waiting.model("panda")
            begun = asyncio.Event()
            task = asyncio.create_task(robot.compute(
                ["christoffel_symbols"], np.zeros((400_000, 7)),
                progress=lambda done, total: begun.set()))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await robot.mass_matrix([0] * 7)).shape == (7, 7)

    run(compute)


def test_deadline_and_rows(client):
    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot = await waiting.model("panda")
            with pytest.raises(torqued.DeadlineExceeded):
                await robot.christoffel_symbols(np.zeros((40_000, 7)), deadline=0.001)
            with pytest.raises(torqued.RowError):
                await robot.inverse_dynamics(np.full(7, np.nan))

    run(compute)
