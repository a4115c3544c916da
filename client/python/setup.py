"""Generates messages, stubs and torqued/contract.py while the wheel is built, and puts
what they are generated from into source distributions; all else stands in
pyproject.toml."""

import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent


def proto_directory():
    """Where TORQUED_PROTO says, in a source distribution, or in the
    repository."""
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


def program(name, package):
    found = shutil.which(name)
    if not found:
        sys.exit(f"there is no {name}; Debian's package is {package}")
    return found


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


setup(cmdclass={"build_py": BuildWithStubs, "sdist": SourceWithProtos})
