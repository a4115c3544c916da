"""The object files of the targets share no code with the rest.

Usage: symbols_test.py TARGET=OBJECT...

The linker keeps one copy of every weak symbol (inline function, template): one
that a unit for wider instructions defines outside its own namespace could be
the copy that runs on a machine without them.
"""

import re
import subprocess
import sys


def weak_symbols(path):
    """Mangled names of the weak and unique definitions of an object file."""
    lines = subprocess.run(["nm", path], check=True, capture_output=True,
                           text=True).stdout
    return re.findall(r"^[0-9a-f ]* [VWu] (\S+)$", lines, re.MULTILINE)


def foreign(symbols, target):
    """Symbols outside namespace torqued::target. What is local to a function,
    as a lambda is, belongs to the function's namespace."""
    own = f"7torqued{len(target)}{target}"
    return [s for s in symbols
            if not re.match(rf"^_Z(T[VIS]|GV)?Z*NK?{own}", s)]


def main():
    failed = False
    for argument in sys.argv[1:]:
        target, path = argument.split("=", 1)
        symbols = weak_symbols(path)
        leaked = foreign(symbols, target)
        print(f"{target}: {len(symbols)} weak symbols, {len(leaked)} outside "
              f"torqued::{target}", *leaked, sep="\n  ")
        failed = failed or leaked
    # The check itself sees what it is for.
    leaks = ["_ZSt3maxIdERKT_S2_S2_", "_ZN7torqued8baseline3FooEv",
             "_ZZN7torqued8baseline3FooEvENKUlvE_clEv"]
    assert foreign(leaks + ["_ZN7torqued4avx23FooEv",
                            "_ZZN7torqued4avx23FooEvENKUlvE_clEv"],
                   "avx2") == leaks
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
