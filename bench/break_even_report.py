#!/usr/bin/python3
"""Tables and plot of docs/break-even.md.

    break_even_report.py collect MEASURED > docs/break-even.json
    break_even_report.py write       docs/break-even.json -> page and plot
    break_even_report.py check       fails where page or plot are others

MEASURED is what break_even and clients/break_even.py print; of the sweeps
the median counts. On the page, what stands between the two marker
lines is replaced. Only the standard library is needed.
"""

import datetime
import json
import math
import pathlib
import statistics
import sys

import report

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
DATA, PAGE, PLOT = (DOCS / f"break-even.{ending}"
                    for ending in ("json", "md", "svg"))

QUANTITIES = {
    "inverse_dynamics": "Inverse dynamics",
    "operational_space": "Λ and η of the operational space",
}
# Way -> what it is called, colour, dashes of its line; in the tables' order.
WAYS = {
    "core_1": ("torqued in process, 1 thread", "#d1495b", "5 3"),
    "core": ("torqued in process", "#d1495b", ""),
    "rbdl": ("RBDL", "#5b8e7d", ""),
    "pinocchio": ("Pinocchio", "#30638e", ""),
    "kdl": ("Orocos KDL", "#edae49", ""),
    "mujoco": ("MuJoCo", "#8d6a9f", ""),
    "cpp_unix": ("C++ client, Unix socket", "#222222", ""),
    "cpp_tcp": ("C++ client, TCP", "#222222", "5 3"),
    "cpp_stream_unix": ("C++ open stream, Unix socket", "#888888", ""),
    "cpp_stream_tcp": ("C++ open stream, TCP", "#888888", "5 3"),
    "py_unix": ("Python client, Unix socket", "#2a9d8f", ""),
    "py_tcp": ("Python client, TCP", "#2a9d8f", "5 3"),
    "pykdl": ("PyKDL, a loop in Python", "#f4a261", ""),
}
IN_PROCESS = ("rbdl", "pinocchio", "kdl", "mujoco")
CLIENTS = ("cpp_stream_unix", "cpp_unix", "cpp_tcp")
TABLED = (1, 10, 100, 1000, 10_000, 100_000, 1_000_000)


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return "unknown processor"


def collect(lines):
    """What is kept: quantity -> way -> states -> nanoseconds a state."""
    context, kept = {}, {}
    for line in lines:
        entry = json.loads(line)
        if "way" not in entry:
            context = entry
            continue
        sizes = kept.setdefault(entry["quantity"], {}).setdefault(
            entry["way"], {})
        sizes.setdefault(str(entry["states"]), []).append(entry["nanoseconds"])
    for ways in kept.values():
        for sizes in ways.values():
            for states, sweeps in sizes.items():
                sizes[states] = round(statistics.median(sweeps), 1)
    return {"cpu": cpu_name(), "date": datetime.date.today().isoformat(),
            **context, "measured": kept}


def curve(data, quantity, way):
    """states -> nanoseconds; empty where it was not measured."""
    return {int(states): time for states, time in
            data["measured"][quantity].get(way, {}).items()}


def crossing(remote, local):
    """From how many states on `remote` is faster, between the sizes at which
    both were measured; None: at none. Straight lines in the logarithms."""
    sizes = sorted(set(remote) & set(local))
    gains = [math.log(local[n] / remote[n]) for n in sizes]
    if not gains or gains[-1] <= 0:
        return None
    k = len(gains)
    while k > 0 and gains[k - 1] > 0:
        k -= 1
    if k == 0:
        return sizes[0]
    share = -gains[k - 1] / (gains[k] - gains[k - 1])
    return sizes[k - 1] * (sizes[k] / sizes[k - 1]) ** share


def rough(states):
    """Two digits: no more are known of a crossing."""
    if states is None:
        return "never"
    digits = max(0, math.floor(math.log10(states)) - 1)
    return report.size(int(round(states, -digits)))


def time_of(nanoseconds):
    if nanoseconds is None:
        return "–"
    if nanoseconds >= 1000:
        return f"{report.number(nanoseconds / 1000)} µs"
    return f"{report.number(nanoseconds)} ns"


def times(data, quantity):
    head = ["a state takes"] + [
        f"{report.size(n)} {'state' if n == 1 else 'states'}" for n in TABLED]
    rows = []
    for way, (title, _, _) in WAYS.items():
        known = curve(data, quantity, way)
        if known:
            rows.append([title] + [time_of(known.get(n)) for n in TABLED])
    return report.table(head, rows)


def crossings(data, quantity):
    head = ["faster than"] + [WAYS[way][0] for way in CLIENTS]
    rows = []
    for local in IN_PROCESS + ("core_1",):
        inside = curve(data, quantity, local)
        if not inside:
            continue
        rows.append([WAYS[local][0]] + [
            rough(crossing(curve(data, quantity, way), inside))
            for way in CLIENTS])
    inside = curve(data, quantity, "pykdl")
    table = report.table(head, rows)
    if inside:
        over = rough(crossing(curve(data, quantity, "py_unix"), inside))
        table += ("\n\nThe Python client over a Unix socket is faster than the "
                  f"loop over PyKDL from {over} states on.")
    return table


def measured(data):
    libraries = ", ".join(data["libraries"].values())
    parts = [f"{data['cpu']}, {data['threads']} cores, which the servers and "
             f"their callers share; {data['target']}; {libraries}; "
             f"{data['date']}."]
    for quantity, title in QUANTITIES.items():
        parts += [f"### {title}", times(data, quantity),
                  "Faster than a library in process from so many states a "
                  "batch on:", crossings(data, quantity)]
    return "\n\n".join(parts)


PANEL = {"width": 400, "height": 380, "left": 60, "top": 40, "gap": 70}


def panel(data, quantity, title, left):
    """One diagram: microseconds of a batch's state by its size."""
    curves = {way: curve(data, quantity, way) for way in WAYS}
    every = [time for known in curves.values() for time in known.values()]
    low = math.floor(math.log10(min(every)))
    high = math.ceil(math.log10(max(every)))
    top, height, width = PANEL["top"], PANEL["height"], PANEL["width"]

    def x(states):
        return left + width * math.log10(states) / 6

    def y(time):
        return top + height * (high - math.log10(time)) / (high - low)

    shapes = [report.text(left, top - 14, title, 14, bold=True)]
    for exponent in range(7):
        at = x(10 ** exponent)
        shapes.append(f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" '
                      f'y2="{top + height}" stroke="#dddddd"/>')
        shapes.append(report.text(at, top + height + 16, f"10^{exponent}",
                                  10, "middle"))
    for exponent in range(low, high + 1):
        at = y(10 ** exponent)
        shapes.append(f'<line x1="{left}" y1="{at:.1f}" x2="{left + width}" '
                      f'y2="{at:.1f}" stroke="#dddddd"/>')
        shapes.append(report.text(left - 6, at + 4,
                                  time_of(10 ** exponent), 10, "end"))
    for way, (_, colour, dashes) in WAYS.items():
        points = " ".join(f"{x(n):.1f},{y(time):.1f}"
                          for n, time in sorted(curves[way].items()))
        if points:
            dash = f' stroke-dasharray="{dashes}"' if dashes else ""
            shapes.append(f'<polyline points="{points}" fill="none" '
                          f'stroke="{colour}" stroke-width="1.8"{dash}/>')
    shapes.append(report.text(left + width / 2, top + height + 34,
                              "states of a batch", 11, "middle"))
    return shapes


def plot(data):
    shapes, left = [], PANEL["left"]
    for quantity, title in QUANTITIES.items():
        shapes += panel(data, quantity, f"{title}: time of a state", left)
        left += PANEL["width"] + PANEL["gap"]
    bottom = PANEL["top"] + PANEL["height"] + 56
    shown = [way for way in WAYS if any(
        way in ways for ways in data["measured"].values())]
    for k, way in enumerate(shown):
        title, colour, dashes = WAYS[way]
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        at, line = PANEL["left"] + 225 * (k % 4), bottom + 18 * (k // 4)
        shapes.append(f'<line x1="{at}" y1="{line - 4}" x2="{at + 22}" '
                      f'y2="{line - 4}" stroke="{colour}" stroke-width="1.8"'
                      f'{dash}/>')
        shapes.append(report.text(at + 27, line, title, 11))
    height = bottom + 18 * ((len(shown) + 3) // 4)
    width = left - PANEL["gap"] + 20
    body = "\n".join(shapes)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif">\n<title>Time of a state by the size of '
            'its batch, in process and through a server</title>\n'
            '<rect width="100%" height="100%" fill="#ffffff"/>\n'
            f'{body}\n</svg>\n')


def rendered():
    """What page and plot should be."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    return report.replace_between_markers(page, measured(data)), plot(data)


def main(command, *arguments):
    if command == "collect":
        with open(arguments[0], encoding="utf-8") as file:
            json.dump(collect(file), sys.stdout, indent=1)
        sys.stdout.write("\n")
        return
    page, drawing = rendered()
    if command == "write":
        PAGE.write_text(page, encoding="utf-8")
        PLOT.write_text(drawing, encoding="utf-8")
    elif (page, drawing) != (PAGE.read_text(encoding="utf-8"),
                             PLOT.read_text(encoding="utf-8")):
        raise ValueError("page or plot do not follow from docs/break-even.json")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError) as error:
        sys.exit(f"break_even_report.py: {error}")
