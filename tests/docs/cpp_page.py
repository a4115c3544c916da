"""The program of a page whose pieces of C++ are the body of one main.

Usage: cpp_page.py FILE prints it.
"""

import sys

from extract_snippets import snippets


def program(path):
    includes, body = snippets(path, "cpp includes"), snippets(path, "cpp")
    assert includes and body
    return "".join(includes) + "\nint main() {\n" + "\n".join(body) + "}\n"


if __name__ == "__main__":
    sys.stdout.write(program(sys.argv[1]))
