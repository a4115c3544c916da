"""How far ahead of the server the transport lets a client send: fixed windows,
and such as grow with what arrives during a ping."""

import struct

import pytest

import harness
import http2

MEBIBYTE = 1 << 20
# What docs/server.md promises of fixed windows: 64 KiB and the rest of the
# message being read, of that at most 1 MiB.
FIXED_WINDOW = 65535
READ_AHEAD = FIXED_WINDOW + 1 + MEBIBYTE
MESSAGE_BYTES = 1 << 30
# What a client sends while a ping is on its way back: more than the windows
# have at first.
ROUND_TRIP_BYTES = 6 * MEBIBYTE


class Upload:
    """One message that does not end, of a distant client that sends whatever
    the windows let it."""

    def __init__(self, connection):
        self.connection = connection
        self.largest_room = 0
        connection.catch_up()
        self.pings_before_data = connection.pings
        connection.call("/torqued.v1.Dynamics/Compute")
        connection.send_now(struct.pack(">BI", 0, MESSAGE_BYTES))

    def send(self, count):
        rest = bytes(count)
        while (rest := self.connection.send_now(rest)):
            self.connection.read_frame()
            assert not self.connection.ended
            self.largest_room = max(self.largest_room, self.connection.room())

    def round_trip(self):
        """A ping that comes meanwhile is answered at the end."""
        self.send(ROUND_TRIP_BYTES)
        self.connection.answer_pings()

    def windows(self):
        """The initial windows that the server has set."""
        self.connection.catch_up()
        return self.connection.initial_windows[1:]


def serve(start, *flags):
    return start("--max-message-bytes", MESSAGE_BYTES, *flags)


@pytest.mark.parametrize("flags", [(), ("--growing-windows", "off")],
                         ids=["unless-told-otherwise", "off"])
def test_fixed_windows_stay_and_nothing_is_probed(start, flags):
    server = serve(start, *flags)
    with http2.Connection(server.address) as connection:
        upload = Upload(connection)
        for _ in range(5):
            upload.round_trip()
        assert connection.pings == 0
        assert set(upload.windows()) <= {FIXED_WINDOW}
        assert FIXED_WINDOW < upload.largest_room <= READ_AHEAD


def test_growing_windows_are_probed_with_pings_and_grow(start):
    server = serve(start, "--growing-windows", "on")
    with http2.Connection(server.address) as connection:
        upload = Upload(connection)
        first = upload.windows()[-1]
        assert first > READ_AHEAD
        assert upload.pings_before_data == 0
        sent = 0
        # gRPC approaches what it has measured, ping by ping.
        while (sent < MESSAGE_BYTES // 2
               and connection.initial_windows[-1] <= first):
            upload.round_trip()
            sent += ROUND_TRIP_BYTES
        assert connection.pings > 0
        assert connection.initial_windows[-1] > first
