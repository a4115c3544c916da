"""A container of docker or podman, started as docs/operations.md shows."""

import contextlib
import json
import os
import subprocess

CALL_SECONDS = 120.0


class EngineContainer:
    """The image and at most one running container of it. What was made is
    removed at the end, the volume with the models too."""

    def __init__(self, engine, image, models, stop_seconds):
        self._engine = engine
        self._image = image
        self._models = models
        self._stop_seconds = stop_seconds
        self._name = f"torqued-image-test-{os.getpid()}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._remove()
        self._call("volume", "rm", "--force", self._name, check=False)

    def config(self):
        image = json.loads(self._call("image", "inspect", self._image))[0]
        # podman keeps the health check beside the configuration.
        return {"Healthcheck": image.get("Healthcheck"), **image["Config"]}

    @contextlib.contextmanager
    def archive(self):
        """The image's files as a stream in tar's format."""
        self._call("create", "--name", self._name, self._image)
        try:
            with subprocess.Popen([self._engine, "export", self._name],
                                  stdout=subprocess.PIPE) as process:
                yield process.stdout
        finally:
            self._remove()
        if process.returncode != 0:
            raise RuntimeError(f"{self._engine} export failed")

    def start(self, settings="", **environment):
        """settings: a file in the place of the image's."""
        more = [f"--env={name}={value}" for name, value in environment.items()]
        if settings:
            more.append(f"--volume={settings}:/etc/torqued/torqued.toml:ro")
        self._call(
            "run", "--detach", "--name", self._name, "--read-only",
            "--tmpfs=/tmp", f"--volume={self._name}:/var/lib/torqued",
            f"--volume={self._models}:/mnt:ro", *more, self._image)

    def address(self):
        """One that is reached from outside too."""
        return self.execute("hostname", "-i").stdout.split()[0]

    def execute(self, *command, root=False):
        user = ["--user=0"] if root else []
        return subprocess.run(
            [self._engine, "exec", *user, self._name, *command],
            capture_output=True, text=True, check=False,
            timeout=CALL_SECONDS)

    def stop(self):
        """The exit code after SIGTERM; that of SIGKILL if it took too long."""
        self._call("stop", f"--time={self._stop_seconds}", self._name)
        code = int(self._call("wait", self._name))
        self._remove()
        return code

    def log(self):
        result = subprocess.run(
            [self._engine, "logs", self._name], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
            timeout=CALL_SECONDS)
        return result.stdout

    def _remove(self):
        self._call("rm", "--force", "--volumes", self._name, check=False)

    def _call(self, *command, check=True):
        result = subprocess.run([self._engine, *command], capture_output=True,
                                text=True, check=False,
                                timeout=CALL_SECONDS)
        if check and result.returncode != 0:
            raise RuntimeError(
                f"{self._engine} {' '.join(command)}: {result.stderr}")
        return result.stdout
