"""The client for asyncio, beyond the cases that it shares with the other."""

import asyncio

import numpy as np
import pytest
import torqued
import torqued.aio
from conftest import MODELS, same_bits


def run(function, *arguments):
    async def limited():
        return await asyncio.wait_for(function(*arguments), 60)

    return asyncio.run(limited())


def test_the_same_bits_as_blocking(client, panda, states):
    s = states(3000)

    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot = await waiting.model("panda")
            told = []
            one = await robot.inverse_dynamics(s.q[0], s.v[0])
            batch = await robot.compute(
                ["inverse_dynamics"], s.q, s.v, s.a,
                progress=lambda *step: told.append(step))
            both = await asyncio.gather(
                robot.mass_matrix(s.q[:5]), robot.energy(s.q[:5], s.v[:5]))
            return one, batch, both, told

    one, batch, (M, energy), told = run(compute)
    assert same_bits(one, panda.inverse_dynamics(s.q[0], s.v[0]))
    assert same_bits(batch.tau, panda.inverse_dynamics(s.q, s.v, s.a))
    assert same_bits(M, panda.mass_matrix(s.q[:5]))
    assert same_bits(energy.kinetic_energy, panda.energy(s.q[:5], s.v[:5]).kinetic_energy)
    assert told[-1] == (3000, 3000)


def test_a_local_server_and_models():
    async def compute():
        async with torqued.aio.local([MODELS]) as client:
            assert "panda" in [m.name for m in await client.models()]
            assert await client.health() is torqued.Health.SERVING
            assert (await client.server_info()).max_rows > 0
            assert (await client.validate(MODELS / "ur5e.urdf")).valid
            robot = await client.register("twin", MODELS / "panda.urdf")
            assert (await client.source("twin")).startswith(b"<?xml")
            await client.delete("twin")
            with pytest.raises(torqued.NotFound):
                await client.model("twin")
            return await robot.gravity_forces(np.full(7, 0.5))

    assert run(compute).shape == (7,)


def test_a_robot_of_its_own_server():
    async def compute():
        async with torqued.aio.Robot.from_urdf(MODELS / "ur5e.urdf") as robot:
            assert robot.client.server is not None
            return await robot.gravity_forces([0] * 6)

    assert run(compute).any()


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
            bad = np.zeros((2, 7))
            bad[1, 3] = np.nan
            with pytest.raises(torqued.RowError):
                await robot.inverse_dynamics(bad[1])
            evaluation = await robot.compute(["mass_matrix"], bad, bad_rows="nan")
            assert evaluation.ok.tolist() == [True, False]

    run(compute)


def test_no_server(tmp_path):
    async def compute():
        with pytest.raises(torqued.Unavailable):
            await torqued.aio.connect(f"unix:{tmp_path}/nothing")

    run(compute)
