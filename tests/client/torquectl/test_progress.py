"""What takes long shows how far it is, on a terminal."""

import os
import pty
import subprocess

import numpy as np
import pytest

from calls import OK, PANDA, TORQUECTL, running


def run_on_a_terminal(*arguments):
    """Exit code and what stderr, a terminal, shows."""
    terminal, stderr = pty.openpty()
    shown = b""
    with running(TORQUECTL, *arguments, stderr=stderr,
                 stdout=subprocess.DEVNULL) as process:
        os.close(stderr)
        with open(terminal, "rb", buffering=0) as screen:
            try:
                while part := screen.read(4096):
                    shown += part
            except OSError:  # nobody has it open any more
                pass
        return process.wait(120), shown.decode()


@pytest.mark.parametrize("command, total", [
    (("ping", "--count", "5000"), "of 5.00 k calls"),
    (("id", "-m", PANDA, "--q", "@q.npy", "--output", "csv"),
     "of 400 k states")])
def test_a_bar_goes_away_and_is_not_there_if_quiet(
        command, total, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("q.npy", np.zeros((400_000, 7)))
    code, shown = run_on_a_terminal(*command, "--spawn")
    assert code == OK
    assert total in shown and shown.endswith("\r\x1b[K")
    assert run_on_a_terminal(*command, "--spawn", "--quiet") == (OK, "")
