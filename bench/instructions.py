#!/usr/bin/python3
"""Instructions per state, beside the table bench/instructions.txt.

    instructions.py check PROGRAM    fail where a count is more than 3 % above
    instructions.py update PROGRAM   write the table anew

PROGRAM is torqued_instructions. Valgrind counts what happens inside
torqued::EvaluateRows. It cannot execute AVX-512, whose kernels are compiled from
the same text as AVX2's.

check ends with 77 where the table was made with another compiler, which is no
failure. Only the standard library is needed.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SLACK = 0.03
SKIPPED = 77
TABLE = pathlib.Path(__file__).resolve().parent / "instructions.txt"
COUNTED_INSIDE = "torqued::EvaluateRows*"


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def count(program):
    """Instructions per state by case."""
    counts = {}
    with tempfile.TemporaryDirectory() as directory:
        output_of("valgrind", "-q", "--tool=callgrind",
                  f"--toggle-collect={COUNTED_INSIDE}",
                  f"--callgrind-out-file={directory}/profile",
                  program)
        for path in pathlib.Path(directory).iterdir():
            profile = path.read_text(encoding="utf-8", errors="replace")
            trigger = re.search(r"^desc: Trigger: Client Request: (\S+) (\d+)$",
                                profile, re.MULTILINE)
            if trigger:
                total = re.search(r"^totals: (\d+)", profile, re.MULTILINE)
                counts[trigger[1]] = int(total[1]) / int(trigger[2])
    return counts


def table_of(compiler, counts):
    return "\n".join([
        "# Instructions per state: target/robot/quantity. Made by",
        "# bench/instructions.py update; see docs/performance.md.",
        f"compiler {compiler}",
        *(f"{case} {round(counts[case])}" for case in sorted(counts))]) + "\n"


def check(counts, table):
    """0 if no count is above the table's and both have the same cases."""
    failed = 0
    for case in sorted(counts | table):
        if case not in table or case not in counts:
            failed = 1
            print(f"{case} is not in the table and in the program")
            continue
        share = counts[case] / table[case] - 1
        if abs(share) > SLACK:
            print(f"{case} takes {counts[case]:.0f} instructions per state, "
                  f"{100 * share:+.1f} % of the {table[case]:.0f} of the table")
            failed = failed or share > 0
    print("If that is meant: bench/instructions.py update PROGRAM" if failed
          else f"{len(counts)} counts are at most {100 * SLACK:.0f} % above")
    return int(failed)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.error = lambda message: parser.exit(64, f"{parser.prog}: {message}\n")
    parser.add_argument("command", choices=["check", "update"])
    parser.add_argument("program")
    options = parser.parse_args(arguments)
    compiler = output_of(options.program, "compiler").strip()
    if options.command == "update":
        TABLE.write_text(table_of(compiler, count(options.program)),
                         encoding="utf-8")
        return 0
    table = TABLE.read_text(encoding="utf-8")
    if f"\ncompiler {compiler}\n" not in table:
        print(f"skipped: the table is for another compiler than {compiler}")
        return SKIPPED
    return check(count(options.program),
                 {case: float(number) for case, number in re.findall(
                     r"^(\w+/\S+) (\d+)$", table, re.MULTILINE)})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
