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
from concurrent import futures

from torqued.errors import LocalServerError
from torqued.values import Entered, Path

_START_SECONDS = 15.0
_STOP_SECONDS = 10.0
_POLL_SECONDS = 0.005


def find_server() -> str:
    """The program that TORQUED_BINARY names, else the one in this package's wheel, else
    the first `torqued` on the PATH. Raises LocalServerError."""
    packaged = pathlib.Path(__file__).with_name("server") / "torqued"
    found = os.environ.get("TORQUED_BINARY") or (
        str(packaged) if packaged.exists() else shutil.which("torqued"))
    if not found:
        raise LocalServerError(
            "there is no executable torqued on the PATH: name it with `binary` or with the "
            "environment variable TORQUED_BINARY")
    return found


class LocalServer(Entered):
    """A server on a Unix socket in a directory of its own, which only this user may enter.

    It ends with `stop`, at the end of a `with` block, when nothing refers to it any more,
    with the program, and also when the program is killed; its directory goes with it.

    Parameters
    ----------
    binary
        Its program; None: see `find_server`.
    store
        File of its models; None: a temporary one.
    arguments
        More of its flags.

    Raises
    ------
    LocalServerError
        It does not serve within 15 s.
    """

    def __init__(self, binary: Path | None = None, *, store: Path | None = None,
                 arguments: Sequence[str] = ()) -> None:
        self._program = find_server() if binary is None else os.fspath(binary)
        self._directory = directory = pathlib.Path(tempfile.mkdtemp(prefix="torqued-"))
        command = [
            os.path.abspath(self._program), "--listen", f"unix:{directory}/socket",
            "--address-file", str(directory / "address"),
            "--store", os.fspath(directory / "models.db" if store is None else store),
            *arguments]
        setpriv = shutil.which("setpriv")
        if setpriv:
            command = [setpriv, "--pdeathsig", "TERM", *command]
        try:
            self._child = _started(command, directory / "stderr")
        except OSError as error:
            shutil.rmtree(directory, ignore_errors=True)
            raise LocalServerError(f"cannot start {self._program}: {error}") from None
        self._end = weakref.finalize(self, _end, self._child, directory, os.getpid())
        try:
            self.address = self._wait()
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self._child.pid

    def log(self) -> str:
        """The end of what it wrote to stderr."""
        file = self._directory / "stderr"
        return file.read_bytes()[-4096:].decode(errors="replace") if file.exists() else ""

    def stop(self) -> None:
        """Ends it in order, or by force after 10 s. Does nothing the second time."""
        self._end()

    close = stop

    def _wait(self) -> str:
        give_up = time.monotonic() + _START_SECONDS
        file = self._directory / "address"
        while self._child.poll() is None and time.monotonic() < give_up:
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            # Without its newline it is still being written.
            if text.endswith("\n"):
                return text.splitlines()[0]
            time.sleep(_POLL_SECONDS)
        code, log = self._child.poll(), self.log()
        problem = (f"did not serve within {_START_SECONDS} s" if code is None
                   else f"exited with code {code}")
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
                started.set_result(subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                    start_new_session=True))
        except OSError as error:
            started.set_exception(error)
        else:
            started.result().wait()

    threading.Thread(target=keep, name="torqued-server", daemon=True).start()
    return started.result()


def _end(child: subprocess.Popen[bytes], directory: pathlib.Path, owner: int) -> None:
    # A fork must not end the server that it inherits.
    if os.getpid() != owner:
        return
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    shutil.rmtree(directory, ignore_errors=True)
