"""TLS and tokens of a connection. Raises InvalidArgument (INVALID_OPTION) before
anything is sent. No message has a token."""

from __future__ import annotations

import os
import pathlib
import re
from typing import TYPE_CHECKING, Any, NoReturn

import grpc

from torqued import errors
from torqued.address import TLS, is_local
from torqued.contract import Reason

if TYPE_CHECKING:
    from torqued.settings import Settings

_TOKEN_VARIABLE = "TORQUED_TOKEN"
# Of Debian and of Red Hat, as gRPC in C++ knows them; grpcio prefers its own.
_SYSTEM_ROOTS = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")


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
