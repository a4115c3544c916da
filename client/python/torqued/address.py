"""Where a server listens: gRPC takes ports modulo 65536, and no port for that
of HTTPS."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from torqued import errors
from torqued.contract import Reason
from torqued.checking import refuse

#: What torqued listens on unless told otherwise.
DEFAULT_PORT = 7421
#: Before "host:port".
TLS = "tls:"
_FORMS = '"host", "host:port", "tls:host:port" or "unix:/path"'
# What gRPC resolves in its own way.
_SCHEMES = ("dns:", "ipv4:", "ipv6:", "unix-abstract:", "vsock:", "xds:")


def checked_address(address: Any) -> str:
    """With the default port where a host, an IPv6 address with or without
    brackets, has none. Raises InvalidArgument (INVALID_OPTION) with "address"
    as field."""
    if not isinstance(address, str):
        refuse("address", _FORMS, address)
    if address.startswith(_SCHEMES):
        return address
    if address.startswith("unix:"):
        if address == "unix:":
            _refuse(address, "it names no socket")
        return address
    if "://" in address:
        _refuse(address, "it has no scheme and no path")
    if address.startswith("mtls:"):
        _refuse(address, "a client writes tls: for it")
    place = address.removeprefix(TLS)
    host, port = _parts(place)
    if not host:
        _refuse(address, "there is no host")
    if host.startswith("[") != host.endswith("]") or (
            host.startswith("[") and not _is_ipv6(host[1:-1])):
        _refuse(address, f"{host} is no IPv6 address")
    if ":" in host and not host.startswith("["):
        _refuse(address, "an IPv6 address needs brackets")
    if "/" in host:
        _refuse(address, f"{host!r} is no host")
    if not (port.isascii() and port.isdecimal() and 1 <= int(port) <= 65535):
        _refuse(address, "a port is a number from 1 to 65535")
    return f"{address[:-len(place)]}{host}:{port}"


def is_local(address: str) -> bool:
    """Whether only this machine is there: a Unix socket, localhost, 127.*.*.*,
    [::1]."""
    host = address.rpartition(":")[0]
    return address.startswith("unix:") or host in ("localhost", "[::1]") or (
        re.fullmatch(r"127(\.[0-9]{1,3}){3}", host) is not None)


def _parts(address: str) -> tuple[str, str]:
    """Host, an IPv6 address in brackets, and port."""
    if ":" not in address or (
            address.startswith("[") and address.endswith("]")):
        return address, str(DEFAULT_PORT)
    host, _, port = address.rpartition(":")
    # What stands behind the last colon may be a port: "::1:7421".
    if _is_ipv6(address) and not (port.isdecimal() and _is_ipv6(host)):
        return f"[{address}]", str(DEFAULT_PORT)
    return host, port


def _is_ipv6(host: str) -> bool:
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True


def _refuse(address: str, why: str) -> None:
    raise errors.invalid(
        Reason.INVALID_OPTION, "address",
        f"address takes {_FORMS}, not {address[:200]!r}: {why}")
