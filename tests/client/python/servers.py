"""Servers that do what tests need: real ones that come and go, and one that refuses."""

import concurrent.futures
import contextlib
import os
import signal
import socket
import threading

import grpc
import numpy as np
import torqued
import torqued.errors
from google.protobuf import any_pb2
from torqued import Reason
from torqued.v1 import (dynamics_pb2, errors_pb2, server_info_pb2, server_info_pb2_grpc)


def nobody_but_one_try(address):
    """Listens at an address where no server is: takes one connection, closes it
    and listens no more. Returns when that has been."""
    host, _, port = address.rpartition(":")
    with socket.create_server((host, int(port))) as listener:
        listener.settimeout(60)
        listener.accept()[0].close()


class Restarting:
    """A real server at one address, which can be killed and started again."""

    def __init__(self, directory, models, *flags, address=None):
        self.address = address or f"unix:{directory}/again"
        self._flags = ["--listen", self.address, "--models", str(models), *flags]
        self._store = directory / "models.db"
        self.start()

    def start(self):
        self.server = torqued.LocalServer(
            store=self._store, arguments=self._flags)

    def kill(self):
        os.kill(self.server.pid, signal.SIGKILL)
        self.server.stop()

    def stop(self):
        self.server.stop()

    @contextlib.contextmanager
    def draining(self):
        """A server that has begun to stop, and waits for a stream whose replies
        nobody reads. It goes on stopping where this ends."""
        q = np.zeros((500, 7)).tobytes()
        chunk = dynamics_pb2.EvaluateRequest()
        chunk.chunk.q.columns, chunk.chunk.q.f64 = 7, q
        start = dynamics_pb2.EvaluateRequest()
        start.start.model = "panda"
        start.start.quantities.append(dynamics_pb2.QUANTITY_REGRESSOR)
        # The server's second reply waits for a window of 64 KiB.
        with grpc.insecure_channel(
                self.address, [("grpc.http2.bdp_probe", 0)]) as channel:
            unread = channel.stream_stream(
                "/torqued.v1.Dynamics/Evaluate", lambda message: message.SerializeToString())(
                    iter([start] + [chunk] * 16), timeout=30)
            next(unread)
            info = server_info_pb2_grpc.ServerInfoStub(channel).GetServerInfo
            info(server_info_pb2.GetServerInfoRequest(), timeout=10)
            os.kill(self.server.pid, signal.SIGTERM)
            while unread.is_active():
                try:
                    info(server_info_pb2.GetServerInfoRequest(), timeout=10)
                except grpc.RpcError as failure:
                    if torqued.errors.decode(failure).reason == Reason.DRAINING:
                        break
                    raise
            yield


def details(code, reason, retry_seconds=None):
    """Of an error, serialized as they travel."""
    def packed(name, message):
        return any_pb2.Any(type_url="type.googleapis.com/google.rpc." + name,
                           value=message.SerializeToString())

    status = errors_pb2.Status(code=code.value[0], message="no", details=[
        packed("ErrorInfo", errors_pb2.ErrorInfo(reason=reason, domain="torqued"))])
    if retry_seconds is not None:
        retry = errors_pb2.RetryInfo()
        retry.retry_delay.FromNanoseconds(int(retry_seconds * 1e9))
        status.details.append(packed("RetryInfo", retry))
    return status.SerializeToString()


# Of unary calls; of streams, all.
_REFUSED = ("Compute", "RegisterModel", "DeleteModel")


class Refusing(grpc.GenericRpcHandler):
    """Passes every call on to a real server, after it has refused the first
    ones as the plans say: [(code, details or None, chunks to answer before,
    what gRPC says), ...]; the last two may be left out."""

    def __init__(self, target, *plans):
        self._channel = grpc.insecure_channel(target)
        self.plans = list(plans)
        self.calls = []
        #: Set when a stream is over, however it ends.
        self.stream_ended = threading.Event()
        #: Whether that was before all replies were passed on.
        self.cut_short = False

    def service(self, call):
        method = call.method
        if method.endswith(("/Evaluate", "/CheckTrajectory")):
            return grpc.stream_stream_rpc_method_handler(
                lambda requests, context: self._stream(
                    method, requests, context))
        return grpc.unary_unary_rpc_method_handler(
            lambda request, context: self._unary(method, request, context))

    def _unary(self, method, request, context):
        # Whoever connects asks who is there.
        if "/torqued.v1." in method and "ServerInfo" not in method:
            self.calls.append(method)
            if method.endswith(_REFUSED) and self.plans:
                self._refuse(context, self.plans.pop(0))
        try:
            return self._channel.unary_unary(method)(request)
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())

    def _stream(self, method, requests, context):
        self.calls.append(method.rpartition("/")[2])
        done = []

        def ended():
            self.cut_short = not done
            self.stream_ended.set()

        context.add_callback(ended)
        plan = self.plans.pop(0) if self.plans else None
        replies = self._channel.stream_stream(method)(requests)
        for answered, reply in enumerate(replies):
            if plan and answered == (plan[2:] or (0,))[0]:
                replies.cancel()
                self._refuse(context, plan)
            yield reply
        done.append(True)

    @staticmethod
    def _refuse(context, plan):
        code, detail = plan[:2]
        if detail is not None:
            context.set_trailing_metadata([("grpc-status-details-bin", detail)])
        context.abort(code, plan[3] if len(plan) > 3 else "no")


@contextlib.contextmanager
def refusing(target, *plans, workers=8):
    """(address, the handler)"""
    handler = Refusing(target, *plans)
    server = grpc.server(
        concurrent.futures.ThreadPoolExecutor(workers), handlers=[handler],
        options=[("grpc.max_receive_message_length", 64 << 20)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}", handler
    finally:
        server.stop(None).wait(10)
