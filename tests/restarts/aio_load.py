"""The asyncio client of Python under restarts: aio_load.py ADDRESS"""

import asyncio
import sys

import torqued
import torqued.aio

import load
import motion


async def main(address):
    few, many = motion.states(10), motion.states(50_000)
    time, q = motion.motion(2001)
    async with torqued.aio.connect(address, deadline=30) as client:
        robot = await client.model("panda")

        async def unary():
            answer = await robot.compute(
                ["inverse_dynamics", "mass_matrix"], **few)
            return answer.tau.tobytes() + answer.mass_matrix.tobytes()

        async def batch():
            return (await robot.inverse_dynamics(**many)).tobytes()

        async def stream():
            answer = await robot.compute(
                ["inverse_dynamics"], **few, stream=True)
            return answer.tau.tobytes()

        async def check():
            return motion.bytes_of_verdict(await robot.check_trajectory(
                torqued.Trajectory(time=time, q=q), derive="cubic",
                tables=["tau"]))

        told = load.Load()

        async def repeat(kind, ask, expected):
            while not told.stopped.is_set():
                try:
                    answer = await ask()
                except Exception as error:  # pylint: disable=broad-except
                    told.failed(kind, error)
                else:
                    told.answered(kind, answer == expected)

        asks = dict(unary=unary, batch=batch, stream=stream, check=check)
        expected = {kind: await ask() for kind, ask in asks.items()}
        for kind in asks:
            told.begin(kind)
        repeated = [asyncio.create_task(repeat(kind, ask, expected[kind]))
                    for kind, ask in asks.items()]
        await asyncio.to_thread(told.tell_until_told_to_stop)
        await asyncio.gather(*repeated)
        return told.summary()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
