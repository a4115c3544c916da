#!/usr/bin/python3
"""Write the tables and the plot of docs/performance.md from one run of
torqued_bench.

    report.py RUN.json --page docs/performance.md --plot docs/performance.svg

RUN.json is what torqued_bench --benchmark_out=RUN.json leaves. Of the
repetitions of a measurement the fastest counts. On the page, what stands
between the two marker lines is replaced; the rest is left as it is.

Only the standard library is needed.
"""

import argparse
import json
import math
import sys
from collections import namedtuple
from xml.sax.saxutils import escape

BEGIN = "<!-- measured: begin -->"
END = "<!-- measured: end -->"

# Measured by size of batch, target and number of threads.
WORKLOADS = {
    "inverse_dynamics": "inverse dynamics",
    "mass_matrix": "mass matrix",
    "forward_dynamics": "forward dynamics",
    "operational_space": "J, Λ and η",
    "bias_forces": "bias forces",
    "jacobian": "Jacobian",
}
ROBOTS = {
    "ur5e": "6-axis arm",
    "panda": "7-axis arm",
    "humanoid": "humanoid",
}
# One thread, ordinary batches, best target.
QUANTITIES = WORKLOADS | {
    "gravity_forces": "gravity forces",
    "coriolis_forces": "Coriolis forces",
    "coriolis_matrix": "Coriolis matrix",
    "christoffel_symbols": "Christoffel symbols",
    "mass_matrix_rate": "rate of the mass matrix",
    "mass_matrix_inverse": "inverse of the mass matrix",
    "inverse_dynamics_derivatives": "derivatives of inverse dynamics",
    "forward_dynamics_derivatives": "derivatives of forward dynamics",
    "regressor": "regressor",
    "energy": "energies",
    "center_of_mass": "centre of mass",
    "momentum": "momentum",
    "momentum_matrix": "momentum matrix",
    "joint_wrenches": "joint wrenches",
    "base_wrench": "base wrench",
    "link_twists": "link twists",
    "link_accelerations": "link accelerations",
    "frame_pose": "pose",
    "frame_velocity": "velocity of the tip",
    "frame_acceleration": "acceleration of the tip",
    "forward_frame_acceleration": "acceleration of the tip by forward dynamics",
    "jacobian_drift": "Jacobian drift",
    "jacobian_rate": "rate of the Jacobian",
    "task_projection": "mobility, inverse and projector of the task",
    "task_torque": "torque for an acceleration of the task",
    "power_balance": "power balance",
}
ALL_ROBOTS = ROBOTS | {"panda_gripper": "7-axis arm with gripper"}
# Where single precision is measured beside double.
SINGLE_ROBOTS = ALL_ROBOTS | {"humanoid_hands": "humanoid with light fingers"}
LIBRARIES = ("pinocchio", "rbdl", "mujoco", "kdl")
# States of a batch in the tables that compare libraries.
BATCH = 4096

Peer = namedtuple("Peer", "nanoseconds difference")
# `doubtful`: the share of the rows that are computed again in double precision,
# because single precision may be too coarse for them.
Single = namedtuple("Single", "nanoseconds doubtful")


class Run:
    """The measurements by name, in nanoseconds per state."""

    def __init__(self, document):
        self.context = document["context"]
        self.targets = self.context["targets"].split()
        self.cores = int(self.context["cores"])
        self.engine = {}  # (robot, workload, target, threads, states)
        self.single = {}  # (robot, workload)
        self.single_precision = {}  # (robot, workload) -> Single
        self.peers = {}   # (library, robot, workload) -> Peer
        self.peaks = {}   # target -> flops per second
        for entry in document["benchmarks"]:
            if entry.get("run_type", "iteration") != "iteration":
                continue
            if entry.get("error_occurred"):
                raise ValueError(f"{entry['name']}: {entry['error_message']}")
            self._add(entry)

    def _add(self, entry):
        rate = entry["items_per_second"]
        kind, *rest = entry["name"].split("/")
        if kind == "peak":
            target = rest[0]
            self.peaks[target] = max(rate, self.peaks.get(target, 0))
            return
        time = 1e9 / rate
        if kind == "engine":
            robot, workload, target, threads, states = rest[:5]
            key = robot, workload, target, int(threads), int(states)
            self.engine[key] = min(time, self.engine.get(key, math.inf))
        elif kind == "single":
            key = tuple(rest[:2])
            known = self.single_precision.get(key, Single(math.inf, 0))
            self.single_precision[key] = Single(
                min(time, known.nanoseconds), entry["doubtful"])
        elif kind == "robot":
            key = tuple(rest[:2])
            self.single[key] = min(time, self.single.get(key, math.inf))
        else:
            key = kind, *rest[:2]
            known = self.peers.get(key, Peer(math.inf, 0))
            self.peers[key] = Peer(min(time, known.nanoseconds),
                                   entry["difference"])

    def libraries(self):
        """Those that were compared with, in the order of the tables."""
        return [name for name in LIBRARIES
                if any(key[0] == name for key in self.peers)]

    def version(self, library):
        return self.context[f"version/{library}"]

    def ours(self, robot, workload, target=None, threads=1, states=BATCH):
        """None where it was not measured; default: the best target."""
        return self.engine.get(
            (robot, workload, target or self.targets[-1], threads, states))

    def ordinary_batch(self, robot, workload):
        """States of the largest batch up to BATCH; None: not measured."""
        return max((key[4] for key in self.engine
                    if key[:2] == (robot, workload) and key[4] <= BATCH),
                   default=None)

    def fastest(self, robot, workload):
        """(library, Peer) of the fastest other library, or None."""
        peers = [(library, self.peers[library, robot, workload])
                 for library in self.libraries()
                 if (library, robot, workload) in self.peers]
        return min(peers, key=lambda peer: peer[1].nanoseconds, default=None)

    def states(self, robot):
        """All sizes of batches of the main workloads, ascending."""
        return sorted({key[4] for key in self.engine
                       if key[0] == robot and key[1] in WORKLOADS})


def number(value):
    """Three digits: 8.25, 14.2, 660, 3300, 55700."""
    if value is None:
        return "–"
    digits = 3 - 1 - math.floor(math.log10(value)) if value > 0 else 0
    return f"{round(value, digits):.{max(digits, 0)}f}"


def ratio(value):
    """Of two times, with as many digits as it deserves."""
    return f"{value:.2f}×" if value < 10 else f"{value:.0f}×"


def difference(value):
    return "0" if value == 0 else f"{value:.0e}".replace("e-0", "e-")


def beside(peer, ours):
    """A library's time, with its ratio to ours and the largest difference."""
    if peer is None:
        return "–"
    return (f"{number(peer.nanoseconds)} ({ratio(peer.nanoseconds / ours)}, "
            f"{difference(peer.difference)})")


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(head, rows):
    """The first column holds words, the others numbers."""
    rule = ["---"] + ["--:"] * (len(head) - 1)
    return "\n".join([row(head), row(rule), *map(row, rows)])


def comparison(run, robot):
    """Ours on one thread beside the other libraries."""
    libraries = run.libraries()
    head = ["ns per state"]
    head += [f"torqued {target}" for target in reversed(run.targets)]
    head += [run.version(library) for library in libraries]
    head += ["fastest other / torqued"]
    rows = []
    for workload, title in WORKLOADS.items():
        best = run.ours(robot, workload)
        if best is None:
            continue
        cells = [title]
        cells += [number(run.ours(robot, workload, target))
                  for target in reversed(run.targets)]
        cells += [beside(run.peers.get((library, robot, workload)), best)
                  for library in libraries]
        fastest = run.fastest(robot, workload)
        cells.append("–" if fastest is None else
                     f"**{ratio(fastest[1].nanoseconds / best)}**")
        rows.append(cells)
    return table(head, rows)


def all_quantities(run, robot):
    """The best target on one thread beside the other libraries."""
    libraries = run.libraries()
    head = [f"{ALL_ROBOTS[robot]}, {run.context[f'joints/{robot}']} joints",
            f"torqued {run.targets[-1]}"]
    head += [run.version(library) for library in libraries]
    rows = []
    for workload, title in QUANTITIES.items():
        states = run.ordinary_batch(robot, workload)
        ours = run.ours(robot, workload, states=states)
        if ours is None:
            continue
        cells = [title, number(ours)]
        if states < BATCH:
            cells[0] += f" ({size(states)} states)"
        cells += [beside(run.peers.get((library, robot, workload)), ours)
                  for library in libraries]
        rows.append(cells)
    return table(head, rows)


def beside_double(run, robot, workload):
    """Time over that of double precision, with the share of doubtful rows."""
    single = run.single_precision.get((robot, workload))
    double = run.ours(robot, workload,
                      states=run.ordinary_batch(robot, workload))
    if single is None or double is None:
        return "–"
    words = f"{single.nanoseconds / double:.2f}"
    if single.doubtful > 0:
        words += f" ({100 * single.doubtful:.1f} %)"
    return words


def single_precision(run):
    """The best target on one thread beside double precision."""
    robots = [robot for robot in SINGLE_ROBOTS
              if any(key[0] == robot for key in run.single_precision)]
    head = ["time in single / in double"]
    head += [SINGLE_ROBOTS[robot] for robot in robots]
    rows = [[title, *(beside_double(run, robot, workload)
                      for robot in robots)]
            for workload, title in QUANTITIES.items()
            if any((robot, workload) in run.single_precision
                   for robot in robots)]
    return table(head, rows)


def size(states):
    return f"{states:,}".replace(",", " ")


def batches(run, robot):
    """The best target by size of batch and number of threads."""
    sizes = run.states(robot)
    head = ["ns per state", "`Robot`"]
    head += [f"{size(states)} {'state' if states == 1 else 'states'}"
             for states in sizes]
    rows = []
    for workload, title in WORKLOADS.items():
        cells = [title, number(run.single.get((robot, workload)))]
        for states in sizes:
            one = run.ours(robot, workload, states=states)
            all_cores = run.ours(robot, workload, threads=run.cores,
                                 states=states)
            cells.append(number(one) if all_cores is None or run.cores == 1
                         else f"{number(one)} / {number(all_cores)}")
        rows.append(cells)
    return table(head, rows)


def peak_shares(run):
    """Arithmetic of inverse dynamics beside the peak of one core."""
    head = ["inverse dynamics", "multiplications", "additions", "target",
            "Gflop/s", "peak Gflop/s", "share of peak"]
    rows = []
    for robot, title in ROBOTS.items():
        products = int(run.context[f"multiplications/{robot}"])
        sums = int(run.context[f"additions/{robot}"])
        for target in reversed(run.targets):
            time = run.ours(robot, "inverse_dynamics", target)
            peak = run.peaks.get(target)
            if time is None or peak is None:
                continue
            rate = (products + sums) / time * 1e9
            rows.append([title, str(products), str(sums), target,
                         number(rate / 1e9), number(peak / 1e9),
                         f"{100 * rate / peak:.0f} %"])
    return table(head, rows)


def measured(run):
    """All that stands between the markers."""
    context = run.context
    load = ", ".join(f"{value:.1f}" for value in context["load_avg"])
    parts = [
        f"{context['cpu']}, {run.cores} cores; {context['compiler']}; "
        f"{context['date'][:10]}; load before the run {load}."]
    for robot, title in ROBOTS.items():
        joints = context[f"joints/{robot}"]
        parts += [f"### {title[0].upper()}{title[1:]}, {joints} joints",
                  f"One thread, batches of {size(BATCH)} states. In brackets: "
                  "time over ours, largest relative difference.",
                  comparison(run, robot),
                  "By size of the batch, on one thread / "
                  f"{run.cores} threads, {run.targets[-1]}:",
                  batches(run, robot)]
    parts += ["### All quantities",
              "Nanoseconds per state on one thread, batches of "
              f"{size(BATCH)} states, fewer where the results are large. In "
              "brackets: time over ours, largest relative difference."]
    parts += [all_quantities(run, robot) for robot in ALL_ROBOTS]
    parts += ["### Single precision",
              "Each figure is the time of a batch in single precision over its "
              "time in double, each with tables in its own precision, on one "
              "thread, in the batches of the tables above. Rows in doubt of "
              "single precision are computed in double; their share stands in "
              "brackets.",
              single_precision(run)]
    parts += ["### Share of the peak", peak_shares(run)]
    return "\n\n".join(parts)


def replace_between_markers(page, text):
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < begin:
        raise ValueError(f"the page has no {BEGIN} ... {END}")
    return (page[:begin + len(BEGIN)] + "\n\n" + text + "\n\n" + page[end:])


COLOURS = {
    "torqued": "#d1495b",
    "pinocchio": "#30638e",
    "rbdl": "#5b8e7d",
    "mujoco": "#8d6a9f",
    "kdl": "#edae49",
}


def plot(run):
    """Bars of nanoseconds per state, on a logarithmic axis."""
    width, left, right, bar, gap, head = 860, 150, 70, 11, 10, 34
    groups = []  # (robot title or None, workload title, [(name, label, ns)])
    for robot, title in ROBOTS.items():
        first = f"{title}, {run.context[f'joints/{robot}']} joints"
        for workload, workload_title in WORKLOADS.items():
            ours = run.ours(robot, workload)
            if ours is None:
                continue
            bars = [("torqued", ours)]
            bars += [(library, run.peers[library, robot, workload].nanoseconds)
                     for library in run.libraries()
                     if (library, robot, workload) in run.peers]
            groups.append((first, workload_title, bars))
            first = None
    times = [time for _, _, bars in groups for _, time in bars]
    low = math.floor(math.log10(min(times)))
    high = max(math.ceil(math.log10(max(times))), low + 1)
    scale = (width - left - right) / (high - low)

    def x(time):
        return left + scale * (math.log10(time) - low)

    shapes, y = [], 54
    for title, workload, bars in groups:
        if title is not None:
            y += head
            shapes.append(text(left, y - 8, title, bold=True))
        shapes.append(text(left - 8, y + bar * len(bars) / 2 + 4, workload,
                           anchor="end"))
        for name, time in bars:
            shapes.append(f'<rect x="{left}" y="{y:.1f}" '
                          f'width="{x(time) - left:.1f}" height="{bar - 1}" '
                          f'fill="{COLOURS[name]}"/>')
            shapes.append(text(x(time) + 4, y + bar - 2, number(time), 9))
            y += bar
        y += gap
    grid = []
    for exponent in range(low, high + 1):
        at = x(10 ** exponent)
        grid.append(f'<line x1="{at:.1f}" y1="54" x2="{at:.1f}" y2="{y}" '
                    'stroke="#dddddd"/>')
        grid.append(text(at, y + 16, f"{10 ** exponent:g} ns",
                         anchor="middle"))
    legend, at = [], left
    for name in ["torqued", *run.libraries()]:
        label = f"torqued {run.targets[-1]}" if name == "torqued" else \
            run.version(name)
        legend.append(f'<rect x="{at}" y="30" width="11" height="11" '
                      f'fill="{COLOURS[name]}"/>')
        legend.append(text(at + 15, 40, label))
        at += 30 + 6.6 * len(label)
    caption = f"Time per state, one thread, batches of {size(BATCH)} states"
    body = "\n".join([text(left, 18, caption, 14, bold=True), *legend, *grid,
                      *shapes])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{y + 28}" viewBox="0 0 {width} {y + 28}" '
            f'font-family="sans-serif">\n<title>{escape(caption)}</title>\n'
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n'
            f'{body}\n</svg>\n')


def text(x, y, words, size_px=12, anchor="start", bold=False):
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size_px}" '
            f'text-anchor="{anchor}" fill="#222222"{weight}>'
            f"{escape(words)}</text>")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("--page", required=True)
    parser.add_argument("--plot", required=True)
    options = parser.parse_args(arguments)
    with open(options.run, encoding="utf-8") as file:
        run = Run(json.load(file))
    with open(options.page, encoding="utf-8") as file:
        page = file.read()
    page = replace_between_markers(page, measured(run))
    drawing = plot(run)
    with open(options.page, "w", encoding="utf-8") as file:
        file.write(page)
    with open(options.plot, "w", encoding="utf-8") as file:
        file.write(drawing)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError) as error:
        sys.exit(f"report.py: {error}")
