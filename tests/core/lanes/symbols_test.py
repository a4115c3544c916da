"""The object files of the targets share no code with the rest.

Usage: symbols_test.py TARGET=OBJECT...

The linker keeps one copy of every weak symbol (inline function, template): one
that a unit for wider instructions defines outside its own namespace could be
the copy that runs on a machine without them.
"""

import re
import subprocess
import sys


def symbols_of_kind(path, kinds):
    """Mangled names of the symbols in an object file whose letter of nm is one
    of `kinds`."""
    lines = subprocess.run(["nm", path], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    found = [re.match(rf"^[0-9a-f ]* ([{kinds}]) (\S+)$", line)
             for line in lines]
    return [match.group(2) for match in found if match]


def weak_symbols(path):
    """Those of the weak and unique definitions."""
    return symbols_of_kind(path, "VWu")


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
              f"torqued::{target}")
        for symbol in leaked:
            failed = True
            print(f"  {symbol}")
    # The check itself sees what it is for.
    assert foreign(["_ZSt3maxIdERKT_S2_S2_"], "avx2")
    assert foreign(["_ZN7torqued8baseline3FooEv"], "avx2")
    assert foreign(["_ZZN7torqued8baseline3FooEvENKUlvE_clEv"], "avx2")
    assert not foreign(["_ZN7torqued4avx23FooEv"], "avx2")
    assert not foreign(["_ZZN7torqued4avx23FooEvENKUlvE_clEv"], "avx2")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
