"""Generates messages and stubs while the wheel is built; all else stands in
pyproject.toml."""

import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent


def proto_directory():
    """In the repository, or where TORQUED_PROTO says."""
    named = os.environ.get("TORQUED_PROTO")
    directory = pathlib.Path(named) if named else HERE.parent.parent / "proto"
    if not (directory / "torqued" / "v1").is_dir():
        sys.exit(f"there is no torqued/v1 in {directory}: build the package "
                 "inside its repository, or set TORQUED_PROTO")
    return directory


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
             *map(str, sorted((protos / "torqued" / "v1").glob("*.proto")))],
            check=True)


setup(cmdclass={"build_py": BuildWithStubs})
