"""gRPC's own stubs in Python under restarts: raw_python_load.py ADDRESS

An answer or UNAVAILABLE, and of a stream each row once, in order, up to the one
that the error names.
"""

import functools
import sys
import time

import grpc
from torqued.v1 import array_pb2, dynamics_pb2, dynamics_pb2_grpc, errors_pb2

import load
import motion

DEADLINE = 60
BETWEEN_TRIES = 0.005
OPTIONS = [
    ("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 100),
    ("grpc.max_receive_message_length", -1)]


def angles(rows):
    return array_pb2.Array(columns=motion.JOINTS, f64=motion.angles(
        rows, 0).astype("<f8").tobytes())


def require_unavailable(error):
    """Anything else is what a restart must not show."""
    if error.code() != grpc.StatusCode.UNAVAILABLE:
        raise RuntimeError(f"{error.code()}: {error.details()}")
    load.saw("UNAVAILABLE")


def require_next_row(error, rows):
    """The server says where the rows end that it has answered, unless the
    stream had not begun, or the server was killed."""
    named = False
    for key, value in error.trailing_metadata() or ():
        if key != "grpc-status-details-bin":
            continue
        for detail in errors_pb2.Status.FromString(value).details:
            if detail.type_url.endswith("google.rpc.ErrorInfo"):
                info = errors_pb2.ErrorInfo.FromString(detail.value)
                told = info.metadata.get("next_row")
                if (told or "0") != str(rows):
                    raise RuntimeError(f"next_row {told} after {rows}")
                if told is not None:
                    named = True
                    load.saw("next_row")
    if rows and not named:
        load.saw("cut")


def until_answered(channel, ask):
    @functools.wraps(ask)
    def asked():
        while True:
            try:
                return ask()
            except grpc.RpcError as error:
                require_unavailable(error)
                time.sleep(BETWEEN_TRIES)
                # A channel connects while somebody waits for it; else it looks
                # every 5 s.
                grpc.channel_ready_future(channel).result(DEADLINE)
    return asked


def unary(channel, rows):
    compute = dynamics_pb2_grpc.DynamicsStub(channel).Compute
    request = dynamics_pb2.ComputeRequest(
        model="panda", quantities=[dynamics_pb2.QUANTITY_INVERSE_DYNAMICS],
        q=angles(rows))
    return until_answered(channel, lambda: compute(
        request, timeout=DEADLINE).results.SerializeToString())


def stream(channel):
    evaluate = dynamics_pb2_grpc.DynamicsStub(channel).Evaluate
    rows_of_a_chunk, chunks = 50, 40
    messages = [dynamics_pb2.EvaluateRequest(
        start=dynamics_pb2.EvaluateStart(
            model="panda",
            quantities=[dynamics_pb2.QUANTITY_INVERSE_DYNAMICS]))]
    messages += chunks * [dynamics_pb2.EvaluateRequest(
        chunk=dynamics_pb2.EvaluateChunk(q=angles(rows_of_a_chunk)))]

    def ask():
        answer, rows = b"", 0
        try:
            for reply in evaluate(iter(messages), timeout=DEADLINE):
                if reply.first_row != rows:
                    raise RuntimeError("other rows")
                rows += reply.rows
                answer += reply.results.SerializeToString()
        except grpc.RpcError as error:
            require_next_row(error, rows)
            raise
        if rows != chunks * rows_of_a_chunk:
            raise RuntimeError("rows are lost")
        return answer
    return until_answered(channel, ask)


def main(address):
    # Of each its own connection, and two that share one.
    channels = [grpc.insecure_channel(address, OPTIONS) for _ in range(4)]
    return load.run(dict(
        unary=unary(channels[0], 1), second=unary(channels[1], 1),
        third=unary(channels[1], 1), batch=unary(channels[2], 50_000),
        stream=stream(channels[3])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
