"""How a client reaches its server: settings, addresses, TLS and tokens. Their faults are
InvalidArgument (INVALID_OPTION), before anything is sent. No message has a token."""

from __future__ import annotations

import dataclasses
import enum
import os
import pathlib
import re
from typing import Any, Callable, NoReturn

import grpc

from torqued import errors
from torqued.contract import Reason
from torqued.inputs import check_seconds, refuse
from torqued.values import Path

#: A request without bytes asks for the health of the whole server.
HEALTH_METHOD = "/grpc.health.v1.Health/Check"
#: The port on which torqued listens by default.
DEFAULT_PORT = 7421
#: Before "host:port".
TLS = "tls:"
# Addresses that gRPC resolves in its own way.
_SCHEMES = ("dns:", "ipv4:", "ipv6:", "unix:", "unix-abstract:", "vsock:", "xds:")
# With an IPv6 address in brackets.
_PLACE = re.compile(r"(\[[0-9A-Fa-f:.]+(?:%\w+)?\]|[^][:/]+)(?::([0-9]{1,5}))?")
# Hosts of this machine.
_LOCAL = re.compile(r"(localhost|\[::1\]|127(\.[0-9]{1,3}){3}):[0-9]+$")
_TOKEN_VARIABLE = "TORQUED_TOKEN"
# The files of Debian and of Red Hat, as gRPC in C++ uses them; grpcio prefers its own.
_SYSTEM_ROOTS = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")

#: Told before each wait for another try: what failed, and how long it waits, in seconds.
OnRetry = Callable[[errors.TorquedError, float], None]


class Health(enum.IntEnum):
    """The health that a server reports."""

    UNKNOWN = 0
    SERVING = 1
    NOT_SERVING = 2


@dataclasses.dataclass(frozen=True)
class Settings:
    """How a client reaches its server.

    Parameters
    ----------
    address
        "host", "host:port", "unix:/path", or what gRPC takes with a scheme
        of its own ("dns:", "ipv4:"); "tls:host:port" for TLS. A host alone, an
        IPv6 address with or without brackets, gets port 7421, torqued's own.
    deadline
        Seconds of each call, all retries included, unless the call has its own; of
        a large batch, until another part of it is answered. Infinite: none.
    wait_for_server
        Seconds for which connecting keeps trying a server that does not answer. 0: once.
    retry
        Try again, within the deadline, as docs/grpc.md says.
    on_retry
        Called before each wait for another try, with the error and the seconds.
    tls_ca
        PEM file of the CAs of which one signed the server's certificate. Like the
        three that follow, for an address "tls:host:port" alone. None: the roots of the
        system, or of the file that GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names.
    tls_cert, tls_key
        PEM files of the client's certificate; both or none.
    tls_server_name
        The name that the server's certificate must have. None: the address's host.
    token
        Identifies the client in each call (docs/security.md). Refused at an address
        of another machine without TLS. None: that of `token_file`; without both, of the
        environment variable TORQUED_TOKEN, if it is not empty.
    token_file
        A file that has the token, instead of `token`. It is read once,
        without white space at its end.
    """

    address: str
    deadline: float = 30.0
    wait_for_server: float = 0.0
    retry: bool = True
    on_retry: OnRetry | None = None
    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tls_server_name: str | None = None
    token: str | None = dataclasses.field(default=None, repr=False)
    token_file: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "address", checked_address(self.address))
        check_seconds("deadline", self.deadline)
        check_seconds("wait_for_server", self.wait_for_server)

    def channel_options(self) -> list[tuple[str, int | str]]:
        named = [] if self.tls_server_name is None else [
            ("grpc.ssl_target_name_override", self.tls_server_name)]
        return [
            *named,
            # The server limits messages.
            ("grpc.max_receive_message_length", -1),
            # A server that restarts is found again soon.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 2000),
            ("grpc.dns_min_time_between_resolutions_ms", 100),
            # A client does not inherit a connection that another one lost.
            ("grpc.use_local_subchannel_pool", 1),
            # Retries are here; without gRPC's, large messages take half the time.
            ("grpc.enable_retries", 0),
            # A server is near; the proxy of http_proxy is not asked for it.
            ("grpc.enable_http_proxy", 0),
        ]

    def credentials(self) -> grpc.ChannelCredentials | None:
        """None without TLS. Raises InvalidArgument (INVALID_OPTION)."""
        if not self.address.startswith(TLS):
            for option in ("tls_ca", "tls_cert", "tls_key", "tls_server_name"):
                if getattr(self, option) is not None:
                    _refuse(option, "only tls:HOST:PORT takes it")
            return None
        if (self.tls_cert is None) != (self.tls_key is None):
            _refuse("tls_key" if self.tls_cert is None else "tls_cert",
                    "tls_cert and tls_key need each other")
        ca = self.tls_ca
        if ca is None and not os.environ.get("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"):
            ca = next((file for file in _SYSTEM_ROOTS if os.path.exists(file)), None)
        return grpc.ssl_channel_credentials(*(
            None if file is None else _read(option, file, pem=True)
            for option, file in (("tls_ca", ca), ("tls_key", self.tls_key),
                                 ("tls_cert", self.tls_cert))))

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Of each call: its token, if there is one. Raises InvalidArgument
        (INVALID_OPTION)."""
        option, token = "token", self.token
        if self.token_file is not None:
            if token is not None:
                _refuse("token_file", "token is given as well")
            # A character outside ASCII has a refusal of its own.
            option, token = "token_file", _read(
                "token_file", self.token_file).rstrip().decode("latin-1")
        elif token is None:
            option, token = _TOKEN_VARIABLE, os.environ.get(_TOKEN_VARIABLE) or None
        if token is None:
            return ()
        # Characters that HTTP headers have, so that a space at an end is not lost.
        if not isinstance(token, str) or not re.fullmatch("[!-~]+", token):
            _refuse(option, "a token has printable ASCII characters and no spaces, and is "
                    "not empty")
        if not self.address.startswith((TLS, "unix:")) and not _LOCAL.match(self.address):
            _refuse(option, "it is sent only to tls:HOST:PORT, or within this machine, "
                    f"not to {self.address}")
        return (("authorization", f"Bearer {token}"),)


def checked_address(address: Any) -> str:
    """With the default port if a host, an IPv6 address with or without brackets, has
    none. Raises InvalidArgument (INVALID_OPTION) with "address" as field."""
    if isinstance(address, str):
        if address.startswith(_SCHEMES):
            return address
        place = address.removeprefix(TLS)
        if place.count(":") > 1 and "[" not in place:
            place = f"[{place}]"
        found = _PLACE.fullmatch(place)
        if found and 1 <= int(found[2] or DEFAULT_PORT) <= 65535:
            return (f"{TLS if address.startswith(TLS) else ''}{found[1]}:"
                    f"{found[2] or DEFAULT_PORT}")
    refuse("address", '"host", "host:port" with a port from 1 to 65535, "[IPv6]:port", '
           '"tls:host:port" or "unix:/path"', address)


def _read(option: str, file: Any, pem: bool = False) -> bytes:
    try:
        text = pathlib.Path(file).read_bytes()
    except OSError as error:
        _refuse(option, f"cannot read {file!s}: {error.strerror}")
    if pem and b"-----BEGIN " not in text:
        _refuse(option, f"{file!s} is not a PEM file")
    return text


def _refuse(option: str, why: str) -> NoReturn:
    raise errors.invalid(Reason.INVALID_OPTION, option, f"{option}: {why}") from None
