"""Ports that no other process is given."""

import socket

_HOLDERS = []


def held_address():
    """An address of the loopback interface without a listener. This process
    holds its port until it ends; servers of the test may listen there, one after
    the other."""
    holder = socket.socket()
    # As servers do: they may then listen beside a socket that does not.
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    _HOLDERS.append(holder)
    return f"127.0.0.1:{holder.getsockname()[1]}"
