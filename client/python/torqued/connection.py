"""The blocking transport."""

from __future__ import annotations

import collections
import itertools
import threading
import time
from collections.abc import Iterator
from concurrent import futures
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

# So many are faster one after the other than by a second thread.
_FEW_PARTS = 2


class Connection(Transport):
    """Calls with deadline and retries. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, grpc, threading.Event())
        # An interrupt of a thread that begins a call leaves gRPC with a call for
        # which closing waits for ever; no interrupt comes to this one.
        self._sender = futures.ThreadPoolExecutor(1)

    def wait(self) -> None:
        """Raises Unavailable where no server answers, and what fits where
        another one does."""
        waiting = Waiting(self.settings)
        while True:
            try:
                self.server = self.info.GetServerInfo(
                    server_info_pb2.GetServerInfoRequest(),
                    timeout=self.deadline().remaining())
                return
            except grpc.RpcError as failure:
                pause = waiting.after(failure)
            if pause is None:
                return
            time.sleep(pause)

    def health(self, deadline: Deadline) -> Health:
        self._check_open()
        try:
            return health_of(self._health(
                HEALTH_REQUEST, timeout=deadline.remaining()))
        except grpc.RpcError as failure:
            raise errors.decode(failure) from None

    def read(self, method: Any, request: Any, deadline: Deadline,
             schedule: Schedule | None = None, call: Any = None) -> Any:
        """A call that changes nothing, tried again where that may help. call:
        under way."""
        schedule = schedule or self._schedule(deadline)
        while True:
            self._check_open()
            try:
                reply = call.result() if call else method(
                    request, timeout=deadline.remaining())
                self._budget.answered()
                return reply
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            if call is not None:
                call = None
                # That of what was sent ahead may be renewed since.
                if isinstance(error, errors.DeadlineExceeded):
                    continue
            self._wait(schedule.pauses(error))

    def change(self, method: Any, request: Any, deadline: Deadline) -> Any:
        """A call that is made again only where the server says that it has not
        begun, and where a server answers then: to find nobody, or the end
        of the old connection, would be final."""
        schedule = self._schedule(deadline)
        again = False
        while True:
            self._check_open()
            try:
                reply = method(request, timeout=schedule.remaining(),
                               wait_for_ready=again)
                self._budget.answered()
                return reply
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            self._wait(schedule.only_refused(error))
            self.read(self.info.GetServerInfo,
                      server_info_pb2.GetServerInfoRequest(),
                      deadline, schedule)
            again = True

    def compute(self, plan: Plan) -> Evaluation:
        batch, deadline = self._begin_batch(plan)
        if len(batch.parts) <= _FEW_PARTS:
            for part in batch.parts:
                self._part(batch, deadline, part)
            return batch.evaluation()

        def send(part: Part) -> tuple[bytes, Any]:
            request = batch.request(part)
            return request, self._send(request, timeout=deadline.remaining())

        waiting = iter(batch.parts)
        sent: collections.deque[futures.Future[tuple[bytes, Any]]] = (
            collections.deque())
        try:
            for part in batch.parts:
                for later in itertools.islice(waiting, WINDOW - len(sent)):
                    self._check_open()
                    sent.append(self._sender.submit(send, later))
                self._part(batch, deadline, part, *sent[0].result())
                sent.popleft()
        finally:
            for one in sent:
                if not (one.cancel() or one.exception()):
                    one.result()[1].cancel()
        return batch.evaluation()

    def _part(self, batch: Batch, deadline: Deadline, part: Part,
              request: bytes | None = None, call: Any = None) -> None:
        """call: under way with `request`, if there is one."""
        try:
            reply = self.read(
                self._compute, request or batch.request(part), deadline, call=call)
        except errors.TorquedError as error:
            count_from_start(error, part)
            raise
        deadline.renew()
        for again in batch.take(part, reply):
            self._part(batch, deadline, again)

    def check(self, plan: CheckPlan) -> TrajectoryVerdict:
        check, deadline = self._begin_check(plan)
        while True:
            self._check_open()
            call = self._check(check.messages(), timeout=deadline.remaining())
            try:
                for reply in call:
                    check.take(reply)
                self._budget.answered()
                return check.verdict()
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            except BaseException:
                call.cancel()
                raise
            self._wait(check.next_try(error))

    def _wait(self, pauses: Iterator[float]) -> None:
        """Until the next try, or the end of the client."""
        self._check_open()
        for pause in pauses:
            if self._closed.wait(pause):
                return

    def close(self) -> None:
        self._closed.set()
        self.channel.close()
