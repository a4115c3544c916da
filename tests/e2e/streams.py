"""Streams of Evaluate with numpy arrays, for the tests."""

import queue

import numpy as np
from torqued.v1 import dynamics_pb2 as pb

from calls import RESULT_ARRAYS, ask
from harness import F64, array, failure_of, table


def start(model, quantities, **fields):
    """The first message."""
    return pb.EvaluateRequest(start=pb.EvaluateStart(
        model=model, quantities=quantities, **fields))


def torques(**fields):
    """Inverse dynamics of the example arm."""
    return start("panda", [ask.INVERSE_DYNAMICS], **fields)


def chunk(payload=F64, **fields):
    """A message of states: its inputs as arrays of numbers or as Array
    messages."""
    return pb.EvaluateRequest(chunk=pb.EvaluateChunk(**{
        name: array(numbers, payload) if isinstance(numbers, np.ndarray)
        else numbers for name, numbers in fields.items()}))


Q = np.zeros((2, 7))
GOOD = [torques(), chunk(q=Q), chunk(q=Q)]


def evaluate(client, *messages):
    return list(client.dynamics.Evaluate(iter(messages)))


def failed(client, *messages):
    """What came before the failure, and the failure."""
    replies = []
    call = client.dynamics.Evaluate(iter(messages))
    failure = failure_of(lambda: replies.extend(call))
    return replies, failure


def chunk_of(states, payload=F64, **fields):
    """Some states under a tip wrench."""
    return chunk(payload, q=states.q, v=states.v, a=states.a, tau=states.tau,
                 tip_wrench_on_environment=states.wrench, **fields)


def everything_chunk(states, payload=F64):
    """All that everything_request takes."""
    return chunk_of(states, payload,
                    task_acceleration=states.task_acceleration,
                    null_space_torque=states.null_space_torque)


def cut(states, sizes):
    """The states in chunks of these sizes, the last size again and again."""
    count, first, parts = len(states.q), 0, []
    sizes = list(sizes)
    while first < count:
        size = sizes.pop(0) if len(sizes) > 1 else sizes[0]
        parts.append(states.rows(slice(first, first + size)))
        first += size
    return parts


def joined(replies):
    """The result arrays of all replies, by name; row numbers are checked."""
    rows = 0
    for reply in replies:
        assert reply.first_row == rows
        rows += reply.rows
    arrays = {}
    for name in RESULT_ARRAYS:
        if replies[0].results.HasField(name):
            arrays[name] = np.concatenate(
                [table(getattr(reply.results, name)) for reply in replies])
    for name in ("rank", "sigma_min", "rule"):
        if getattr(replies[0].results, name):
            arrays[name] = np.concatenate(
                [getattr(reply.results, name) for reply in replies])
    return arrays


class Stream:
    """A stream whose messages are sent one by one."""

    def __init__(self, client, *messages):
        self._messages = queue.SimpleQueue()
        self.taken = 0  # messages that gRPC has taken from us
        self.call = client.dynamics.Evaluate(self._take())
        for message in messages:
            self.send(message)

    def _take(self):
        while (message := self._messages.get()) is not None:
            self.taken += 1
            yield message

    def send(self, message):
        self._messages.put(message)

    def close(self):
        """No more messages."""
        self._messages.put(None)

    def receive(self):
        return next(self.call)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
        self.call.cancel()


