"""Starts real servers and speaks to them.

A `Server` is one process of the daemon on a free loopback port; a `Client`
holds the stubs of one connection. Nothing here knows what the answers should
be.
"""

import contextlib
import dataclasses
import functools
import os
import pathlib
import signal
import subprocess
import time

import grpc
import numpy as np
from torqued.v1 import (
    array_pb2, dynamics_pb2_grpc, errors_pb2,
    model_registry_pb2_grpc, server_info_pb2_grpc, trajectory_pb2_grpc)

# Far above what anything here takes on a loaded machine: a test that waits
# this long has found a hang.
CALL_SECONDS = 30.0
START_SECONDS = 60.0
STOP_SECONDS = 30.0

# Longer than a thread that has work waits for a core.
IDLE_SECONDS = 0.5
CLOCK_TICK = 1 / os.sysconf("SC_CLK_TCK")

# Sanitizers make the server slow and large, and keep what it frees.
SANITIZED = os.environ.get("TEST_SANITIZED") == "1"
# AddressSanitizer keeps 256 MB of freed memory by default. The server ends before
# the machine's memory does.
SANITIZER = ("quarantine_size_mb=16:thread_local_quarantine_size_kb=64:"
             "hard_rss_limit_mb=3072")

VALUES = array_pb2.ENCODING_VALUES
F64 = array_pb2.ENCODING_F64
F32 = array_pb2.ENCODING_F32


def server_binary():
    return pathlib.Path(os.environ["TORQUED_BINARY"])


def example_models():
    """Directory of the models that come with the product."""
    return pathlib.Path(os.environ["TEST_MODELS"])


# --- The server process ------------------------------------------------------


class ServerExited(Exception):
    """The process ended before it served."""

    def __init__(self, code, log):
        super().__init__(f"exited with {code} before serving:\n{log}")
        self.code = code
        self.log = log


def clean_environment(**settings):
    """The environment without settings of the server, plus the given ones."""
    environment = {
        name: value for name, value in os.environ.items()
        if not name.startswith("TORQUED_")
    }
    if SANITIZED:
        options = [SANITIZER, environment.get("ASAN_OPTIONS")]
        environment["ASAN_OPTIONS"] = ":".join(filter(None, options))
    environment.update(settings)
    return environment


def with_descriptors(soft, hard):
    """The beginning of a command that may have so many."""
    return ["prlimit", f"--nofile={soft}:{hard}"]


class Server:
    """One daemon on a free loopback port, ready to serve when constructed.

    The kernel kills the process when the thread that started it ends, so start
    servers on the main thread only.
    """

    def __init__(self, directory, *flags, store=None, models=None,
                 environment=None, listen="127.0.0.1:0", log=None, under=()):
        """log: a descriptor instead of a file. under: a command that runs the
        one behind it, as prlimit does."""
        directory = pathlib.Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        self.store = pathlib.Path(store or directory / "models.db")
        self.log_file = directory / "server.log"
        self.address_file = directory / "address"
        self.address_file.unlink(missing_ok=True)
        command = [
            "setpriv", "--pdeathsig", "KILL", *map(str, under),
            str(server_binary()), "--listen", listen,
            "--address-file", str(self.address_file),
            "--store", str(self.store)]
        if models is not None:
            command += ["--models", str(models)]
        command += [str(flag) for flag in flags]
        with self.log_file.open("ab") as file:
            output = file if log is None else log
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, env=clean_environment(**(environment or {})))
        try:
            self.address = self._wait_until_serving()
        except BaseException:
            self.kill()
            raise

    def _wait_until_serving(self):
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up:
            with contextlib.suppress(FileNotFoundError):
                text = self.address_file.read_text()
                if text.endswith("\n"):
                    return text.strip()
            code = self.process.poll()
            if code is not None:
                raise ServerExited(code, self.log())
            time.sleep(0.005)
        raise TimeoutError(f"no address after {START_SECONDS} s:\n{self.log()}")

    @property
    def pid(self):
        return self.process.pid

    def log(self):
        return self.log_file.read_text(errors="replace")

    def cpu_seconds(self):
        """CPU time used so far by all threads of the process."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text()
        utime, stime = fields.rpartition(")")[2].split()[11:13]
        return (int(utime) + int(stime)) * CLOCK_TICK

    def lines_when_there(self, words):
        """Lines of the log that have these words, once there are any: the log
        is written behind what it tells."""
        return until(lambda: [
            line for line in self.log().splitlines() if words in line])

    def wait_until_computing(self, cpu_seconds=0.05):
        """Until it has used so much CPU time from now on."""
        enough = self.cpu_seconds() + cpu_seconds
        until(lambda: self.cpu_seconds() >= enough)

    def cpu_seconds_when_idle(self):
        """CPU time used until it uses none any more."""
        give_up = time.monotonic() + CALL_SECONDS
        used, since = self.cpu_seconds(), time.monotonic()
        while time.monotonic() - since < IDLE_SECONDS:
            assert time.monotonic() < give_up, "it goes on computing"
            time.sleep(0.02)
            if self.cpu_seconds() > used + CLOCK_TICK:
                used, since = self.cpu_seconds(), time.monotonic()
        return self.cpu_seconds()

    def memory(self, which):
        """Bytes of a field of /proc/PID/status: "VmRSS", or "VmHWM", the
        highest so far."""
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        line, = (line for line in status.splitlines()
                 if line.startswith(which + ":"))
        return int(line.split()[1]) * 1024

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, seconds=STOP_SECONDS):
        """Exit code of a process that is expected to end by itself."""
        return self.process.wait(seconds)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Orderly end; the exit code."""
        if self.process.poll() is None:
            self.terminate()
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(
                f"the server did not stop within {STOP_SECONDS} s of SIGTERM:\n"
                + self.log()) from None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.kill()


def has_ended(pid):
    """Of a process that is no child of ours."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True
    return state.rpartition(")")[2].split()[0] == "Z"


def run_to_exit(*flags, environment=None, seconds=STOP_SECONDS, command=()):
    """Runs the daemon with flags that should make it end by itself; `command`:
    what runs it."""
    return subprocess.run(
        [*command, "setpriv", "--pdeathsig", "KILL", str(server_binary()),
         *map(str, flags)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=seconds,
        env=clean_environment(**(environment or {})), check=False)


def until(condition, seconds=CALL_SECONDS):
    """What the condition is once it is true."""
    give_up = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < give_up, "it does not happen"
        time.sleep(0.005)
    return result


def once_there_is_room(call):
    """Its answer, once it is not refused as OVERLOADED."""
    def attempt():
        try:
            return [call()]
        except grpc.RpcError as error:
            assert Failure.of(error).reason == "OVERLOADED"
            return None

    return until(attempt)[0]


# --- Calls -------------------------------------------------------------------


class _WithDeadline:
    """A stub whose calls have a deadline unless they bring their own."""

    def __init__(self, stub):
        self._stub = stub

    def __getattr__(self, name):
        return functools.partial(
            getattr(self._stub, name), timeout=CALL_SECONDS)


class Client:
    def __init__(self, address, *options, credentials=None):
        """credentials: of an address with TLS."""
        options = [
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.enable_http_proxy", 0),
            # As large as the server's; gRPC's own default is 4 MiB.
            ("grpc.max_receive_message_length", 64 << 20), *options]
        self.channel = (
            grpc.insecure_channel(address, options) if credentials is None
            else grpc.secure_channel(
                address[address.index(":") + 1:], credentials, options))
        self.registry = _WithDeadline(
            model_registry_pb2_grpc.ModelRegistryStub(self.channel))
        self.dynamics = _WithDeadline(
            dynamics_pb2_grpc.DynamicsStub(self.channel))
        self.trajectories = _WithDeadline(
            trajectory_pb2_grpc.TrajectoriesStub(self.channel))
        self.info = _WithDeadline(
            server_info_pb2_grpc.ServerInfoStub(self.channel))

    def close(self):
        self.channel.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def begin(method, request):
    """Starts a call of a Client's stub; a future."""
    return method.func.future(request, timeout=CALL_SECONDS)


# --- Errors ------------------------------------------------------------------

_TYPE_URL = "type.googleapis.com/google.rpc."
# Error details must stay below this, or the error itself gets lost.
DETAILS_LIMIT = 4096


@dataclasses.dataclass
class Failure:
    """A failed call, with its details decoded."""

    code: grpc.StatusCode
    message: str
    reason: str = ""
    metadata: dict = dataclasses.field(default_factory=dict)
    # (field path, description), in the order of the wire.
    violations: list = dataclasses.field(default_factory=list)
    # Seconds; None where no later try is suggested.
    retry_delay: float | None = None

    @classmethod
    def of(cls, error):
        failure = cls(error.code(), error.details() or "")
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                failure._decode(value)
        return failure

    @property
    def fields(self):
        return [field for field, _ in self.violations]

    def _decode(self, details):
        assert len(details) <= DETAILS_LIMIT, f"{len(details)} bytes of details"
        status = errors_pb2.Status.FromString(details)
        if status.code != self.code.value[0]:
            return  # void: gRPC ended the call before us
        assert status.message == self.message
        for detail in status.details:
            # Any.Unpack would insist on the name torqued.v1.*.
            if detail.type_url == _TYPE_URL + "ErrorInfo":
                info = errors_pb2.ErrorInfo.FromString(detail.value)
                assert info.domain == "torqued"
                self.reason = info.reason
                self.metadata = dict(info.metadata)
            elif detail.type_url == _TYPE_URL + "BadRequest":
                bad = errors_pb2.BadRequest.FromString(detail.value)
                self.violations = [
                    (v.field, v.description) for v in bad.field_violations]
            elif detail.type_url == _TYPE_URL + "RetryInfo":
                retry = errors_pb2.RetryInfo.FromString(detail.value)
                self.retry_delay = (
                    retry.retry_delay.ToNanoseconds() / 1e9)
            else:
                raise AssertionError(f"unknown detail {detail.type_url}")


def failure_of(call, *arguments, **keywords):
    """The failure of a call that must fail."""
    try:
        reply = call(*arguments, **keywords)
    except grpc.RpcError as error:
        return Failure.of(error)
    raise AssertionError(f"the call succeeded:\n{reply}")


# --- Arrays ------------------------------------------------------------------


def array(numbers, encoding=F64):
    """A table of numbers as an Array; a vector is one row."""
    table = np.atleast_2d(np.asarray(numbers, dtype=np.float64))
    message = array_pb2.Array(columns=table.shape[1])
    if encoding == VALUES:
        message.values.extend(table.ravel().tolist())
    elif encoding == F64:
        message.f64 = table.astype("<f8").tobytes()
    elif encoding == F32:
        message.f32 = table.astype("<f4").tobytes()
    else:
        raise ValueError(encoding)
    return message


def encoding_of(message):
    """The payload that an Array uses."""
    used = [encoding for encoding, payload in (
        (VALUES, message.values), (F64, message.f64), (F32, message.f32))
        if len(payload)]
    assert len(used) == 1, f"payloads {used}"
    return used[0]


def table(message):
    """The numbers of an Array, one row per state."""
    encoding = encoding_of(message)
    if encoding == VALUES:
        flat = np.array(message.values, dtype=np.float64)
    elif encoding == F64:
        flat = np.frombuffer(message.f64, dtype="<f8")
    else:
        flat = np.frombuffer(message.f32, dtype="<f4")
    assert message.columns > 0
    return flat.reshape(-1, message.columns)


def matrices(message, rows):
    """The numbers of a matrix-valued Array: [state, row, column]."""
    numbers = table(message)
    return numbers.reshape(len(numbers), rows, -1)


def same_bits(a, b):
    """Whether two tables agree in every bit; NaNs are compared as bits too."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return (a.shape == b.shape and a.dtype == b.dtype
            and a.tobytes() == b.tobytes())
