"""The image does what docs/operations.md says of it.

Usage: image_test.py NAME, with $ENGINE set (see with-engine.sh).
"""

import json
import math
import os
import pathlib
import re
import shlex
import signal
import sys
import tarfile
import tempfile
import time
import zlib

from chroot_container import ChrootContainer
from engine_container import EngineContainer

MODELS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "robots"
BUDGET_MEGABYTES = 120
HEALTH_SECONDS = 30.0
# Of the documented run line.
STOP_SECONDS = 40

# Compilers, linkers and what drives them, under any prefix and version.
TOOL = re.compile(
    r"(?:[\w]+-linux-gnu-)?"
    r"(?:cc|c\+\+|cc1|cc1plus|cpp|gcc|g\+\+|clang|clang\+\+|collect2|lto1|as|"
    r"ld|ld\.bfd|ld\.gold|ld\.lld|cmake|make|ninja)(?:-[\d.]+)?|"
    r"lib(?:protoc|grpc_plugin_support)\.so.*")
HEADER = re.compile(r".*\.(?:h|hh|hpp|hxx)|usr/include/.*")
PACKAGE_LIST = re.compile(
    r"var/lib/apt/lists/.*|var/cache/apt/.*\.(?:bin|deb)")

# Torques of a moving arm, by Orocos KDL 1.5.1 from the same file.
STATE = ["--q", "0.1,-0.7,0.2,-2.3,0.3,1.6,0.8",
         "--v", "0.5,-0.4,0.3,0.2,-0.1,0.6,0.7",
         "--a", "1,-1,0.5,2,0.1,-0.3,0.4"]
TORQUES = [1.1996527783009461, -7.1649149955534011, -2.8797773232513002,
           20.781693737470015, 0.8158269462035258, 1.8125208481174664,
           -0.030727595650340053]


class Failure(Exception):
    """A check that did not hold."""


def check(holds, claim, found=""):
    if not holds:
        raise Failure(f"NOT SO: {claim}\n{found}".rstrip())
    print(f"  ok  {claim}")
    check.passed += 1


check.passed = 0


class Meter:
    """Passes a stream on and measures it, plain and compressed as by gzip."""

    def __init__(self, stream):
        self._stream = stream
        self._gzip = zlib.compressobj(level=6, wbits=31)
        self.plain = 0
        self.compressed = 0

    def read(self, size):
        data = self._stream.read(size)
        self.plain += len(data)
        self.compressed += len(self._gzip.compress(data))
        return data

    def finish(self):
        while self.read(1 << 20):
            pass
        self.compressed += len(self._gzip.flush())


def check_contents(container):
    """Returns the size in megabytes, and that compressed."""
    names = []
    with container.archive() as stream:
        meter = Meter(stream)
        with tarfile.open(fileobj=meter, mode="r|") as archive:
            for member in archive:
                if not member.isdir():
                    names.append(member.name.removeprefix("./"))
        meter.finish()

    def none_matches(pattern, claim, texts):
        found = [name for name, text in zip(names, texts)
                 if pattern.fullmatch(text)]
        check(not found, claim, "\n".join(found[:10]))

    check("usr/local/bin/torqued" in names, "the image holds torqued")
    none_matches(TOOL, "it holds no compiler, linker or build tool",
                 [os.path.basename(name) for name in names])
    none_matches(HEADER, "it holds no headers", names)
    none_matches(PACKAGE_LIST, "it holds no package lists and no packages",
                 names)
    size, compressed = meter.plain / 1e6, meter.compressed / 1e6
    check(size <= BUDGET_MEGABYTES,
          f"its size, {size:.1f} MB ({compressed:.1f} MB compressed), is "
          f"within {BUDGET_MEGABYTES} MB")
    return size, compressed


def check_configuration(config):
    labels = config.get("Labels") or {}
    for label in ("title", "description", "version", "licenses"):
        name = f"org.opencontainers.image.{label}"
        check(labels.get(name), f"label {label}: {labels.get(name)}")
    user = config.get("User", "")
    check(re.fullmatch(r"[1-9]\d*:[1-9]\d*", user),
          "the user is not root, by number", user)
    form = ((config.get("Healthcheck") or {}).get("Test") or [None])[0]
    check(form in ("CMD", "CMD-SHELL"), "the image has a health check", form)


def health_command(config):
    form, *command = config["Healthcheck"]["Test"]
    return ["/bin/sh", "-c", *command] if form == "CMD-SHELL" else command


def wait_for_health(container, config):
    command = health_command(config)
    begin = time.monotonic()
    while True:
        result = container.execute(*command)
        elapsed = time.monotonic() - begin
        if result.returncode == 0 or elapsed > HEALTH_SECONDS:
            break
        time.sleep(0.1)
    check(result.returncode == 0,
          f"{shlex.join(command)} succeeds within {HEALTH_SECONDS:.0f} s",
          result.stderr + container.log())
    print(f"      after {elapsed:.1f} s")


def check_process(container, config):
    command = container.execute("cat", "/proc/1/cmdline").stdout.split("\0")
    check(command[0] == "torqued", "the first process is torqued itself",
          shlex.join(command))
    status = container.execute("cat", "/proc/1/status").stdout
    user, group = config["User"].split(":")
    for name, number in (("Uid", user), ("Gid", group)):
        ids = re.search(rf"^{name}:\s+(.*)$", status, re.MULTILINE).group(1)
        check(set(ids.split()) == {number}, f"it runs with {name} {number}",
              ids)
    rights = re.search(r"^CapEff:\s+(\w+)$", status, re.MULTILINE).group(1)
    check(int(rights, 16) == 0, "it has no capabilities", rights)


def check_file_system(container):
    for path in ("/probe", "/usr/local/bin/probe", "/var/lib/probe"):
        result = container.execute("touch", path, root=True)
        check("Read-only file system" in result.stderr,
              f"not even root can write {path}", result.stderr)
    result = container.execute(
        "/bin/sh", "-c", "echo x >/var/lib/torqued/probe && "
        "rm /var/lib/torqued/probe")
    check(result.returncode == 0, "the server's user can write its volume",
          result.stderr)


def torquectl(container, port, *arguments):
    """From the container, to the address that others reach it by."""
    result = container.execute(
        "torquectl", "--server", f"{container.address()}:{port}",
        "--output", "json", *arguments)
    check(result.returncode == 0, "torquectl " + " ".join(arguments),
          result.stdout + result.stderr + container.log())
    return json.loads(result.stdout)


def check_call(container, port):
    reply = torquectl(container, port, "id", "--model", "panda", *STATE)
    torques = reply["results"]["tau"][0]
    check(len(torques) == len(TORQUES) and all(
        math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-12)
        for ours, theirs in zip(torques, TORQUES)),
          "its torques are those of Orocos KDL", f"{torques}\n{TORQUES}")
    return reply["echo"]["revision"]


def check_stop(container):
    begin = time.monotonic()
    code = container.stop()
    check(code == 0, f"SIGTERM ends it with 0 within {STOP_SECONDS} s",
          f"exit code {code}")
    print(f"      after {time.monotonic() - begin:.1f} s")


def run_checks(container):
    """Returns what check_contents does."""
    print("The image")
    config = container.config()
    sizes = check_contents(container)
    check_configuration(config)

    print("A container")
    container.start(TORQUED_INSECURE="on")
    wait_for_health(container, config)
    check_process(container, config)
    check_file_system(container)
    hardened = container.execute("grep", "-q", "__stack_chk_fail",
                                 "/usr/local/bin/torqued")
    check(hardened.returncode == 0, "it is compiled with a stack protector")
    version = container.execute("torqued", "--version").stdout
    label = config["Labels"]["org.opencontainers.image.version"]
    check(label in version.split(), f"its version is the label's, {label}",
          version)
    torquectl(container, 7421, "models", "add", "/mnt/panda.urdf",
              "--name", "panda")
    revision = check_call(container, 7421)
    check_stop(container)

    print("Another container with the same volume, on the port of a mounted file")
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as settings:
        settings.write('listen = ["0.0.0.0:7422"]\ninsecure = "on"\n')
        settings.flush()
        os.chmod(settings.name, 0o644)
        container.start(settings.name)
        wait_for_health(container, config)
        check(check_call(container, 7422) == revision,
              "the model is still there")
        check_stop(container)
    return sizes


def main():
    engine, image = os.environ["ENGINE"], sys.argv[1]
    for number in (signal.SIGTERM, signal.SIGHUP):
        # By way of the end of every `with`.
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    if engine == "buildah":
        container = ChrootContainer(image, MODELS, STOP_SECONDS)
    else:
        container = EngineContainer(engine, image, MODELS, STOP_SECONDS)
    try:
        with container:
            size, compressed = run_checks(container)
    except (Failure, RuntimeError) as problem:
        sys.exit(str(problem))
    print(f"Image: {check.passed} checks passed, {size:.1f} MB uncompressed, "
          f"{compressed:.1f} MB compressed")


if __name__ == "__main__":
    main()
