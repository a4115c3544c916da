"""The client for asyncio: the same names, to be awaited.

    async with await torqued.aio.connect("localhost:7421") as client:
        robot = await client.model("panda")
        tau = await robot.inverse_dynamics(q, v, a)

`async with torqued.aio.connect(...) as client` does as well. What is cancelled,
by a task's cancel() or by a timeout, is cancelled on the server at once. A
client belongs to the event loop in which it was connected.
"""

from torqued.aio.client import Client, connect, local
from torqued.aio.connection import Connection, Opening
from torqued.aio.robot import Robot

__all__ = ["Client", "Connection", "Opening", "Robot", "connect", "local"]
