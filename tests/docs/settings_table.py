#!/usr/bin/python3
"""Writes the table of settings of docs/operations.md.

Usage: settings_table.py TORQUED PAGE
"""

import re
import subprocess
import sys

# Their defaults depend on the machine.
MACHINE = ("store", "max-message-bytes", "max-inflight-bytes")
OPTION = re.compile(r"^  --([a-z-]+)(.*)\n((?: {10,}.*\n)?)", re.MULTILINE)
MARK = re.compile(r"(<!-- settings -->\n).*?(<!-- end -->)", re.DOTALL)


def rows(help_text):
    """Of all options that are settings: those before --config."""
    for name, form, text in OPTION.findall(help_text.split("  --config")[0]):
        default, words = re.fullmatch(
            r"(?: [^=\s]+)?(?:=(\S+))?(?: \.\.\.)?(.*)", form).groups()
        shown = f"`{default}`" if default and name not in MACHINE else ""
        yield f"| `{name}` | {shown} | {(words + text).strip()} |\n"


def written(page, help_text):
    table = "".join(["| Setting | Default | Meaning |\n|---|---|---|\n", *rows(help_text)])
    return MARK.sub(lambda mark: mark[1] + table + mark[2], page)


if __name__ == "__main__":
    shown = subprocess.run([sys.argv[1], "--help"], check=True, capture_output=True,
                           text=True).stdout
    with open(sys.argv[2], encoding="utf-8") as file:
        page = file.read()
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(written(page, shown))
