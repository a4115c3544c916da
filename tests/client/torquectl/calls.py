"""Calls of torquectl, a real process, and servers for it.

Needs $TORQUECTL and $TORQUED_BINARY, which ctest sets.
"""

import contextlib
import json
import math
import os
import pathlib
import pty
import subprocess
import sys
import time
from concurrent import futures

import grpc

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
# pylint: disable-next=wrong-import-position
from processes import running  # noqa: E402

TORQUECTL = os.environ["TORQUECTL"]
MODELS = pathlib.Path(__file__).resolve().parents[3] / "examples" / "robots"
PLANAR = str(MODELS / "planar_2r.urdf")
PANDA = str(MODELS / "panda.urdf")
GRAVITY = ("--gravity", "0,-9.81,0")

OK, ERROR, NO, USAGE = 0, 1, 2, 64


def run(*arguments, cwd=None, env=None):
    environment = {k: v for k, v in os.environ.items()
                   if k != "TORQUED_SERVER_ADDRESS"}
    environment.update(env or {})
    return subprocess.run([TORQUECTL, *map(str, arguments)], text=True,
                          capture_output=True, timeout=120, cwd=cwd,
                          env=environment, check=False)


def run_json(*arguments, code=OK):
    done = run(*arguments, "--output", "json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.01)
    raise AssertionError("waited in vain")


@contextlib.contextmanager
def serving(directory, listen, *flags):
    """Address of a server; it must stop in order."""
    address_file = directory / "address"
    with running(
            os.environ["TORQUED_BINARY"], "--listen", listen,
            "--address-file", address_file, "--store", directory / "store",
            *flags, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 20
        while not address_file.exists() or not address_file.read_text():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        yield address_file.read_text().split()[0]
        process.terminate()
        assert process.wait(30) == 0


@contextlib.contextmanager
def answering(methods):
    """Address of a server made of functions.

    `methods` are functions of the request's bytes and grpc's context that give
    the reply's bytes, by full name: "/torqued.v1.ServerInfo/GetServerInfo".
    """
    handlers = {name: grpc.unary_unary_rpc_method_handler(function)
                for name, function in methods.items()}

    class ByName(grpc.GenericRpcHandler):
        def service(self, handler_call_details):
            return handlers.get(handler_call_details.method)

    server = grpc.server(futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((ByName(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def on_a_terminal(stream, *words):
    """Exit code and what the terminal shows that `stream` is."""
    controller, terminal = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with running(TORQUECTL, *words, **streams | {stream: terminal}) as process:
        os.close(terminal)
        shown = b""
        # An OSError: nobody has it open any more.
        with open(controller, "rb", buffering=0) as screen, contextlib.suppress(
                OSError):
            while part := screen.read(65536):
                shown += part
        return process.wait(120), shown.decode()


def planar_with(path, *changes):
    """The file of the planar arm, with other words."""
    text = pathlib.Path(PLANAR).read_text()
    for old, new in changes:
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def chain(directory, joints):
    """A URDF file of light bodies, one after the other."""
    parts = ['<robot name="chain"><link name="l0"/>']
    for k in range(1, joints + 1):
        parts.append(
            f'<link name="l{k}"><inertial><mass value="0.1"/><origin xyz="0 0 '
            '0.1"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" '
            f'iyz="0"/></inertial></link><joint name="j{k}" type="revolute">'
            f'<parent link="l{k - 1}"/><child link="l{k}"/><axis xyz="{k % 2} '
            f'{1 - k % 2} 0"/><limit lower="-2" upper="2" velocity="1" '
            'effort="1"/></joint>')
    path = directory / "chain.urdf"
    path.write_text("".join(parts) + "</robot>")
    return path


def planar_torques(q, v, a):
    """The closed form in the header of planar_2r.urdf."""
    l1, l2, m1, m2, g = 0.5, 0.4, 2.0, 1.5, 9.81
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    c1, c12 = math.cos(q[0]), math.cos(q[0] + q[1])
    m11 = (m1 + m2) * l1**2 + m2 * (2 * l1 * l2 * c2 + l2**2)
    m12 = m2 * (l1 * l2 * c2 + l2**2)
    m22 = m2 * l2**2
    h = m2 * l1 * l2 * s2
    return (m11 * a[0] + m12 * a[1] - h * (2 * v[0] * v[1] + v[1]**2)
            + (m1 + m2) * g * l1 * c1 + m2 * g * l2 * c12,
            m12 * a[0] + m22 * a[1] + h * v[0]**2 + m2 * g * l2 * c12)
