"""Sends a flood over one or several connections, and again over new ones where
the server ends them, within a time and a number of bytes."""

import dataclasses
import selectors
import socket
import struct
import time

import http2

# Another address than that of the clients that are to be served meanwhile.
ATTACKER = "127.0.0.2"
# Of waiting for the server's first settings.
OPENING_SECONDS = 5.0


@dataclasses.dataclass
class Sent:
    bytes: int = 0
    connections: int = 0
    ended: int = 0  # of them by the server
    refused: int = 0  # connections that the server did not take


def connect(address, timeout=OPENING_SECONDS, source=ATTACKER):
    if address.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout)
        connection.connect(address.removeprefix("unix:"))
        return connection
    host, port = address.rsplit(":", 1)
    return socket.create_connection(
        (host, int(port)), timeout, (source, 0))


def _read_exactly(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise ConnectionResetError
        data += part
    return data


def _await_settings(connection):
    head = _read_exactly(connection, 9)
    _read_exactly(connection, int.from_bytes(head[:3], "big"))
    assert head[3] == http2.SETTINGS


def is_served(address):
    """Whether the server takes a connection of the attacker's address."""
    try:
        with connect(address) as connection:
            connection.sendall(http2.PREFACE + bytes(3) + struct.pack(
                ">BBI", http2.SETTINGS, 0, 0))
            _await_settings(connection)
    except OSError:
        return False
    return True


class _Sender:
    """One connection with the flood on it."""

    def __init__(self, address, flood):
        self.flood = flood
        self.socket = connect(address)
        try:
            settings = struct.pack(
                ">HI", http2.INITIAL_WINDOW_SIZE, http2.LARGEST_WINDOW)
            self.socket.sendall(
                http2.PREFACE + len(settings).to_bytes(3, "big")
                + struct.pack(">BBI", http2.SETTINGS, 0, 0) + settings)
            if flood.acknowledges:
                _await_settings(self.socket)
                self.socket.sendall(
                    bytes(3) + struct.pack(">BBI", http2.SETTINGS, http2.ACK, 0))
            self.socket.sendall(flood.opening)
        except OSError:
            self.socket.close()
            raise
        self.socket.setblocking(False)
        self._blocks = flood.blocks()
        self._rest = memoryview(b"")
        self.through = False  # nothing more is to be sent
        self._begin = time.monotonic()
        self.sent = 0

    def send(self):
        """Sends what is taken; how many bytes."""
        if self.flood.rate is not None:
            allowed = ((time.monotonic() - self._begin) * self.flood.rate
                       * len(self.flood.pattern))
            if self.sent > allowed:
                time.sleep(0.001)
                return 0
        if not self._rest:
            self._rest = memoryview(next(self._blocks, b""))
        if not self._rest:
            self.through = True
            return 0
        count = self.socket.send(self._rest)
        self._rest = self._rest[count:]
        self.sent += count
        return count

    def read(self):
        """Whether more may come."""
        return bool(self.socket.recv(1 << 16))


def attack(address, flood, seconds, most_bytes=None, connections=1,
           most_ended=None):
    """Ends with all connections closed, early once so many of them were ended.
    A connection that the server ends is followed by a new one."""
    sent = Sent()
    most_bytes = flood.enough if most_bytes is None else most_bytes
    end = time.monotonic() + seconds
    with selectors.DefaultSelector() as ready:

        def begin():
            try:
                sender = _Sender(address, flood)
            except OSError:
                sent.refused += 1
                time.sleep(0.05)
                return
            sent.connections += 1
            events = selectors.EVENT_WRITE
            if flood.reads:
                events |= selectors.EVENT_READ
            ready.register(sender.socket, events, sender)

        def stop(sender):
            ready.unregister(sender.socket)
            sender.socket.close()

        while (time.monotonic() < end and sent.bytes < most_bytes
               and (most_ended is None or sent.ended < most_ended)):
            while (len(ready.get_map()) < connections
                   and time.monotonic() < end):
                begin()
            for key, events in ready.select(0.1):
                sender = key.data
                try:
                    going = True
                    if events & selectors.EVENT_READ:
                        going = sender.read()
                    if going and events & selectors.EVENT_WRITE:
                        sent.bytes += sender.send()
                        if sender.through:
                            ready.modify(
                                sender.socket, selectors.EVENT_READ, sender)
                except BlockingIOError:
                    pass
                except OSError:
                    going = False
                if not going:
                    sent.ended += 1
                    stop(sender)
        for key in list(ready.get_map().values()):
            stop(key.data)
    return sent
