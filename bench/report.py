#!/usr/bin/python3
"""Measure, and write the tables of bench/results.md.

    report.py BUILD_DIR [--force] [--page FILE] [flags of torqued_bench]

They go to BUILD_DIR/report.md, or between the markers of a page; plots go to
BUILD_DIR/report.html. Runs torqued_bench and torqued_remote_bench of BUILD_DIR/bin.
The load of the machine must be at most 0.3, unless --force is given. The report says
what it was, and how much CPU time other programs took meanwhile. Of the repetitions of
a measurement the fastest counts. Needs the standard library and Debian's
libjs-dygraphs.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
MOST_LOAD = 0.3

# The quantities that all libraries have.
MAIN = {
    "inverse_dynamics": "inverse dynamics",
    "mass_matrix": "mass matrix",
    "forward_dynamics": "forward dynamics",
    "operational_space": "J, Λ and η",
    "bias_forces": "bias forces",
    "jacobian": "Jacobian",
}
ROBOTS = {"ur5e": "6-axis arm", "panda": "7-axis arm", "humanoid": "Humanoid"}
SINGLE_ROBOTS = ROBOTS | {"panda_gripper": "7-axis arm with gripper",
                          "humanoid_hands": "humanoid with light fingers"}
LIBRARIES = ("pinocchio", "rbdl", "mujoco", "kdl")
BATCH, SMALL_BATCH = 4096, 64
# Bytes of a state's results from which memory is what a batch waits for.
LARGE = 2000


class Run:
    """Nanoseconds per item by name, and counters."""

    def __init__(self, document):
        self.context = document["context"]
        self.times, self.counters = {}, {}
        for entry in document["benchmarks"]:
            if entry.get("run_type", "iteration") != "iteration":
                continue
            if entry.get("error_occurred"):
                raise ValueError(f"{entry['name']}: {entry['error_message']}")
            name = entry["name"].split("/real_time")[0]
            time = 1e9 / entry["items_per_second"]
            if time < self.times.get(name, math.inf):
                self.times[name], self.counters[name] = time, entry
        self.target = max(
            (name.split("/")[3] for name in self.times
             if name.startswith("engine/")),
            key=["baseline", "avx2", "avx512"].index, default=None)
        self.libraries = [name for name in LIBRARIES
                          if f"version/{name}" in self.context]

    def batches(self, robot, quantity):
        """States of the batches on one thread, ascending."""
        prefix = f"engine/{robot}/{quantity}/{self.target}/1/"
        return sorted(int(name.removeprefix(prefix)) for name in self.times
                      if name.startswith(prefix))

    def engine(self, robot, quantity, states=BATCH, target=None, threads=1):
        return self.times.get(f"engine/{robot}/{quantity}/"
                              f"{target or self.target}/{threads}/{states}")

    def fastest(self, robot, quantity):
        """Of the other libraries; None: no one has it."""
        return min((self.times[name] for name in (
            f"{library}/{robot}/{quantity}" for library in self.libraries)
            if name in self.times), default=None)


def number(value):
    """Three digits: 8.25, 14.2, 660, 3300."""
    if value is None:
        return "–"
    digits = max(2 - math.floor(math.log10(value)), 0)
    return f"{round(value, 2 - math.floor(math.log10(value))):.{digits}f}"


def ratio(other, ours):
    if other is None or ours is None:
        return "–"
    return f"{other / ours:.2f}×" if other < 10 * ours else f"{other / ours:.0f}×"


def table(head, rows):
    """The first column holds words, the others numbers."""
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def comparison(run, robot):
    """Batches and single states beside the other libraries."""
    rows = []
    for quantity, title in MAIN.items():
        batch = run.engine(robot, quantity)
        single = run.times[f"robot/{robot}/{quantity}"]
        best = run.fastest(robot, quantity)
        cells = [title, number(batch),
                 number(run.engine(robot, quantity, SMALL_BATCH)),
                 number(single)]
        for library in run.libraries:
            name = f"{library}/{robot}/{quantity}"
            cells.append("–" if name not in run.times else
                         f"{number(run.times[name])} "
                         f"({run.counters[name]['difference']:.0e})")
        rows.append(cells + [f"**{ratio(best, batch)}**",
                             f"**{ratio(best, single)}**"])
    return table(
        [f"{ROBOTS[robot]}, {run.context[f'joints/{robot}']} joints, ns a state",
         "batch of 4096", "of 64", "`Robot`",
         *(run.context[f"version/{library}"] for library in run.libraries),
         "fastest other / batch", "fastest other / `Robot`"], rows)


def all_quantities(run):
    rows = []
    bandwidth = 1 / run.times["store"] if "store" in run.times else None
    measured = {name.split("/")[2] for name in run.times
                if name.startswith("engine/panda/")}
    quantities = [*MAIN, *sorted(measured - MAIN.keys())]
    for quantity in quantities:
        cells = [MAIN.get(quantity, quantity.replace("_", " "))]
        for robot in ("panda", "humanoid"):
            small, large = run.batches(robot, quantity)
            best = run.fastest(robot, quantity)
            times = [run.engine(robot, quantity, states)
                     for states in (small, large)]
            cells += [f"{number(time)} ({ratio(best, time)})"
                      if best else number(time) for time in times]
        size = run.counters[f"engine/humanoid/{quantity}/{run.target}/1/{large}"
                            ]["bytes"]
        cells.append("–" if size < LARGE or bandwidth is None else
                     f"{100 * size / times[1] / bandwidth:.0f} %")
        rows.append(cells)
    return table(["ns a state (fastest other / torqued)", "7-axis arm, 64",
                  "7-axis arm, 4096", "humanoid, 64", "humanoid, 4096",
                  "share of the bandwidth"], rows)


def targets(run):
    cores = max(int(name.split("/")[4]) for name in run.times
                if name.startswith("engine/"))
    columns = [("baseline", 1), ("avx2", 1), ("avx512", 1), (run.target, cores)]
    columns = [column for column in dict.fromkeys(columns)
               if run.engine("panda", "jacobian", BATCH, *column)]
    return table(
        ["7-axis arm, batches of 4096, ns a state",
         *(f"{target}, {threads} thread{'s' * (threads > 1)}"
           for target, threads in columns)],
        [[title, *(number(run.engine("panda", quantity, BATCH, *column))
                   for column in columns)] for quantity, title in MAIN.items()])


def single_precision(run):
    rows = []
    for quantity, title in MAIN.items():
        cells = [title]
        for robot in SINGLE_ROBOTS:
            name = f"single/{robot}/{quantity}"
            double = run.engine(robot, quantity, run.batches(robot, quantity)[-1])
            fallback = run.counters[name]["fallback"]
            cells.append(f"{run.times[name] / double:.2f}" +
                         (f" ({100 * fallback:.1f} %)" if fallback else ""))
        rows.append(cells)
    return table(["time in single / in double", *SINGLE_ROBOTS.values()], rows)


SIZES = [1, 10, 100, 1000, 10_000, 100_000]
REMOTE = {"compute": "inverse_dynamics", "operational_space": "operational_space"}
DYGRAPHS = pathlib.Path("/usr/share/javascript/dygraphs")
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>torqued: when a server pays</title>
<style>{css} body {{ font: 15px sans-serif; margin: 1em; background: #fff; color: #222 }}
.plot {{ width: 100%; height: 24em }}</style><script>{js}</script>
<h1>When a server pays</h1><p>Nanoseconds a state of the 7-axis arm by the states of a
call, on one machine. {machine}</p><script>
for (const {{title, labels, rows}} of {data}) {{
  document.body.appendChild(document.createElement('h2')).textContent = title;
  const plot = document.body.appendChild(document.createElement('div'));
  plot.className = 'plot';
  new Dygraph(plot, rows, {{labels, logscale: true, strokeWidth: 2, xlabel: 'states',
    yRangePad: 15, ylabel: 'ns a state', axes: {{x: {{logscale: true}}}}, legend: 'always'}});
}}</script></html>
"""


def plots(run, client, machine):
    """A page: a state through a server and in process, by the states of a call."""
    data = []
    for name, quantity in REMOTE.items():
        lines = {"through a server": [client.times[f"{name}/{size}"] for size in SIZES],
                 "torqued in process": [run.engine("panda", quantity)] * len(SIZES)}
        for library in run.libraries:
            time = run.times.get(f"{library}/panda/{quantity}")
            lines[run.context[f"version/{library}"]] = [time] * len(SIZES)
        data.append({"title": MAIN[quantity], "labels": ["states", *lines],
                     "rows": list(zip(SIZES, *lines.values()))})
    css, js = ((DYGRAPHS / f"dygraph.min.{kind}").read_text(encoding="utf-8")
               for kind in ("css", "js"))
    return PAGE.format(css=css, js=js, machine=machine, data=json.dumps(data))


def remote(run):
    rows = [[title, f"{run.times[name] / 1e3:.1f}",
             f"{run.counters[name]['p50']:.1f}",
             f"{run.counters[name]['p99']:.1f}"]
            for name, title in {
                "echo/1": "an echo, bare gRPC", "compute/1": "`Compute`",
                "async_64/1": "`ComputeAsync`, 64 in flight"}.items()]
    return "\n\n".join([
        table(["one state, µs", "a state", "median of a call", "p99"], rows),
        table(["`Compute`, ns a state", *map(str, SIZES)],
              [[MAIN[quantity], *(number(run.times[f"{name}/{size}"]) for size in SIZES)]
               for name, quantity in REMOTE.items()])])


def cpu_seconds():
    """(of all programs, of ours that ended)."""
    with open("/proc/stat", encoding="utf-8") as file:
        ticks = list(map(int, file.readline().split()[1:9]))
    ours = os.times()
    return ((sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK"),
            ours.children_user + ours.children_system)


def measure(program, *flags):
    out = program.with_suffix(".json")
    subprocess.run([program, f"--benchmark_out={out}",
                    "--benchmark_out_format=json", *flags],
                   check=True, stdout=subprocess.DEVNULL)
    return Run(json.loads(out.read_text(encoding="utf-8")))


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(": ")[1].strip() for line in file
                     if line.startswith("model name")), "unknown")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.error = lambda message: parser.exit(64, f"{parser.prog}: {message}\n")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--page", type=pathlib.Path)
    options, flags = parser.parse_known_args(arguments)
    load = os.getloadavg()[0]
    if load > MOST_LOAD and not options.force:
        sys.exit(f"The load is {load:.1f}, more than {MOST_LOAD}: other programs "
                 "would be measured, too. --force measures all the same.")
    before = cpu_seconds()
    run = measure(options.build / "bin" / "torqued_bench", *flags)
    client = measure(options.build / "bin" / "torqued_remote_bench")
    busy, ours = (b - a for a, b in zip(before, cpu_seconds()))
    machine = (f"{cpu_name()}, {run.context['num_cpus']} cores, {run.target}, "
               f"{run.context['compiler']}, {run.context['date'][:10]}. The load before "
               f"was {load:.1f}, and other programs took "
               f"{100 * max(busy - ours, 0) / busy:.0f} % of the CPU time.")
    text = "\n\n".join([
        BEGIN, machine,
        *(comparison(run, robot) for robot in ROBOTS),
        "### All quantities", all_quantities(run),
        "### Instruction sets and threads", targets(run),
        "### Single precision", single_precision(run),
        "### Through a server", remote(client), END])
    report = options.page or options.build / "report.md"
    page = options.page.read_text(encoding="utf-8") if options.page else text
    report.write_text(page[:page.index(BEGIN)] + text +
                      page[page.index(END) + len(END):], encoding="utf-8")
    plot = options.build / "report.html"
    plot.write_text(plots(run, client, machine), encoding="utf-8")
    print(f"{report}; {plot}; all figures: {options.build}/bin/*.json")


if __name__ == "__main__":
    main(sys.argv[1:])
