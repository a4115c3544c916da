#!/usr/bin/python3
"""The estimate of what rows cost, beside the instructions that they take.

    costs.py PROGRAM

PROGRAM is torqued_costs. Fails where a row of a quantity and size is estimated
at less than LEAST or more than MOST nanoseconds per instruction, as valgrind
counts them inside torqued::EvaluateRows: most code takes 0.05 to 0.1 on one core,
what waits for memory 0.3. Only the standard library is needed.
"""

import sys

import instructions

LEAST, MOST = 0.04, 0.3


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    program, = arguments
    estimates = {}
    for line in instructions.output_of([program, "list"]).splitlines():
        case, nanoseconds = line.split()
        estimates[case] = float(nanoseconds)
    counts = instructions.count_with_callgrind(program, list(estimates))
    wrong = 0
    for case, nanoseconds in estimates.items():
        ratio = nanoseconds / counts[case]
        verdict = "" if LEAST <= ratio <= MOST else " WRONG"
        wrong += bool(verdict)
        print(f"{case}: {nanoseconds:.0f} ns by estimate for "
              f"{counts[case]:.0f} instructions, {ratio:.3f} each{verdict}")
    print(f"{len(estimates)} estimates, {wrong} of them wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except instructions.Failure as failure:
        sys.exit(f"costs.py: {failure}")
