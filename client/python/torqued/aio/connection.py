"""The transport for asyncio."""

from __future__ import annotations

import asyncio
import collections
import itertools
from collections.abc import Iterator
from typing import Any

import grpc

from torqued import errors
from torqued.batch import WINDOW, Batch, Part, Plan, count_from_start
from torqued.check import CheckPlan
from torqued.evaluation import Evaluation
from torqued.retry import Deadline, Schedule
from torqued.settings import (
    HEALTH_REQUEST, Health, Settings, Waiting, health_of)
from torqued.transport import Transport
from torqued.v1 import server_info_pb2
from torqued.verdict import TrajectoryVerdict


class Connection(Transport):
    """Calls with deadline and retries, without blocking."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, grpc.aio, asyncio.Event())

    async def wait(self) -> None:
        """Raises Unavailable where no server answers, and what fits where
        another one does."""
        waiting = Waiting(self.settings)
        while True:
            try:
                self.server = await self.info.GetServerInfo(
                    server_info_pb2.GetServerInfoRequest(),
                    timeout=self.deadline().remaining())
                return
            except grpc.RpcError as failure:
                pause = waiting.after(failure)
            if pause is None:
                return
            await asyncio.sleep(pause)

    async def health(self, deadline: Deadline) -> Health:
        self._check_open()
        try:
            return health_of(await self._health(
                HEALTH_REQUEST, timeout=deadline.remaining()))
        except grpc.RpcError as failure:
            raise errors.decode(failure) from None

    async def read(self, method: Any, request: Any, deadline: Deadline,
                   schedule: Schedule | None = None, call: Any = None) -> Any:
        """A call that changes nothing, tried again where that may help. call:
        under way."""
        schedule = schedule or self._schedule(deadline)
        while True:
            self._check_open()
            try:
                reply = await (call or method(
                    request, timeout=deadline.remaining()))
                self._budget.answered()
                return reply
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            if call is not None:
                call = None
                # That of what was sent ahead may be renewed since.
                if isinstance(error, errors.DeadlineExceeded):
                    continue
            await self._wait(schedule.pauses(error))

    async def change(self, method: Any, request: Any,
                     deadline: Deadline) -> Any:
        """A call that is made again only where the server says that it has not
        begun, and where a server answers then: to find nobody, or the end
        of the old connection, would be final."""
        schedule = self._schedule(deadline)
        again = False
        while True:
            self._check_open()
            try:
                reply = await method(request, timeout=schedule.remaining(),
                                     wait_for_ready=again)
                self._budget.answered()
                return reply
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            await self._wait(schedule.only_refused(error))
            await self.read(self.info.GetServerInfo,
                            server_info_pb2.GetServerInfoRequest(),
                            deadline, schedule)
            again = True

    async def compute(self, plan: Plan) -> Evaluation:
        batch, deadline = self._begin_batch(plan)
        if len(batch.parts) == 1:
            await self._part(batch, deadline, batch.parts[0])
            return batch.evaluation()
        waiting = iter(batch.parts)
        sent: collections.deque[tuple[bytes, Any]] = collections.deque()
        try:
            for part in batch.parts:
                for later in itertools.islice(waiting, WINDOW - len(sent)):
                    self._check_open()
                    request = batch.request(later)
                    sent.append((request, self._send(
                        request, timeout=deadline.remaining())))
                await self._part(batch, deadline, part, *sent[0])
                sent.popleft()
        finally:
            for _, call in sent:
                call.cancel()
        return batch.evaluation()

    async def _part(self, batch: Batch, deadline: Deadline, part: Part,
                    request: bytes | None = None, call: Any = None) -> None:
        """call: under way with `request`, if there is one."""
        try:
            reply = await self.read(
                self._compute, request or batch.request(part), deadline, call=call)
        except errors.TorquedError as error:
            count_from_start(error, part)
            raise
        deadline.renew()
        for again in batch.take(part, reply):
            await self._part(batch, deadline, again)

    async def check(self, plan: CheckPlan) -> TrajectoryVerdict:
        check, deadline = self._begin_check(plan)
        while True:
            self._check_open()
            call = self._check(check.messages(), timeout=deadline.remaining())
            try:
                async for reply in call:
                    check.take(reply)
                self._budget.answered()
                return check.verdict()
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            except BaseException:
                call.cancel()
                raise
            await self._wait(check.next_try(error))

    async def _wait(self, pauses: Iterator[float]) -> None:
        """Until the next try, or the end of the client."""
        self._check_open()
        for pause in pauses:
            try:
                await asyncio.wait_for(self._closed.wait(), pause)
            except asyncio.TimeoutError:
                continue
            return

    async def close(self) -> None:
        self._closed.set()
        await self.channel.close()
