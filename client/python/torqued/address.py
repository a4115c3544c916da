"""Addresses: gRPC takes ports modulo 65536, and no port for that of HTTPS."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from torqued.checking import refuse

#: What torqued listens on unless told otherwise.
DEFAULT_PORT = 7421
#: Before "host:port".
TLS = "tls:"
# What gRPC resolves in its own way.
_SCHEMES = ("dns:", "ipv4:", "ipv6:", "unix:", "unix-abstract:", "vsock:", "xds:")


def checked_address(address: Any) -> str:
    """With the default port if a host, an IPv6 address with or without brackets, has
    none. Raises InvalidArgument (INVALID_OPTION) with "address" as field."""
    if isinstance(address, str):
        if address.startswith(_SCHEMES):
            return address
        place = address.removeprefix(TLS)
        # What stands behind the last colon may be a port: "::1:7421".
        if _is_ipv6(place) and not _is_ipv6(place.rpartition(":")[0]):
            place = f"[{place}]"
        found = re.fullmatch(r"(\[(.+)\]|[^][:/]+)(?::([0-9]{1,5}))?", place)
        port = int(found[3] or DEFAULT_PORT) if found else 0
        if found and 1 <= port <= 65535 and (found[2] is None or _is_ipv6(found[2])):
            return f"{TLS if address.startswith(TLS) else ''}{found[1]}:{port}"
    refuse("address", '"host", "host:port" with a port from 1 to 65535, "[IPv6]:port", '
           '"tls:host:port" or "unix:/path"', address)


def is_local(address: str) -> bool:
    """Whether only this machine is there: a Unix socket, localhost, 127.*.*.*, [::1]."""
    host = address.rpartition(":")[0]
    return address.startswith("unix:") or host in ("localhost", "[::1]") or (
        re.fullmatch(r"127(\.[0-9]{1,3}){3}", host) is not None)


def _is_ipv6(host: str) -> bool:
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True
