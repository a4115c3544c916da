"""One HTTP/2 connection with one call on it, frame by frame.

Shows what gRPC's own clients hide: pings, settings and windows.
"""

import contextlib
import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 3, 4, 6, 8
END_STREAM = ACK = 1
END_HEADERS = 4
INITIAL_WINDOW_SIZE = 4
DEFAULT_WINDOW = 65535
LARGEST_WINDOW = 2**31 - 1
STREAM = 1
FRAME_BYTES = 16384
SECONDS = 20.0


class Connection:
    """What the server has said of windows, and what it lets us send."""

    def __init__(self, address, reply_window=LARGEST_WINDOW):
        """reply_window: bytes that we let the server send."""
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), SECONDS)
        self._input = self._socket.makefile("rb")
        self._initial_window = DEFAULT_WINDOW
        self.pings = 0
        self.ended = False  # the server has ended the call
        self.closed = False  # the server has hung up
        self.streams_ended = 0  # by the server, of all calls
        self.data = 0  # bytes of all replies
        self._unanswered = []
        self._answered = False
        self._room = {0: DEFAULT_WINDOW, STREAM: DEFAULT_WINDOW}
        self._socket.sendall(PREFACE)
        # By default no reply waits for us.
        self._send(SETTINGS, struct.pack(
            ">HI", INITIAL_WINDOW_SIZE, reply_window))
        self._send(WINDOW_UPDATE, struct.pack(
            ">I", LARGEST_WINDOW - DEFAULT_WINDOW))

    def _send(self, kind, payload=b"", flags=0, stream=0):
        try:
            self._socket.sendall(
                len(payload).to_bytes(3, "big")
                + struct.pack(">BBI", kind, flags, stream) + payload)
        except (BrokenPipeError, ConnectionResetError):
            self.closed = True

    def call(self, method, stream=STREAM):
        """Begins the call, or another one: streams have odd numbers."""
        fields = {
            b":method": b"POST", b":scheme": b"http",
            b":path": method.encode(), b":authority": b"localhost",
            b"te": b"trailers", b"content-type": b"application/grpc"}
        self._send(HEADERS, b"".join(
            b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value
            for name, value in fields.items()), END_HEADERS, stream)

    def send_now(self, data):
        """Sends what the windows have room for; the rest."""
        data = memoryview(data)  # cut without copies
        while data and (room := min(FRAME_BYTES, *self._room.values())) > 0:
            part, data = data[:room], data[room:]
            self._send(DATA, part, stream=STREAM)
            for window in self._room:
                self._room[window] -= len(part)
        return data

    def ask(self, method, message, stream):
        """A whole call of a message that fits into a frame."""
        self.call(method, stream)
        self._send(DATA, struct.pack(">BI", 0, len(message)) + message,
                   END_STREAM, stream)

    def read_frame(self):
        """Takes one frame; its kind, or None where nothing more comes."""
        head = b""
        with contextlib.suppress(ConnectionResetError):
            head = self._input.read(9)
        if len(head) < 9:
            self.ended = self.closed = True
            return None
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        payload = self._input.read(int.from_bytes(head[:3], "big"))
        if kind == RST_STREAM or (
                kind in (DATA, HEADERS) and flags & END_STREAM):
            self.ended = True
            self.streams_ended += 1
        if kind == DATA:
            self.data += len(payload)
        if kind == SETTINGS and not flags & ACK:
            self._take_settings(payload)
            self._send(SETTINGS, flags=ACK)
        elif kind == PING and flags & ACK:
            self._answered = True
        elif kind == PING:
            self.pings += 1
            self._unanswered.append(payload)
        elif kind == WINDOW_UPDATE and stream in self._room:
            self._room[stream] += int.from_bytes(payload, "big")
        return kind

    def _take_settings(self, payload):
        for name, value in struct.iter_unpack(">HI", payload):
            if name == INITIAL_WINDOW_SIZE:
                self._room[STREAM] += value - self._initial_window
                self._initial_window = value

    def take_slowly(self):
        """What the server sends waits on its side until it is read."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)

    def answer_pings(self):
        pings, self._unanswered = self._unanswered, []
        for payload in pings:
            self._send(PING, payload, ACK)

    def send_ping(self):
        self._send(PING, bytes(8))

    def send_unknown(self):
        """A frame of a type that receivers ignore."""
        self._send(0xFA, bytes(8))

    def catch_up(self):
        """Reads what the server has sent so far."""
        self.send_ping()
        self._answered = False
        while not self._answered and self.read_frame() is not None:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with contextlib.suppress(OSError):
            self._input.close()
        self._socket.close()
