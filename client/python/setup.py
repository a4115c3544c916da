"""Makes messages, stubs, torqued/contract.py and torqued/report.html while the wheel is
built; all else stands in pyproject.toml. The server that TORQUED_WHEEL_SERVER names goes
into the wheel, with its libraries."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
SERVER = os.environ.get("TORQUED_WHEEL_SERVER")
PROTO = HERE.parent.parent / "proto"
REPORT = HERE.parent / "report" / "report.html"
DYGRAPHS = pathlib.Path(
    os.environ.get("DYGRAPHS_DIRECTORY", "/usr/share/javascript/dygraphs"))
# The libraries that PEP 600 expects on every system.
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"}


def program(name, package):
    return shutil.which(name) or sys.exit(
        f"there is no {name}; Debian's package is {package}")


def filled_report():
    """The template with the chart library in it."""
    page = REPORT.read_text("utf-8")
    for mark, name in (("CHART_CSS", "dygraph.min.css"), ("CHART_JS", "dygraph.min.js")):
        if not (DYGRAPHS / name).exists():
            sys.exit(f"there is no {DYGRAPHS / name}; Debian's package is libjs-dygraphs, "
                     "or set DYGRAPHS_DIRECTORY")
        # A browser's debugger would look for the map.
        page = page.replace(f"/*{mark}*/", re.sub(
            r"/[/*]# sourceMappingURL=.*", "", (DYGRAPHS / name).read_text("utf-8")))
    return page


def add_server(folder):
    """The server and its libraries, which find each other in this folder."""
    folder.mkdir()
    shutil.copy(SERVER, folder / "torqued")
    listed = subprocess.run(["ldd", SERVER], check=True, capture_output=True, text=True)
    for name, path in re.findall(r"(\S+) => (\S+)", listed.stdout):
        if name not in SYSTEM_LIBRARIES:
            shutil.copy(path, folder / name)
    subprocess.run([program("patchelf", "patchelf"), "--set-rpath", "$ORIGIN",
                    *folder.iterdir()], check=True)


class BuildWithStubs(build_py):
    def run(self):
        super().run()
        editable = getattr(self, "editable_mode", False)
        target = HERE if editable else pathlib.Path(self.build_lib).resolve()
        if not PROTO.exists():
            sys.exit(f"there is no {PROTO}; build the package inside its repository")
        plugin = program("grpc_python_plugin", "protobuf-compiler-grpc")
        subprocess.run(
            [program("protoc", "protobuf-compiler"), f"-I{PROTO}",
             f"--python_out={target}", f"--pyi_out={target}",
             f"--grpc_python_out={target}",
             f"--plugin=protoc-gen-grpc_python={plugin}",
             f"--torqued_out=python:{target}",
             f"--plugin={PROTO / 'plugin' / 'protoc-gen-torqued'}",
             *sorted(PROTO.glob("torqued/v1/*.proto"))],
            check=True)
        (target / "torqued" / "report.html").write_text(filled_report(), "utf-8")
        server = target / "torqued" / "server"
        shutil.rmtree(server, ignore_errors=True)  # of a wheel before
        if SERVER:
            add_server(server)


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = not SERVER

    def get_tag(self):
        # glibc 2.36 is that of Debian 12, on which the server is built.
        return (("py3", "none", f"manylinux_2_36_{platform.machine()}") if SERVER
                else super().get_tag())


setup(cmdclass={"bdist_wheel": PlatformWheel, "build_py": BuildWithStubs})
