"""A server of one's own, for as long as it is needed."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Sequence
from concurrent import futures

from torqued.errors import LocalServerError
from torqued.values import Entered, Path

_LOG_BYTES = 4096
_POLL_SECONDS = 0.005
# Longest path of a Unix socket.
_SOCKET_PATH_BYTES = 107


def find_server() -> str:
    """The server's program: the one that TORQUED_SERVER names, else the one in this
    package, if its wheel has one, else the first `torqued` on the PATH. Raises
    LocalServerError."""
    packaged = pathlib.Path(__file__).with_name("server") / "torqued"
    found = os.environ.get("TORQUED_SERVER") or (
        str(packaged) if packaged.exists() else shutil.which("torqued"))
    if found:
        return found
    raise LocalServerError(
        "there is no executable torqued on the PATH: name it with `binary` or with the "
        "environment variable TORQUED_SERVER")


class LocalServer(Entered):
    """A server on a Unix socket in a directory of its own, which only this user may
    enter.

    binary: its program; None: see `find_server`. store: file of its models; None: a
    temporary one. models: directory whose *.urdf it registers. arguments: more of its
    flags. start_timeout, stop_timeout: seconds.

    It ends with `stop`, at the end of a `with` block, when nothing refers to it any more,
    with the program, and also when the program is killed; its directory goes with it.
    Raises LocalServerError if it does not serve in time.
    """

    def __init__(self, binary: Path | None = None, *, store: Path | None = None,
                 models: Path | None = None, arguments: Sequence[str] = (),
                 start_timeout: float = 15.0, stop_timeout: float = 10.0) -> None:
        self._program = find_server() if binary is None else os.fspath(binary)
        self._directory = directory = pathlib.Path(tempfile.mkdtemp(prefix="torqued-"))
        socket = str(directory / "socket")
        fits = len(os.fsencode(socket)) <= _SOCKET_PATH_BYTES and "%" not in socket
        command = [
            os.path.abspath(self._program),
            "--listen", f"unix:{socket}" if fits else "127.0.0.1:0",
            "--address-file", str(directory / "address"),
            "--store", os.fspath(directory / "models.db" if store is None else store),
            *([] if models is None else ["--models", os.fspath(models)]), *arguments]
        setpriv = shutil.which("setpriv")
        if setpriv:
            command = [setpriv, "--pdeathsig", "TERM", *command]
        try:
            self._child = _started(command, directory / "stderr")
        except OSError as error:
            shutil.rmtree(directory, ignore_errors=True)
            raise LocalServerError(f"cannot start {self._program}: {error}") from None
        self._end = weakref.finalize(
            self, _end, self._child, directory, stop_timeout, os.getpid())
        try:
            self.address = self._wait(start_timeout)
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self._child.pid

    def log(self) -> str:
        """The end of what it wrote to stderr."""
        with contextlib.suppress(OSError):
            return (self._directory / "stderr").read_bytes()[-_LOG_BYTES:].decode(
                errors="replace")
        return ""

    def stop(self) -> None:
        """Ends it in order, or by force after `stop_timeout`. Does nothing the second
        time."""
        self._end()

    close = stop

    def _wait(self, seconds: float) -> str:
        give_up = time.monotonic() + seconds
        file = self._directory / "address"
        problem = f"did not serve within {seconds} s"
        while time.monotonic() < give_up:
            code = self._child.poll()
            if code is not None:
                problem = (f"exited with code {code}" if code >= 0
                           else f"was killed by signal {-code}")
                break
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            # Without its newline it is still being written.
            if text.endswith("\n"):
                return text.splitlines()[0]
            time.sleep(_POLL_SECONDS)
        log = self.log()
        raise LocalServerError(f"the local server {self._program} {problem}"
                               + (f"; it wrote:\n{log}" if log else ""))


def _started(command: list[str], log: pathlib.Path) -> subprocess.Popen[bytes]:
    """By a thread of its own, which stays: the kernel ends a child with the *thread* that
    started it (setpriv's parent-death signal)."""
    started: futures.Future[subprocess.Popen[bytes]] = futures.Future()

    def keep() -> None:
        try:
            with log.open("ab") as file:
                # Without preexec_fn: no Python runs between fork and exec.
                child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file,
                                         stderr=file, start_new_session=True)
        except OSError as error:
            started.set_exception(error)
            return
        started.set_result(child)
        child.wait()

    threading.Thread(target=keep, name="torqued-server", daemon=True).start()
    return started.result()


def _end(child: subprocess.Popen[bytes], directory: pathlib.Path, seconds: float,
         owner: int) -> None:
    # What a fork inherits is not its own to end.
    if os.getpid() != owner:
        return
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    shutil.rmtree(directory, ignore_errors=True)
