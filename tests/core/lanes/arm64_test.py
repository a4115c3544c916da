"""The lane kernels compile for arm64, without any header of a system.

Usage: arm64_test.py SOURCE_DIRECTORY COMPILER FLAG...

What comes of it exports the table of functions and nothing else.
"""

import pathlib
import subprocess
import sys
import tempfile

from symbols_test import foreign, symbols_of_kind, weak_symbols

TABLE = "_ZN7torqued8baseline12kLaneKernelsE"
# Of the C library.
KNOWN = {"memcpy", "memmove", "memset", "sin", "cos", "sincos"}


def main():
    source_directory, compiler, *flags = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        built = pathlib.Path(directory, "target_unit.o")
        subprocess.run(
            [compiler, "--target=aarch64-linux-gnu", "-nostdinc",
             f"-I{source_directory}", *flags, "-c",
             f"{source_directory}/core/lanes/target_unit.cc", "-o", built],
            check=True)
        exported = symbols_of_kind(built, "A-TX-Z")
        leaked = foreign(weak_symbols(built), "baseline")
        needed = set(symbols_of_kind(built, "U"))
    print(f"exported: {exported}\nweak in other namespaces: {leaked}\n"
          f"needed: {needed}")
    return 0 if exported == [TABLE] and not leaked and needed <= KNOWN else 1


if __name__ == "__main__":
    sys.exit(main())
