"""A container for buildah, which builds images but, without a container
runtime, cannot run them read-only: what the image is configured to run, in
namespaces of its own (see chroot-container.sh)."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

# In the container's own network, which leads nowhere.
ADDRESS = "192.0.2.1"
VOLUME_PATH = "/var/lib/torqued"
ENTER_SECONDS = 20.0
CALL_SECONDS = 120.0


class ChrootContainer:
    """The image and at most one running container of it. What was made is
    removed at the end, the volume with the models too."""

    def __init__(self, image, models, stop_seconds):
        self._image = image
        self._models = models
        self._stop_seconds = stop_seconds
        self._process = None
        self._exit = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self._work = pathlib.Path(stack.enter_context(
                tempfile.TemporaryDirectory(prefix="torqued-image-test-")))
            self._container = _buildah("from", "--pull-never", self._image)
            stack.callback(_buildah, "rm", self._container)
            self._root = pathlib.Path(_buildah("mount", self._container))
            self._make_volume()
            stack.callback(self._kill)
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._exit.close()

    def config(self):
        return json.loads(_buildah("inspect", self._container)
                          )["Docker"]["config"]

    @contextlib.contextmanager
    def archive(self):
        """The image's files as a stream in tar's format."""
        with subprocess.Popen(
                ["tar", "-C", self._root, "--numeric-owner", "-c", "."],
                stdout=subprocess.PIPE) as process:
            yield process.stdout
        if process.returncode != 0:
            raise RuntimeError("tar failed")

    def start(self, settings="", **environment):
        """settings: a file in the place of the image's."""
        config = self.config()
        self._environment = dict(
            entry.split("=", 1) for entry in config["Env"]) | environment
        script = pathlib.Path(__file__).with_name("chroot-container.sh")
        with open(self._work / "log", "wb") as log:
            # The container's first process cannot be told to end with its
            # parent, for it changes its user. So its parent is the first
            # process of a namespace around it: however this program ends, all
            # that is within goes too.
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig=KILL",
                 "unshare", "--pid", "--fork", "--kill-child=KILL",
                 "unshare", "--mount", "--net", "--ipc", "--pid", "--fork",
                 script, self._root, config["User"], self._volume, VOLUME_PATH,
                 self._models, settings, ADDRESS,
                 *config["Entrypoint"], *(config["Cmd"] or [])],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self._environment)
        self._wait_until_entered()

    def address(self):
        """One that is reached from outside too."""
        return ADDRESS

    def execute(self, *command, root=False):
        user, group = (0, 0) if root else self.config()["User"].split(":")
        return subprocess.run(
            ["nsenter", f"--target={self._pid()}", "--mount", "--net", "--ipc",
             "--pid", "--root", "--wd", f"--setuid={user}", f"--setgid={group}",
             *command],
            env=self._environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
            timeout=CALL_SECONDS)

    def stop(self):
        """The exit code after SIGTERM; that of SIGKILL if it took too long."""
        os.kill(self._pid(), signal.SIGTERM)
        try:
            return self._process.wait(self._stop_seconds)
        except subprocess.TimeoutExpired:
            return 128 + signal.SIGKILL
        finally:
            self._kill()

    def log(self):
        return (self._work / "log").read_text()

    def _make_volume(self):
        """Empty, and owned as the image says: like a new one of an engine."""
        self._volume = self._work / "volume"
        inside = self._root / VOLUME_PATH.lstrip("/")
        self._volume.mkdir()
        shutil.copystat(inside, self._volume)
        owner = inside.stat()
        os.chown(self._volume, owner.st_uid, owner.st_gid)

    def _pid(self):
        """That of the container's first process, the grandchild."""
        pid = self._process.pid
        for _ in range(2):
            children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
            try:
                pid = int(children.read_text().split()[0])
            except (OSError, IndexError):
                raise RuntimeError(
                    f"the container has ended:\n{self.log()}") from None
        return pid

    def _wait_until_entered(self):
        """Until then, a command would be run outside."""
        end = time.monotonic() + ENTER_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            with contextlib.suppress(RuntimeError, FileNotFoundError):
                if os.path.samefile(f"/proc/{self._pid()}/root/", self._root):
                    return
            time.sleep(0.02)
        raise RuntimeError(f"the container did not start:\n{self.log()}")

    def _kill(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _buildah(*command):
    result = subprocess.run(["buildah", *command], capture_output=True,
                            text=True, check=False, timeout=CALL_SECONDS)
    if result.returncode != 0:
        raise RuntimeError(f"buildah {' '.join(command)}: {result.stderr}")
    return result.stdout.strip()
