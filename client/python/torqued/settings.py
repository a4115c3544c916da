"""How a client speaks to its server: settings, addresses, TLS and tokens; the same for
both kinds of client. What is wrong with them is InvalidArgument (INVALID_OPTION), before
anything is sent. No message has a token."""

from __future__ import annotations

import dataclasses
import enum
import ipaddress
import os
import pathlib
import re
from typing import Any, NoReturn, Optional

import grpc

from torqued import errors
from torqued.checking import check_number, refuse
from torqued.contract import Reason
from torqued.retry import OnRetry
from torqued.values import Path

HEALTH_METHOD = "/grpc.health.v1.Health/Check"
#: A HealthCheckRequest of the whole server.
HEALTH_REQUEST = b""
#: What torqued listens on unless told otherwise.
DEFAULT_PORT = 7421
#: Before "host:port".
TLS = "tls:"
# What gRPC resolves in its own way.
_SCHEMES = ("dns:", "ipv4:", "ipv6:", "unix:", "unix-abstract:", "vsock:", "xds:")
_TOKEN_VARIABLE = "TORQUED_TOKEN"
# Of Debian and of Red Hat, as gRPC in C++ knows them; grpcio prefers its own.
_SYSTEM_ROOTS = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")


class Health(enum.IntEnum):
    """What a server says of itself."""

    UNKNOWN = 0
    SERVING = 1
    NOT_SERVING = 2


@dataclasses.dataclass(frozen=True)
class Settings:
    """
    address: "host", "host:port", "unix:/path", or what gRPC takes with a scheme
        of its own ("dns:", "ipv4:"); "tls:host:port" for TLS. A host alone, an
        IPv6 address with or without brackets, gets port 7421, torqued's own.
    deadline: seconds of each call, all retries included, unless the call has its own; of
        a large batch, until another part of it is answered. Infinite: none.
    wait_for_server: seconds for which connecting keeps trying a server that
        does not answer. 0: the first refused connection is final.
    max_message_bytes: largest message in either direction; batches are cut to
        stay below. -1: no limit.
    chunk_rows: most states of one call; a larger batch travels in several. None:
        as many as 1 MiB holds. Fewer go to a server that takes less at a time.
    retry: try again, within the deadline, what changes nothing on the server
        (computations and reads) and failed with UNAVAILABLE or OVERLOADED, for
        a lost connection, or for a cancellation that the caller has not asked
        for. Of a large batch only what is not answered. What does change
        something is tried again only where a server that shuts down has refused
        it (DRAINING). docs/retries.md says when and how often.
    on_retry: called before each wait for another try, with the error and the seconds.
    tls_ca: PEM file of the CAs of which one signed the server's certificate, for
        an address "tls:host:port" like the three that follow; others refuse
        them. None: the roots of the system, or of the file that the environment
        variable GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names.
    tls_cert, tls_key: PEM files of the client's certificate; both or none.
    tls_server_name: the name that the server's certificate must have. None: the
        address's host.
    token: identifies the client in each call (docs/security.md). Refused at an address
        of another machine without TLS. None: that of `token_file`; without both, of the
        environment variable TORQUED_TOKEN, if it is not empty.
    token_file: a file that has the token, instead of `token`. It is read once,
        without white space at its end.
    """

    address: str
    deadline: float = 30.0
    wait_for_server: float = 0.0
    max_message_bytes: int = 16 * 1024 * 1024
    chunk_rows: Optional[int] = None
    retry: bool = True
    on_retry: Optional[OnRetry] = None
    tls_ca: Optional[Path] = None
    tls_cert: Optional[Path] = None
    tls_key: Optional[Path] = None
    tls_server_name: Optional[str] = None
    token: Optional[str] = dataclasses.field(default=None, repr=False)
    token_file: Optional[Path] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "address", checked_address(self.address))
        check_number("deadline", self.deadline, "seconds", 0)
        check_number("wait_for_server", self.wait_for_server, "seconds", 0)
        if self.chunk_rows is not None:
            check_number("chunk_rows", self.chunk_rows, "a whole number", 1)
        if self.max_message_bytes == -1:
            object.__setattr__(self, "max_message_bytes", 2**31 - 1)

    def channel_options(self) -> list[tuple[str, int | str]]:
        named = [] if self.tls_server_name is None else [
            ("grpc.ssl_target_name_override", self.tls_server_name)]
        return [
            *named,
            ("grpc.max_receive_message_length", self.max_message_bytes),
            ("grpc.max_send_message_length", self.max_message_bytes),
            # A server that restarts is found again soon.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 2000),
            ("grpc.dns_min_time_between_resolutions_ms", 100),
            # Nor does a client inherit a connection that another one lost.
            ("grpc.use_local_subchannel_pool", 1),
            # Calls that may be repeated are repeated here; and without it large
            # messages take half the time.
            ("grpc.enable_retries", 0),
            # A server is near; the proxy of http_proxy is not asked for it.
            ("grpc.enable_http_proxy", 0),
        ]


def health_of(reply: bytes) -> Health:
    """A HealthCheckResponse, which has one field, an enum."""
    if len(reply) == 2 and reply[0] == 0x08 and reply[1] in (1, 2):
        return Health(reply[1])
    return Health.UNKNOWN


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


def credentials_of(settings: Settings) -> grpc.ChannelCredentials | None:
    """None without TLS."""
    if not settings.address.startswith(TLS):
        for option in ("tls_ca", "tls_cert", "tls_key", "tls_server_name"):
            if getattr(settings, option) is not None:
                _refuse(option, "only tls:HOST:PORT takes it")
        return None
    if (settings.tls_cert is None) != (settings.tls_key is None):
        _refuse("tls_key" if settings.tls_cert is None else "tls_cert",
                "tls_cert and tls_key need each other")
    ca, cert, key = (_pem(option, getattr(settings, option))
                     for option in ("tls_ca", "tls_cert", "tls_key"))
    if ca is None and not os.environ.get("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"):
        ca = next((_pem("tls_ca", file) for file in _SYSTEM_ROOTS
                   if os.path.exists(file)), None)
    return grpc.ssl_channel_credentials(ca, key, cert)


def metadata_of(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Of each call: its token, if there is one."""
    option, token = _token(settings)
    if token is None:
        return ()
    # Of what HTTP headers hold, so that a space at an end is not lost.
    if not isinstance(token, str) or not re.fullmatch("[!-~]+", token):
        _refuse(option, "a token has printable ASCII characters and no spaces")
    if not settings.address.startswith(TLS) and not is_local(settings.address):
        _refuse(option, "a token is sent only to tls:HOST:PORT, a Unix socket or "
                f"this machine, not to {settings.address}")
    return (("authorization", f"Bearer {token}"),)


def _token(settings: Settings) -> tuple[str, str | None]:
    """With the option or the variable that it comes from."""
    if settings.token_file is not None:
        if settings.token is not None:
            _refuse("token_file", "token is given as well")
        text = _read("token_file", settings.token_file).rstrip()
        if not text:
            _refuse("token_file", f"{settings.token_file!s} is empty")
        # What is not ASCII is refused as such.
        return "token_file", text.decode("latin-1")
    if settings.token is not None:
        return "token", settings.token
    return _TOKEN_VARIABLE, os.environ.get(_TOKEN_VARIABLE) or None


def _pem(option: str, file: str | os.PathLike[str] | None) -> bytes | None:
    text = None if file is None else _read(option, file)
    if text is not None and b"-----BEGIN " not in text:
        _refuse(option, f"{file!s} is not a PEM file")
    return text


def _read(option: str, file: Any) -> bytes:
    try:
        return pathlib.Path(file).read_bytes()
    except OSError as error:
        _refuse(option, f"cannot read {file!s}: {error.strerror}")
    except TypeError:
        _refuse(option, f"a path is needed, not {type(file).__name__}")


def _refuse(option: str, why: str) -> NoReturn:
    raise errors.invalid(Reason.INVALID_OPTION, option, f"{option}: {why}") from None
