"""What is installed imports, works and has types."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import textwrap

import pytest
from conftest import MODELS, SOURCE

pytestmark = pytest.mark.slow

PACKAGE = SOURCE / "client" / "python"


def run(*command, cwd=None, env=None, **environment):
    return subprocess.run(
        command, capture_output=True, text=True, timeout=250, cwd=cwd,
        env={**(os.environ if env is None else env), **environment}, check=False)


def output(*command, **words):
    done = run(*command, **words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", name="copy")
def fixture_copy(tmp_path_factory):
    """Of the sources, in which nothing is left."""
    copy = tmp_path_factory.mktemp("source")
    shutil.copytree(PACKAGE, copy / "client" / "python")
    shutil.copytree(SOURCE / "client" / "report", copy / "client" / "report")
    shutil.copytree(SOURCE / "proto", copy / "proto")
    return copy


def test_a_wheel_with_a_server_needs_no_other_program_or_library(copy, tmp_path):
    output(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation",
           "--no-deps", "--no-index", "--wheel-dir", str(tmp_path),
           str(copy / "client" / "python"),
           TORQUED_WHEEL_SERVER=os.environ["TORQUED_BINARY"])
    wheel, = tmp_path.glob("torqued-*.whl")
    assert wheel.name.endswith(f"-py3-none-manylinux_2_36_{platform.machine()}.whl")
    output(sys.executable, "-m", "pip", "install", "--quiet",
           "--no-deps", "--no-index", "--target", str(tmp_path), str(wheel))
    program = textwrap.dedent(f"""
        import pathlib, torqued
        with torqued.local({str(MODELS / "panda.urdf")!r}) as client:
            libraries = pathlib.Path(f"/proc/{{client.server.pid}}/maps").read_text()
        print(torqued.find_server(), *sorted({{
            line.split()[-1] for line in libraries.splitlines() if ".so" in line}}))
        """)
    inside, outside = [], set()
    for file in map(pathlib.Path, output(
            sys.executable, "-c", program, PYTHONPATH=str(tmp_path), TORQUED_BINARY="",
            PATH="").split()):
        if tmp_path in file.parents:
            inside.append(file.name)
        else:
            outside.add(file.name.partition(".")[0])
    assert inside[0] == "torqued" and len(inside) > 10
    assert outside <= {"ld-linux-x86-64", "libc", "libm", "libgcc_s", "libstdc++"}


@pytest.mark.parametrize("page, kind", [
    ("docs/python.md", "sh venv"), ("client/python/README.md", "sh")])
def test_it_installs_as_is_said(copy, page, kind):
    """Offline, by the system's Python, which takes nothing outside of a virtual
    environment."""
    text = (SOURCE / page).read_text(encoding="utf-8")
    commands, = re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    commands += textwrap.dedent(f"""
        python - <<'END'
        import pathlib, torqued, torqued.v1.dynamics_pb2
        package = pathlib.Path(torqued.__file__).parent
        assert (package / "py.typed").exists()
        page = (package / "report.html").read_text("utf-8")
        assert "Dygraph=" in page and "/*CHART_JS*/" not in page
        assert not (package / "server").exists()
        assert (package / "v1" / "dynamics_pb2.pyi").exists()
        with torqued.Robot.from_urdf({str(MODELS / "panda.urdf")!r}) as robot:
            assert robot.gravity_forces([0] * 7).shape == (7,)
        print(torqued.__file__)
        END
        """)
    shutil.rmtree(copy / "torqued-venv", ignore_errors=True)
    told = output("bash", "-euo", "pipefail", "-c", commands, cwd=copy, env={},
                  PATH="/usr/bin:/bin", HOME=str(copy), PIP_NO_INDEX="1",
                  TORQUED_BINARY=os.environ["TORQUED_BINARY"])
    file = told.splitlines()[-1]
    assert file.startswith(str(copy / "torqued-venv")), file


def test_the_version_is_that_of_the_project():
    import torqued
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"project(torqued VERSION {torqued.__version__} " in text


def test_building_outside_the_repository_says_what_is_missing(tmp_path):
    copy = tmp_path / "alone" / "client" / "python"
    shutil.copytree(PACKAGE, copy)
    built = run(sys.executable, "setup.py", "--quiet", "build", cwd=copy)
    assert built.returncode != 0
    assert "inside its repository" in built.stdout + built.stderr


mypy = pytest.mark.skipif(not shutil.which("mypy"), reason="there is no mypy")


def check_types(tmp_path, *arguments):
    import torqued
    return run("mypy", "--config-file", str(PACKAGE / "pyproject.toml"),
               "--cache-dir", str(tmp_path / "cache"), *arguments,
               cwd=pathlib.Path(torqued.__file__).parent.parent)


@mypy
def test_types_hold(tmp_path):
    user = tmp_path / "user.py"
    user.write_text(textwrap.dedent("""
        import numpy as np
        import torqued

        def good(robot: torqued.Robot) -> torqued.FloatArray:
            tau = robot.inverse_dynamics(np.zeros(7), gravity=[0, 0, -9.81])
            space = robot.operational_space({"a": 1.0}, axes=["linear_x"])
            return tau + space.eta

        def check(robot: torqued.Robot) -> float:
            verdict = robot.check_trajectory(
                "move.csv", limits={"drives": [{"dof": "a", "effort_limit": 1.0}]}, tables=["tau"])
            return float(verdict.joints.torque_use.value.max())

        async def waiting(robot: torqued.aio.Robot) -> torqued.FloatArray:
            verdict = await robot.check_trajectory("move.csv", task=True)
            both = await robot.compute(["energy"], [0.0] * 7)
            assert verdict.passes and both.ok.all()
            return (await robot.energy([0.0] * 7)).kinetic_energy
        """))
    checked = check_types(tmp_path, "-p", "torqued")
    assert checked.returncode == 0, checked.stdout
    checked = check_types(tmp_path, str(user))
    assert checked.returncode == 0, checked.stdout
    user.write_text(textwrap.dedent("""
        import numpy as np
        import torqued

        def bad(robot: torqued.Robot) -> int:
            robot.inverse_dynamics(np.zeros(7), tip_fram="x")
            robot.check_trajectory("x.csv", limits=1.0)
            return robot.energy(np.zeros(7)).kinetik

        async def unawaited(robot: torqued.aio.Robot) -> bool:
            return robot.check_trajectory("x.csv").passes
        """))
    checked = check_types(tmp_path, str(user))
    for word in ("tip_fram", "kinetik", "limits", "Awaitable"):
        assert word in checked.stdout, word
