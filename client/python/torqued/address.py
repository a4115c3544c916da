"""Where a server listens: gRPC takes ports modulo 65536, and no port for
another one."""

from __future__ import annotations

from typing import Any

from torqued import errors
from torqued.enums import Reason
from torqued.option_types import refuse

_FORMS = '"host:port" or "unix:/path"'
# What gRPC resolves in its own way.
_SCHEMES = ("dns:", "ipv4:", "ipv6:", "unix-abstract:", "vsock:", "xds:")


def check_address(address: Any) -> None:
    """Raises InvalidArgument (INVALID_OPTION) with "address" as field."""
    if not isinstance(address, str):
        refuse("address", _FORMS, address)
    if address.startswith(_SCHEMES):
        return
    if address.startswith("unix:"):
        if address == "unix:":
            _refuse(address, "it names no socket")
        return
    host, colon, port = address.rpartition(":")
    if "://" in address:
        _refuse(address, "it has no scheme and no path")
    if not colon or not host:
        _refuse(address, "there is no host" if colon else "there is no port")
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        _refuse(address, "an IPv6 address needs brackets")
    if not (port.isascii() and port.isdecimal() and 1 <= int(port) <= 65535):
        _refuse(address, "a port is a number from 1 to 65535")


def _refuse(address: str, why: str) -> None:
    raise errors.invalid(
        Reason.INVALID_OPTION, "address",
        f"address takes {_FORMS}, not {address[:200]!r}: {why}")
