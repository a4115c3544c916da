"""Small robot descriptions, one element a line.

`robot("r", first, second)` puts `first` on line 2 and `second` on line 3, so a
test can say on which line a mistake stands.
"""

POINT = (0, 0, 0, 0, 0, 0)


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def link(name, mass=None, com=(0, 0, 0), inertia=POINT, rpy=(0, 0, 0)):
    """`inertia` is xx xy xz yy yz zz about the centre of mass."""
    if mass is None:
        return f'<link name="{name}"/>'
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    entries = " ".join(
        f'{key}="{value}"' for key, value in zip(keys, inertia))
    return (f'<link name="{name}"><inertial>'
            f'<origin xyz="{numbers(com)}" rpy="{numbers(rpy)}"/>'
            f'<mass value="{mass}"/><inertia {entries}/>'
            '</inertial></link>')


def joint(name, parent, child, kind="revolute", xyz=(0, 0, 0), rpy=(0, 0, 0),
          axis=(0, 0, 1), limit='lower="-3" upper="3" effort="90" velocity="4"',
          damping=None, friction=None, extra=""):
    """`limit` holds the attributes of the limit element; None leaves it out."""
    parts = [f'<joint name="{name}" type="{kind}">',
             f'<parent link="{parent}"/><child link="{child}"/>',
             f'<origin xyz="{numbers(xyz)}" rpy="{numbers(rpy)}"/>']
    if kind != "fixed":
        parts.append(f'<axis xyz="{numbers(axis)}"/>')
        if limit is not None:
            parts.append(f"<limit {limit}/>")
    if damping is not None or friction is not None:
        parts.append(
            f'<dynamics damping="{damping or 0}" friction="{friction or 0}"/>')
    return "".join(parts) + extra + "</joint>"


def robot(name, *elements):
    return "\n".join([f'<robot name="{name}">', *elements, "</robot>", ""])


def pendulum(mass=2.0, length=0.5, name="pendulum", **swing):
    """A point mass on a massless rod, turning about y; q = 0 is along x, so
    gravity along -z pulls it to positive q."""
    return robot(
        name,
        link("base"),
        joint("swing", "base", "rod", axis=(0, 1, 0), **swing),
        link("rod", mass, com=(length, 0, 0)))


def forked():
    """Two arms on one base: no single leaf link."""
    solid = (0.02, 0, 0, 0.03, 0, 0.04)
    return robot(
        "forked",
        link("base"),
        joint("left", "base", "left_hand", axis=(0, 1, 0)),
        link("left_hand", 1.5, com=(0.3, 0, 0), inertia=solid),
        joint("right", "base", "right_hand", axis=(1, 0, 0)),
        link("right_hand", 2.5, com=(0, 0.2, 0), inertia=solid))


def chain(joints, name="chain"):
    """A serial arm of so many joints about alternating axes."""
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    elements = [link("link0")]
    for i in range(1, joints + 1):
        elements += [
            joint(f"joint{i:03}", f"link{i - 1}", f"link{i}",
                  xyz=(0.1, 0, 0.02), axis=axes[i % 3]),
            link(f"link{i}", 1.0 + 0.01 * i, com=(0.05, 0.01, 0),
                 inertia=(0.004, 0, 0, 0.005, 0, 0.006))]
    return robot(name, *elements)
