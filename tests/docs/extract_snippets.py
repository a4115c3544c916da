"""Code blocks of the documentation, by the words behind their fence.

    ```cpp client   ->  kind "cpp client"

Usage: extract_snippets.py FILE KIND prints the blocks of one kind, one after
the other.
"""

import re
import sys

FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(path, kind):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return [body for info, body in FENCE.findall(text) if info.strip() == kind]


if __name__ == "__main__":
    found = snippets(sys.argv[1], sys.argv[2])
    if not found:
        sys.exit(f"{sys.argv[1]} has no block '{sys.argv[2]}'")
    sys.stdout.write("\n".join(found))
