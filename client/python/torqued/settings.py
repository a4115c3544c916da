"""How a client speaks to its server; the same for both kinds of client."""

from __future__ import annotations

import dataclasses
import enum
from typing import Optional

from torqued.address import checked_address
from torqued.checking import check_count, check_seconds
from torqued.retry import OnRetry
from torqued.values import Path

HEALTH_METHOD = "/grpc.health.v1.Health/Check"
#: A HealthCheckRequest of the whole server.
HEALTH_REQUEST = b""


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
        check_seconds("deadline", self.deadline)
        check_seconds("wait_for_server", self.wait_for_server)
        if self.chunk_rows is not None:
            check_count("chunk_rows", self.chunk_rows)
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
