"""The Debian package of the Python client: what is in it, and that it works
from where it is installed."""

import importlib.metadata
import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
CMAKE = pathlib.Path(os.environ["TEST_CMAKE"])
HERE = pathlib.Path(__file__).parent
MODULES = pathlib.Path("usr") / "lib" / "python3" / "dist-packages"


def succeed(*command, **arguments):
    result = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True,
        timeout=300, check=False, **arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module", name="package")
def fixture_package(tmp_path_factory):
    """The .deb, of a build of its own that compiles nothing."""
    build = tmp_path_factory.mktemp("build")
    succeed(CMAKE, "-G", "Ninja", "-S", SOURCE, "-B", build,
            f"-DCMAKE_CXX_COMPILER={os.environ['TEST_COMPILER']}",
            "-DTORQUED_DEBIAN_PACKAGE=ON", "-DCMAKE_INSTALL_PREFIX=/usr",
            "-DTORQUED_BUILD_TESTS=OFF")
    succeed(CMAKE, "--build", build, "-j", "2", "--target", "torqued_python",
            "torqued_debian_changelog")
    succeed(CMAKE.with_name("cpack"), "-G", "DEB", "-D",
            "CPACK_COMPONENTS_ALL=Python", cwd=build)
    package, = build.glob("*.deb")
    return package


@pytest.fixture(scope="module", name="root")
def fixture_root(package, tmp_path_factory):
    """What dpkg puts where."""
    root = tmp_path_factory.mktemp("root")
    succeed("dpkg-deb", "--extract", package, root)
    return root


def field(package, name):
    return succeed("dpkg-deb", "--field", package, name).strip()


def test_what_it_says_of_itself(package):
    assert package.name == f"python3-torqued_{field(package, 'Version')}_all.deb"
    assert field(package, "Architecture") == "all"
    needed = {re.match(r"\S+", one.strip())[0]
              for one in field(package, "Depends").split(",")}
    project = (SOURCE / "client" / "python" / "pyproject.toml").read_text()
    listed = re.search(r"^dependencies = \[(.*)\]", project, re.MULTILINE)[1]
    assert needed == {"python3"} | {
        f"python3-{name}" for name in re.findall(r'"([a-z]+)', listed)}


def test_its_files_are_those_on_the_list(root):
    files = sorted(f"/{path.relative_to(root)}" for path in root.rglob("*")
                   if not path.is_dir())
    listed = (HERE / "python3-torqued.files").read_text().splitlines()
    assert files == listed
    assert not [path for path in root.rglob("*")
                if path.stat().st_mode & 0o777 != (
                    0o755 if path.is_dir() else 0o644)]


def test_all_modules_of_the_sources_are_there(root):
    sources = SOURCE / "client" / "python"
    for module in (sources / "torqued").rglob("*.py"):
        if "_pb2" not in module.name:
            installed = root / MODULES / module.relative_to(sources)
            assert installed.read_bytes() == module.read_bytes()
    for proto in (SOURCE / "proto" / "torqued" / "v1").glob("*.proto"):
        for suffix in ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py"):
            assert (root / MODULES / "torqued" / "v1" /
                    (proto.stem + suffix)).is_file()
    assert (root / MODULES / "torqued" / "py.typed").is_file()


def test_it_imports_and_calls(root):
    program = """
import torqued
print(torqued.__file__)
with torqued.Robot.from_urdf("deploy/models/planar_2r.urdf") as robot:
    print(robot.gravity_forces([0.1, 0.2], gravity=[0, -9.81, 0]).round(4))
"""
    done = succeed(
        "/usr/bin/python3", "-B", "-W", "error", "-c", program, cwd=SOURCE,
        env={**os.environ, "PYTHONPATH": str(root / MODULES)})
    assert done.splitlines() == [
        str(root / MODULES / "torqued" / "__init__.py"), "[22.7048  5.6231]"]


def test_python_knows_its_version(package, root):
    found, = importlib.metadata.distributions(
        name="torqued", path=[str(root / MODULES)])
    assert found.version == field(package, "Version")
