#!/usr/bin/python3
"""Instructions per state, beside the table bench/instructions.txt.

    instructions.py check PROGRAM    fail where a count is more than 3 % above
    instructions.py update PROGRAM   write the table anew

PROGRAM is torqued_instructions. Valgrind counts what happens inside
torqued::EvaluateRows. AVX-512, which valgrind cannot execute, is counted by
executing one instruction at a time, where the machine has it and lets a process
trace another.

check ends with 77 where the table was made with another compiler, which is no
failure. Only the standard library is needed.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SLACK = 0.03
SKIPPED = 77
TABLE = pathlib.Path(__file__).resolve().parent / "instructions.txt"
COUNTED_INSIDE = "torqued::EvaluateRows*"


class Failure(Exception):
    """A sentence for the user."""


def output_of(command):
    try:
        return subprocess.run(command, check=True, capture_output=True,
                              text=True).stdout
    except FileNotFoundError as error:
        raise Failure(f"{command[0]} is not installed") from error
    except subprocess.CalledProcessError as error:
        raise Failure(f"{' '.join(command[:3])} ...: "
                      f"{error.stderr.strip() or error}") from error


def count_with_callgrind(program, cases):
    """Instructions per state by case."""
    if not cases:
        return {}
    counts = {}
    with tempfile.TemporaryDirectory() as directory:
        output_of(["valgrind", "-q", "--tool=callgrind",
                   f"--toggle-collect={COUNTED_INSIDE}",
                   f"--callgrind-out-file={directory}/profile",
                   program, "callgrind", *cases])
        for name in os.listdir(directory):
            profile = pathlib.Path(directory, name).read_text(
                encoding="utf-8", errors="replace")
            trigger = re.search(r"^desc: Trigger: Client Request: (\S+) (\d+)$",
                                profile, re.MULTILINE)
            if trigger:
                total = re.search(r"^totals: (\d+)", profile, re.MULTILINE)
                counts[trigger[1]] = int(total[1]) / int(trigger[2])
    for case in cases:
        if not counts.get(case):
            raise Failure(f"no instructions of {case} were counted inside "
                          f"{COUNTED_INSIDE}")
    return counts


def count_by_steps(program, cases):
    counts = {}
    for line in output_of([program, "step", *cases]).splitlines():
        case, instructions, states = line.split()
        counts[case] = int(instructions) / int(states)
    return counts


def count(program):
    """(compiler, counts by case, cases that cannot be counted here)."""
    compiler = output_of([program, "compiler"]).strip()
    cases = output_of([program, "list"]).split()
    wide = [case for case in cases if case.startswith("avx512/")]
    counts = count_with_callgrind(
        program, [case for case in cases if case not in wide])
    if wide:
        try:
            counts |= count_by_steps(program, wide)
            wide = []
        except Failure as failure:
            print(failure)
    return compiler, counts, wide


def read_table(path):
    """(compiler, counts by case)."""
    compiler, counts = None, {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("compiler "):
            compiler = line.removeprefix("compiler ")
        elif line and not line.startswith("#"):
            case, instructions = line.split()
            counts[case] = int(instructions)
    return compiler, counts


def write_table(path, compiler, counts):
    lines = ["# Instructions per state: target/robot/quantity. Made by",
             "# bench/instructions.py update; see docs/performance.md.",
             f"compiler {compiler}"]
    lines += [f"{case} {round(counts[case])}" for case in sorted(counts)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def complaints(counts, table):
    """Sentences about what must not be so."""
    said = []
    for case, instructions in sorted(counts.items()):
        if case not in table:
            said.append(f"{case} is not in the table")
        elif instructions > (1 + SLACK) * table[case]:
            said.append(
                f"{case} takes {instructions:.0f} instructions per state, "
                f"{100 * (instructions / table[case] - 1):.1f} % more than "
                f"the {table[case]} of the table")
    targets = {case.split("/")[0] for case in counts}
    for case in sorted(table):
        if case.split("/")[0] in targets and case not in counts:
            said.append(f"{case} of the table does not exist")
    return said


def check(program, path):
    compiler, table = read_table(path)
    ours = output_of([program, "compiler"]).strip()
    if compiler != ours:
        print(f"skipped: the table is for {compiler}, this is {ours}")
        return SKIPPED
    _, counts, uncounted = count(program)
    said = complaints(counts, table)
    for sentence in said:
        print(sentence)
    if said:
        print(f"If that is meant: {__file__} update {program}")
        return 1
    for case in sorted(counts):
        if counts[case] < (1 - SLACK) * table[case]:
            print(f"{case}: {counts[case]:.0f}, less than the {table[case]} "
                  "of the table; update it to hold that")
    print(f"{len(counts)} counts are within {100 * SLACK:.0f} %"
          + (f"; {len(uncounted)} of AVX-512 cannot be counted here"
             if uncounted else ""))
    return 0


def update(program, path):
    compiler, counts, uncounted = count(program)
    if uncounted and path.exists():
        # Kept as they are.
        old = read_table(path)[1]
        counts |= {case: old[case] for case in uncounted if case in old}
    write_table(path, compiler, counts)
    print(f"{len(counts)} counts in {path}"
          + (f"; {len(uncounted)} of AVX-512 cannot be counted here"
             if uncounted else ""))
    return 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["check", "update"])
    parser.add_argument("program")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    options = parser.parse_args(arguments)
    action = check if options.command == "check" else update
    return action(options.program, options.table)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"instructions.py: {failure}")
