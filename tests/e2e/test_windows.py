"""How far ahead of the server the transport lets a client send: fixed windows,
and such as grow with what arrives during a ping."""

import struct

import numpy as np
import pytest

import harness
import http2
from calls import ask, compute_request

# What docs/server.md promises of fixed windows: 64 KiB and the rest of the
# message being read, of that at most 1 MiB.
FIXED_WINDOW = 65535
READ_AHEAD = FIXED_WINDOW + 1 + (1 << 20)
# Messages that fill every window several times.
ROWS = 1_000_000


@pytest.fixture(scope="module")
def message():
    """A request of 16 MB, as it is framed in the data of a call."""
    request = compute_request(
        "planar_2r", [ask.BIAS_FORCES], q=np.zeros((ROWS, 2)))
    payload = request.SerializeToString()
    return struct.pack(">BI", 0, len(payload)) + payload


class Upload:
    """One call that sends whatever the windows let it, and answers pings only
    once it may send no more."""

    def __init__(self, address, message):
        self.largest_room = 0
        with http2.Connection(address) as connection:
            while connection.read_frame() != http2.SETTINGS:
                pass
            self.pings_before_data = connection.pings
            connection.call("/torqued.v1.Dynamics/Compute")
            while message := connection.send_now(message):
                connection.answer_pings()
                connection.read_frame()
                self.largest_room = max(self.largest_room, connection.room())
            connection.close()
            while not connection.ended:
                connection.answer_pings()
                connection.read_frame()
            self.pings = connection.pings
            # The first is the protocol's, before the server says anything.
            self.initial_windows = connection.initial_windows[1:]


@pytest.mark.parametrize("flags", [(), ("--growing-windows", "off")],
                         ids=["unless-told-otherwise", "off"])
def test_fixed_windows_stay_and_nothing_is_probed(start, message, flags):
    server = start(*flags, models=harness.example_models())
    upload = Upload(server.address, message)
    assert upload.pings == 0
    assert set(upload.initial_windows) <= {FIXED_WINDOW}
    assert FIXED_WINDOW < upload.largest_room <= READ_AHEAD


def test_growing_windows_are_probed_with_pings_and_grow(start, message):
    server = start("--growing-windows", "on", models=harness.example_models())
    upload = Upload(server.address, message)
    assert upload.pings_before_data == 0
    assert upload.pings > 0
    assert upload.largest_room > READ_AHEAD
    assert upload.initial_windows[-1] > upload.initial_windows[0] > FIXED_WINDOW
