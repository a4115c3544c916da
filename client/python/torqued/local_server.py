"""A server of one's own, for as long as it is needed."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Sequence
from types import TracebackType

from torqued.errors import LocalServerError

_LOG_BYTES = 4096
_POLL_SECONDS = 0.005
# Longest path of a Unix socket.
_SOCKET_PATH_BYTES = 107


def find_server() -> str:
    """The server's program: the one that TORQUED_SERVER names, else the one in this
    package, if its wheel has one, else the first `torqued` on the PATH. Raises
    LocalServerError."""
    named = os.environ.get("TORQUED_SERVER")
    if named:
        if _is_executable(named):
            return named
        raise LocalServerError(f"TORQUED_SERVER is {named}, which is no executable file")
    packaged = pathlib.Path(__file__).with_name("server") / "torqued"
    found = str(packaged) if packaged.exists() else shutil.which("torqued")
    if found:
        return found
    raise LocalServerError(
        "there is no executable torqued on the PATH: name it with `binary` or "
        "with the environment variable TORQUED_SERVER")


class LocalServer:
    """A server on a Unix socket in a directory of its own, which only this user
    may enter.

    binary: its program; None: see `find_server`. store: file of its models;
    None: a temporary one. models: directory whose *.urdf it registers.
    arguments: more of its flags. start_timeout, stop_timeout: seconds.

    It ends with `stop`, at the end of a `with` block, when nothing refers to it
    any more, with the program, and also when the program is killed; its directory
    goes with it. Raises LocalServerError where it does not serve in time.
    """

    def __init__(self, binary: str | os.PathLike[str] | None = None, *,
                 store: str | os.PathLike[str] | None = None,
                 models: str | os.PathLike[str] | None = None,
                 arguments: Sequence[str] = (), start_timeout: float = 10.0,
                 stop_timeout: float = 10.0) -> None:
        program = os.fspath(binary) if binary is not None else find_server()
        if not _is_executable(program):
            raise LocalServerError(f"{program} is no executable file")
        directory = pathlib.Path(tempfile.mkdtemp(prefix="torqued-"))
        socket = directory / "socket"
        listen = (f"unix:{socket}"
                  if len(os.fsencode(socket)) <= _SOCKET_PATH_BYTES
                  and "%" not in str(socket) else "127.0.0.1:0")
        command = [
            os.path.abspath(program), "--listen", listen, "--address-file",
            str(directory / "address"), "--store", os.fspath(store) if store is not None
            else str(directory / "models.db")]
        if models is not None:
            command += ["--models", os.fspath(models)]
        command += arguments
        self._program = program
        self._directory = directory
        self._process = _Process(command, directory)
        self._end = weakref.finalize(
            self, _Process.end, self._process, stop_timeout, os.getpid())
        try:
            self.address = self._wait(start_timeout)
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def log(self) -> str:
        """The end of what it wrote to stderr."""
        return self._process.log()

    def stop(self) -> None:
        """Ends it in order, or by force after `stop_timeout`. Does nothing the
        second time."""
        self._end()

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _wait(self, seconds: float) -> str:
        give_up = time.monotonic() + seconds
        address = self._directory / "address"
        while True:
            code = self._process.poll()
            if code is not None:
                raise LocalServerError(self._problem(
                    f"exited with code {code}" if code >= 0
                    else f"was killed by signal {-code}"))
            try:
                text = address.read_text(encoding="utf-8")
            except FileNotFoundError:
                text = ""
            # Without its newline it is still being written.
            if text.endswith("\n"):
                return text.splitlines()[0]
            if time.monotonic() >= give_up:
                raise LocalServerError(self._problem(f"did not serve within {seconds} s"))
            time.sleep(_POLL_SECONDS)

    def _problem(self, what: str) -> str:
        log = self.log()
        return f"the local server {self._program} {what}" + (
            f"; it wrote:\n{log}" if log else "")


class _Process:
    """The kernel ends a child with the *thread* that started it (setpriv's
    parent-death signal), so a thread of its own starts it and stays."""

    def __init__(self, command: list[str], directory: pathlib.Path) -> None:
        self._directory = directory
        self._log = directory / "stderr"
        setpriv = shutil.which("setpriv")
        if setpriv:
            command = [setpriv, "--pdeathsig", "TERM", *command]
        self._started = threading.Event()
        self._failure: OSError | None = None
        self._child: subprocess.Popen[bytes] | None = None
        threading.Thread(
            target=self._keep, args=(command,), name="torqued-server",
            daemon=True).start()
        self._started.wait()
        if self._child is None:
            shutil.rmtree(directory, ignore_errors=True)
            raise LocalServerError(f"cannot start {command[0]}: {self._failure}")

    def _keep(self, command: list[str]) -> None:
        try:
            with self._log.open("ab") as log:
                # Without preexec_fn: no Python runs between fork and exec.
                self._child = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True)
        except OSError as error:
            self._failure = error
        self._started.set()
        if self._child is not None:
            self._child.wait()

    @property
    def pid(self) -> int:
        assert self._child is not None
        return self._child.pid

    def poll(self) -> int | None:
        assert self._child is not None
        return self._child.poll()

    def log(self) -> str:
        try:
            return self._log.read_bytes()[-_LOG_BYTES:].decode(errors="replace")
        except OSError:
            return ""

    def end(self, seconds: float, owner: int) -> None:
        # What a fork inherits is not its own to end.
        if os.getpid() != owner:
            return
        child = self._child
        assert child is not None
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(seconds)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        shutil.rmtree(self._directory, ignore_errors=True)


def _is_executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
