"""Cgroups that limit the memory of what a test starts."""

import contextlib
import os
import pathlib
import time

import pytest

MOUNT = pathlib.Path("/sys/fs/cgroup")


def _own_folders():
    """Folders of the cgroups that have the memory of this process."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            root = MOUNT / "memory"
        elif controllers == "":
            root = MOUNT
        else:
            continue
        # In a container the path may be that of the machine. In version 2 a cgroup
        # that has processes gives its children no limits.
        folder = root / path.lstrip("/")
        yield from (folder, folder.parent) if folder.is_dir() else (root,)


class Cgroup:
    """One below that of this process."""

    def __init__(self, folder, limit_file, peak_file):
        self.folder = folder
        self._limit = folder / limit_file
        self._peak = folder / peak_file

    @property
    def command(self):
        """What runs a command within it."""
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"',
                self.folder / "cgroup.procs"]

    def limit(self, memory):
        """Bytes, a multiple of the size of pages."""
        self._limit.write_text(str(memory))
        assert int(self._limit.read_text()) == memory

    def peak(self):
        """Most bytes in use so far, with what can be given back; None where
        the system does not say."""
        return int(self._peak.read_text()) if self._peak.exists() else None

    def remove(self):
        give_up = time.monotonic() + 20
        while True:
            try:
                return self.folder.rmdir()
            except OSError:  # what was in it is ending
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.01)


@contextlib.contextmanager
def limited(memory):
    """A Cgroup; skips the test where the machine allows none."""
    for parent in _own_folders():
        for left in parent.glob("torqued-test-*"):
            if not pathlib.Path("/proc", left.name.split("-")[2]).exists():
                with contextlib.suppress(OSError):  # its test was killed
                    left.rmdir()
        folder = parent / f"torqued-test-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        version_2 = (folder / "memory.max").exists()
        names = (("memory.max", "memory.peak") if version_2 else
                 ("memory.limit_in_bytes", "memory.max_usage_in_bytes"))
        cgroup = Cgroup(folder, *names)
        try:
            if (folder / names[0]).exists():
                cgroup.limit(memory)
                yield cgroup
                return
        finally:
            cgroup.remove()
    pytest.skip("no cgroup with a limit of memory may be made here")
