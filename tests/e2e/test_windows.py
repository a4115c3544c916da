"""How far ahead of the server the transport lets a client send: by windows that
grow with what arrives during a ping."""

import struct

import harness
import http2

MEBIBYTE = 1 << 20
# That HTTP/2 begins with.
FIXED_WINDOW = 65535
MESSAGE_BYTES = 1 << 30
# What a client sends while a ping is on its way back: more than the windows
# have at first.
ROUND_TRIP_BYTES = 6 * MEBIBYTE


class Upload:
    """One message that does not end, of a distant client that sends whatever
    the windows let it."""

    def __init__(self, connection):
        self.connection = connection
        connection.catch_up()
        self.pings_before_data = connection.pings
        connection.call("/torqued.v1.Dynamics/Compute")
        connection.send_now(struct.pack(">BI", 0, MESSAGE_BYTES))

    def send(self, count):
        rest = bytes(count)
        while (rest := self.connection.send_now(rest)):
            self.connection.read_frame()
            assert not self.connection.ended

    def round_trip(self):
        """A ping that comes meanwhile is answered at the end."""
        self.send(ROUND_TRIP_BYTES)
        self.connection.answer_pings()

    def windows(self):
        """The initial windows that the server has set."""
        self.connection.catch_up()
        return self.connection.initial_windows[1:]


def test_windows_are_probed_with_pings_and_grow(start):
    server = start("--max-message-bytes", MESSAGE_BYTES)
    with http2.Connection(server.address) as connection:
        upload = Upload(connection)
        first = upload.windows()[-1]
        assert first > FIXED_WINDOW
        assert upload.pings_before_data == 0
        sent = 0
        # gRPC approaches what it has measured, ping by ping.
        while (sent < MESSAGE_BYTES // 2
               and connection.initial_windows[-1] <= first):
            upload.round_trip()
            sent += ROUND_TRIP_BYTES
        assert connection.pings > 0
        assert connection.initial_windows[-1] > first
