"""What a hostile client sends, as bytes: floods of frames of HTTP/2.

A flood is made for a connection: bytes that open it, then blocks that repeat
for as long as anybody takes them. A block is one pattern of frames many times
over, with the numbers of its streams counting on.
"""

import dataclasses
import itertools
import struct
import typing

import numpy as np

import hpack
import http2

CONTINUATION, PRIORITY = 9, 2
CANCEL = struct.pack(">I", 8)
EVALUATE = "/torqued.v1.Dynamics/Evaluate"
COMPUTE = "/torqued.v1.Dynamics/Compute"
UNKNOWN = "/no.such.Service/Method"
WATCH = "/grpc.health.v1.Health/Watch"
MESSAGE = struct.pack(">BI", 0, 4) + b"\x0a\x02no"
# About as much as one frame takes of what gRPC takes as a header.
LARGE_HEADER_BYTES = 15 << 10
# Beside the six of a request.
MANY_FIELDS = 120
BLOCK_BYTES = 1 << 16


def frame(kind, payload=b"", flags=0, stream=0):
    return (len(payload).to_bytes(3, "big")
            + struct.pack(">BBI", kind, flags, stream) + payload)


def repeated(pattern, first_stream, step, count=None):
    """Blocks of a pattern of frames without end, `count` times each. Where a
    frame is of stream 1, its numbers count from `first_stream` on by `step` a
    pattern."""
    places, at = [], 0
    while at < len(pattern):
        if struct.unpack_from(">I", pattern, at + 5)[0] == 1:
            places.append(at + 5)
        at += 9 + int.from_bytes(pattern[at:at + 3], "big")
    count = count or max(1, BLOCK_BYTES // len(pattern))
    block = np.tile(np.frombuffer(pattern, np.uint8), (count, 1))
    while True:
        streams = first_stream + step * np.arange(count)
        for place in places:
            block[:, place:place + 4] = (
                streams.astype(">u4").view(np.uint8).reshape(count, 4))
        yield block.tobytes()
        first_stream += step * count


@dataclasses.dataclass(frozen=True)
class Flood:
    """What one connection sends after its preface."""

    name: str
    opening: bytes
    pattern: bytes
    # Whether every pattern is of a stream of its own.
    streams: bool = True
    # Whether the server's settings are acknowledged, as clients do.
    acknowledges: bool = True
    # Whether what the server says is read.
    reads: bool = True
    # Bytes that show it, and patterns a second: None, as fast as they go.
    enough: int = 256 << 20
    rate: typing.Optional[int] = None
    # Patterns of a connection, which then stays: None, without end.
    most: typing.Optional[int] = None

    def blocks(self):
        first, step = (3, 2) if self.streams else (1, 0)
        count = self.rate // 100 if self.rate else self.most
        blocks = repeated(self.pattern, first, step, count)
        return blocks if self.most is None else itertools.islice(blocks, 1)


def _headers(fields, flags=http2.END_HEADERS, stream=1):
    return frame(http2.HEADERS, fields, flags, stream)


def _calls(name, path, after=b"", **options):
    """Calls by indices, 15 bytes each, and what follows each of them."""
    first, again = hpack.request(path)
    return Flood(name, _headers(first), _headers(again) + after, **options)


def _within_headers(name, pattern, opening=b"", **options):
    """Headers of one call that do not end: each frame continues them."""
    first, _ = hpack.request(COMPUTE)
    return Flood(name, _headers(first + opening, flags=0),
                 frame(CONTINUATION, pattern, 0, 1), streams=False, **options)


def _within_trailers(name="trailers", body=b"", ahead=0, **options):
    """As _within_headers, after the headers of the call and its body. ahead:
    frames that come at once with the call."""
    first, _ = hpack.request(EVALUATE)
    field = hpack.entering(b"x", b"y")
    more = frame(CONTINUATION, _INDICES, 0, 1)
    return Flood(
        name, _headers(first) + body + _headers(field, http2.END_STREAM)
        + more * ahead, more, streams=False, **options)


def _one_long_value():
    """One field that does not end: of 256 MB, in frames of 16 KB."""
    value = hpack.integer(1 << 28, 7)
    return _within_headers(
        "long_value", bytes(16384), b"\x00" + hpack.text(b"x") + value)


def _large_headers():
    _, again = hpack.request(COMPUTE)
    first, _ = hpack.request(COMPUTE)
    large = b"".join(hpack.literal(b"x%d" % i, bytes([97 + i]) * 1024)
                     for i in range(LARGE_HEADER_BYTES // 1024))
    return Flood("large_headers", _headers(first),
                 _headers(again + large))


def _large_by_index(name="large_by_index", value=b"y" * 2048, fields=3,
                    **options):
    """Headers of an entry of the table and a byte for each field."""
    first, again = hpack.request(COMPUTE)
    large = hpack.entering(b"x", value)
    # Entries of the request are one further from the newest.
    again = hpack.POST + hpack.HTTP + b"".join(
        hpack.index(entry) for entry in (4, 3, 2, 1))
    return Flood(name, _headers(first + large),
                 _headers(again + hpack.index(0) * fields), **options)


def _connection(name, pattern, **options):
    """Frames that are of no stream."""
    return Flood(name, b"", pattern, streams=False, **options)


def _on_a_stream(name, pattern, **options):
    first, _ = hpack.request(EVALUATE)
    return Flood(name, _headers(first), pattern, streams=False, **options)


_RESET = frame(http2.RST_STREAM, CANCEL, 0, 1)
_BODY = frame(http2.DATA, MESSAGE, 0, 1)
_EMPTY_BODY = frame(http2.DATA, bytes(5), http2.END_STREAM, 1)
_INDICES = hpack.index(0) * 200
_UNACKNOWLEDGED = {"acknowledges": False}

FLOODS = {flood.name: flood for flood in [
    _calls("open_calls", COMPUTE),
    _calls("open_streams", EVALUATE),
    _calls("open_unknown", UNKNOWN),
    _calls("open_unacknowledged", COMPUTE, acknowledges=False, reads=False),
    # Below any rate that is refused.
    _calls("open_slowly", COMPUTE, acknowledges=False, rate=1000),
    _calls("resets", COMPUTE, _RESET),
    _calls("resets_unread", COMPUTE, _RESET, acknowledges=False, reads=False),
    _calls("resets_with_body", EVALUATE, _BODY + _RESET),
    _calls("resets_of_unknown", UNKNOWN, _RESET),
    _calls("streams_with_body", EVALUATE, _BODY),
    _within_headers("continuation", hpack.literal(b"x", b"y" * 7000)),
    _within_headers("continuation_by_index", _INDICES,
                    hpack.entering(b"x", b"y")),
    _one_long_value(),
    _within_trailers(),
    _large_headers(),
    _large_by_index(),
    # More, and about as many, as headers may have. Of a client that has not
    # acknowledged that they may have 8 KB.
    _large_by_index("endless_fields", b"y", 16000, **_UNACKNOWLEDGED),
    _large_by_index("many_fields", b"y", MANY_FIELDS, **_UNACKNOWLEDGED),
    _connection("pings", frame(http2.PING, bytes(8))),
    _connection("pings_unread", frame(http2.PING, bytes(8)), reads=False),
    _connection("settings", frame(http2.SETTINGS)),
    _connection("settings_unread", frame(http2.SETTINGS), reads=False),
    _on_a_stream("empty_data", frame(http2.DATA, b"", 0, 1)),
    _on_a_stream("windows", frame(
        http2.WINDOW_UPDATE, struct.pack(">I", 1), 0, 1)),
    _on_a_stream("priorities", frame(PRIORITY, bytes(5), 0, 1)),
]}

# Each connection keeps below what it alone is ended for, and many of them stay.
# As many as one peer may have.
CROWD = 400
CROWDS = {flood.name: flood for flood in [
    _large_by_index("few_open_calls", most=64),
    _within_trailers("short_trailers", most=280),
    _within_trailers("sudden_trailers", ahead=279, most=1),
    _within_trailers("trailers_behind_a_message", body=_BODY, ahead=279,
                     most=1),
    _large_by_index("few_calls_of_many_fields", b"y", MANY_FIELDS, most=64,
                    **_UNACKNOWLEDGED),
    _within_headers("short_headers", _INDICES, hpack.entering(b"x", b"y"),
                    most=280),
    _calls("watches", WATCH, _EMPTY_BODY, most=64),
]}
