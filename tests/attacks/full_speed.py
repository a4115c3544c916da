"""A client that makes as many small calls as it can on one connection, and
reads all answers."""

import struct
import time

import harness
import hpack
import http2
from attacker import connect
from floods import frame, repeated

GET_SERVER_INFO = "/torqued.v1.ServerInfo/GetServerInfo"
CHECK_HEALTH = "/grpc.health.v1.Health/Check"
NO_MESSAGE = struct.pack(">BI", 0, 0)


class FullSpeed:
    """Sends whole calls, so many at a time, and waits for their answers."""

    def __init__(self, address, at_once, method=GET_SERVER_INFO):
        """method: one that answers an empty message."""
        self._at_once = at_once
        first, again = hpack.request(method)
        body = frame(http2.DATA, NO_MESSAGE, http2.END_STREAM, 1)
        call = frame(http2.HEADERS, again, http2.END_HEADERS, 1) + body
        self._calls = repeated(call, 3, 2, at_once)
        self._socket = connect(address, harness.CALL_SECONDS, "127.0.0.1")
        self._input = self._socket.makefile("rb", 1 << 20)
        self._socket.sendall(
            http2.PREFACE + frame(http2.SETTINGS, struct.pack(
                ">HI", http2.INITIAL_WINDOW_SIZE, http2.LARGEST_WINDOW))
            + frame(http2.WINDOW_UPDATE, struct.pack(
                ">I", http2.LARGEST_WINDOW - http2.DEFAULT_WINDOW))
            + frame(http2.SETTINGS, b"", http2.ACK)
            + frame(http2.HEADERS, first, http2.END_HEADERS, 1) + body)
        self._await(1)

    def _await(self, answers):
        """So many ends of calls. Their status is in the table of the server's
        headers, so that an answer is told by its data."""
        data = 0
        while answers:
            head = self._input.read(9)
            assert len(head) == 9, "the server has ended the connection"
            payload = self._input.read(int.from_bytes(head[:3], "big"))
            kind, flags = head[3:5]
            assert kind != http2.RST_STREAM or payload == bytes(4)
            data += kind == http2.DATA
            answers -= bool(flags & http2.END_STREAM and kind in (
                http2.DATA, http2.HEADERS))
        return data

    def run(self, seconds):
        """Calls made, and answers with a reply."""
        calls = answers = 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._socket.sendall(next(self._calls))
            calls += self._at_once
            answers += self._await(self._at_once)
        return calls, answers

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._input.close()
        self._socket.close()
