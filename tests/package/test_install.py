"""Programs are built and run against the installed libraries.

The build is installed to a prefix, which then moves, as an archive does that is
unpacked elsewhere. The programs and their CMakeLists.txt are those of the documentation.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from cpp_page import program
from extract_snippets import FENCE, snippets

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
BUILD = pathlib.Path(os.environ["TEST_BUILD"])
CMAKE = os.environ["TEST_CMAKE"]
# Always the same directory, so that ccache knows the units again.
WORK = pathlib.Path(os.environ["TEST_WORK"])
PREFIX = WORK / "moved" / "prefix"
HERE = pathlib.Path(__file__).parent

# Headers that the documentation names; the others are there for their sake.
ENTRY_POINTS = {
    "torqued/core/engine/engine.h",
    "torqued/core/engine/evaluation.h",
    "torqued/core/engine/robot.h",
    "torqued/core/formats/screw_axes.h",
    "torqued/core/formats/urdf.h",
    "torqued/core/model/description.h",
    "torqued/core/model/lint.h",
    "torqued/core/model/model.h",
    "torqued/core/trajectory/trajectory_check.h",
    "torqued/client/cpp/client.h",
    "torqued/client/cpp/error.h",
    "torqued/client/cpp/evaluation.h",
    "torqued/client/cpp/local_server.h",
    "torqued/client/cpp/states.h",
}


def run(*command, **arguments):
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True,
        timeout=900, check=False, **arguments)


def succeed(*command, **arguments):
    result = run(*command, **arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_what_make_programs_builds_is_all_that_is_installed():
    makefile = (SOURCE / "Makefile").read_text()
    target, = re.findall(
        r"(?m)^programs:(?:\n\t.*)*?--target (\w+)$", makefile)
    commands = succeed("ninja", "-C", BUILD, "-t", "commands", target)
    installed_files = {
        path for script in BUILD.rglob("cmake_install.cmake")
        for path in re.findall(rf'"{BUILD}/([^"$]+)"', script.read_text())
        if not path.endswith((".cmake", ".pc")) and not (BUILD / path).is_dir()}
    assert any(path.endswith(".8") for path in installed_files)
    assert not {path for path in installed_files if path not in commands}


@pytest.fixture(scope="module", autouse=True)
def installed():
    shutil.rmtree(WORK, ignore_errors=True)
    first = WORK / "prefix"
    succeed(CMAKE, "--install", BUILD, "--prefix", first)
    PREFIX.parent.mkdir()
    first.rename(PREFIX)
    yield
    shutil.rmtree(WORK)


def headers():
    """All installed headers, as an #include names them. Tables that headers
    include within are none."""
    include = PREFIX / "include"
    return {str(path.relative_to(include)) for path in include.rglob("*")
            if path.is_file() and path.suffix != ".inc"}


def configure(source, build, **variables):
    launcher = os.environ["TEST_COMPILER_LAUNCHER"]
    settings = {
        "CMAKE_PREFIX_PATH": PREFIX,
        "CMAKE_CXX_COMPILER": os.environ["TEST_COMPILER"],
        "CMAKE_CXX_COMPILER_LAUNCHER":
            launcher if os.access(launcher, os.X_OK) else "",
        "CMAKE_CXX_FLAGS": os.environ["TEST_COMPILER_FLAGS"],
        **variables}
    return run(CMAKE, "-G", "Ninja", "-S", source, "-B", build,
               *(f"-D{name}={value}" for name, value in settings.items()))


def build(source, directory, **variables):
    result = configure(source, directory, **variables)
    assert result.returncode == 0, result.stdout + result.stderr
    succeed(CMAKE, "--build", directory, "-j", 2)


def run_beside_models(program):
    """Runs one of the programs of the documentation, with the installed robots for those
    of the source directory, and no server but the installed one."""
    place = WORK / "run"
    models = place / "examples" / "robots"
    if not models.is_symlink():
        models.parent.mkdir(parents=True)
        models.symlink_to(PREFIX / "share" / "torqued" / "models")
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("TORQUED")}
    environment["PATH"] = f"{PREFIX / 'bin'}:{environment['PATH']}"
    return succeed(program, cwd=place, env=environment)


CPP_PAGE = SOURCE / "docs" / "cpp.md"
# As the section "In process" says.
CMAKE_CORE = snippets(CPP_PAGE, "cmake page")[0].replace(
    "client", "core").replace("arm", "in_process")


def test_programs_of_the_documentation():
    for name, lines, program in (
            ("arm", snippets(CPP_PAGE, "cmake page"),
             snippets(SOURCE / "README.md", "cpp client")),
            ("in_process", [CMAKE_CORE], snippets(CPP_PAGE, "cpp core"))):
        source = WORK / name
        source.mkdir()
        (source / "CMakeLists.txt").write_text(lines[0])
        (source / f"{name}.cc").write_text(program[0])
        build(source, source / "build")

    printed = run_beside_models(WORK / "arm" / "build" / "arm")
    assert len(printed.split()) == 6
    printed = run_beside_models(WORK / "in_process" / "build" / "in_process")
    back = re.search(r"back: (.*)", printed).group(1).split()
    assert [round(float(x), 9) for x in back] == [2.0] * 7


ROBOT_PROGRAM = r"""
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <torqued/core/engine/robot.h>
#include <torqued/core/formats/urdf.h>

int main() {
  std::ifstream file("examples/robots/panda.urdf");
  const std::string urdf(std::istreambuf_iterator<char>(file), {});
  torqued::Robot robot(torqued::LoadUrdf(urdf).model);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(7, -0.4);
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(7), F = v.head(6);
  const Eigen::VectorXd tau = robot.MassMatrix(q) * v + robot.BiasForces(q, v);
  const Eigen::VectorXd held = tau + robot.Jacobian(q).transpose() * F;
  const auto space = robot.OperationalSpace(q, v);
  std::cout << ((robot.InverseDynamics(q, v, v, F) - held).norm() < 1e-9)
            << ((robot.ForwardDynamics(q, v, held, F) - v).norm() < 1e-9)
            << (space.lambda.trace() > 0 && robot.FramePose(q)(3, 3) == 1);
}
"""


def test_robot_in_a_program_for_wider_vectors_than_the_library():
    """Eigen aligns and frees memory by the vectors that it is compiled for."""
    source = WORK / "wide"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CMAKE_CORE)
    (source / "in_process.cc").write_text(ROBOT_PROGRAM)
    build(source, source / "build", CMAKE_CXX_FLAGS=os.environ[
        "TEST_COMPILER_FLAGS"] + " -mavx2")
    printed = run_beside_models(source / "build" / "in_process")
    assert printed == "111"


BOTH_LIBRARIES = r"""
#include <torqued/client/cpp/client.h>
#include <torqued/core/formats/urdf.h>

int main() {
  try {
    torqued::client::Client::Connect("unix:/nowhere");
  } catch (const torqued::client::Error&) {
    return torqued::LoadUrdf("<robot/>").model == nullptr ? 0 : 1;
  }
  return 1;
}
"""


def test_program_built_with_pkg_config():
    source = WORK / "both.cc"
    source.write_text(BOTH_LIBRARIES)
    flags = {kind: succeed(
        "pkg-config", f"--{kind}", "torqued-client", "torqued-core",
        env={**os.environ, "PKG_CONFIG_PATH": str(next(
            PREFIX.rglob("pkgconfig")))}).split() for kind in ("cflags", "libs")}
    compiler = [os.environ["TEST_COMPILER"],
                *os.environ["TEST_COMPILER_FLAGS"].split(), "-std=c++20"]
    if os.access(os.environ["TEST_COMPILER_LAUNCHER"], os.X_OK):
        compiler.insert(0, os.environ["TEST_COMPILER_LAUNCHER"])
    succeed(*compiler, *flags["cflags"], "-c", source, "-o", WORK / "both.o")
    succeed(*compiler, WORK / "both.o", *flags["libs"], "-o", WORK / "both")
    succeed(WORK / "both")


def test_tour_of_the_cpp_client():
    source = WORK / "tour"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(snippets(CPP_PAGE, "cmake page")[0])
    (source / "arm.cc").write_text(program(CPP_PAGE))
    build(source, source / "build")
    printed = run_beside_models(source / "build" / "arm")
    assert printed == "".join(snippets(CPP_PAGE, "text"))


def test_core_needs_no_grpc_and_its_headers_stand_alone():
    core = sorted(header for header in headers()
                  if re.match(r"torqued/core/.*\.h$", header))
    build(HERE / "headers", WORK / "core_headers",
          COMPONENT="core", HEADERS=";".join(core),
          CMAKE_DISABLE_FIND_PACKAGE_gRPC="ON",
          CMAKE_DISABLE_FIND_PACKAGE_Protobuf="ON")


def test_headers_of_the_client_stand_alone():
    client = sorted(header for header in headers()
                    if not header.startswith("torqued/core/"))
    assert any(header.startswith("torqued/v1/") for header in client)
    build(HERE / "headers", WORK / "client_headers",
          COMPONENT="client", HEADERS=";".join(client))


def test_no_header_but_the_documented_ones_and_what_these_include():
    reached = set()
    todo = set(ENTRY_POINTS)
    while todo:
        header = todo.pop()
        reached.add(header)
        text = (PREFIX / "include" / header).read_text()
        for name in re.findall(r'^#include "(torqued/(?:core|client)/.*)"',
                               text, re.MULTILINE):
            todo |= {name} - reached
    ours = {header for header in headers()
            if not header.startswith("torqued/v1/")}
    assert ours == reached
    assert headers() - ours == {
        f"torqued/v1/{path.stem}{ending}"
        for path in (SOURCE / "proto/torqued/v1").iterdir()
        for ending in (".pb.h", ".grpc.pb.h")
        if ending == ".pb.h" or "\nservice " in path.read_text()}


def test_cmake_files_name_no_path_and_no_setting_of_this_build():
    files = sorted((PREFIX / "lib").rglob("*.cmake"))
    assert len(files) >= 6
    for file in files:
        text = file.read_text()
        assert str(SOURCE) not in text, file
        assert str(BUILD) not in text, file
        assert str(WORK) not in text, file
        assert "torqued_compile_options" not in text, file
        for directory in re.findall(r'_DIRECTORIES "([^"]*)"', text):
            assert directory == "${_IMPORT_PREFIX}/include", file
        assert not re.search(
            r"INTERFACE_(COMPILE_OPTIONS|COMPILE_DEFINITIONS|LINK_OPTIONS)",
            text), file


def test_contract_robots_and_licence_come_along():
    share = PREFIX / "share"
    for source, installed in (
            ("proto/torqued/v1", "torqued/proto/torqued/v1"),
            ("examples/robots", "torqued/models")):
        names = {path.name for path in (SOURCE / source).iterdir()
                 if path.suffix in (".proto", ".urdf")}
        assert names
        for name in names:
            assert ((share / installed / name).read_bytes()
                    == (SOURCE / source / name).read_bytes())
    assert (share / "doc/torqued/LICENSE").is_file()


@pytest.mark.parametrize("variables, sentence", [
    ({"COMPONENT": "core;lint"},
     "There is no component lint, only core and client."),
    ({"COMPONENT": "client", "CMAKE_DISABLE_FIND_PACKAGE_gRPC": "ON"},
     "component client needs gRPC, which was not found."),
    ({"COMPONENT": "core", "CMAKE_DISABLE_FIND_PACKAGE_Eigen3": "ON"},
     "component core needs Eigen3, which was not found."),
    ({"COMPONENT": "core", "VERSION": "0.0"}, 'requested version "0.0"'),
    ({"COMPONENT": "core", "VERSION": "0.2"}, 'requested version "0.2"'),
])
def test_what_is_missing_is_named(variables, sentence, tmp_path):
    result = configure(HERE / "headers", tmp_path, **variables)
    assert result.returncode != 0
    assert sentence in " ".join(result.stderr.split())


def test_links_between_installed_pages_hold():
    documentation = PREFIX / "share" / "doc" / "torqued"
    pages = sorted(documentation.rglob("*.md"))
    assert documentation / "README.md" in pages
    links = {(page, link) for page in pages for link in re.findall(
        r"\]\(([^)#]+)[^)]*\)", FENCE.sub("", page.read_text()))
             if "://" not in link}
    assert links
    for page, link in links:
        assert (page.parent / link).is_file(), f"{page}: {link}"


def test_nothing_is_bound_to_a_place():
    """A service would be: its unit names the program and the settings."""
    files = {path.relative_to(PREFIX) for path in PREFIX.rglob("*")
             if path.is_file()}
    places = {file.parts[:-1] for file in files}
    assert {place[0] for place in places} == {"bin", "include", "lib", "share"}
    assert {place[1] for place in places if place[0] == "share"} == {
        "doc", "man", "torqued"}
    assert not [file for file in files if file.suffix == ".service"]
