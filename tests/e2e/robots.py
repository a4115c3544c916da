"""Small robot descriptions, one element a line.

`robot("r", first, second)` puts `first` on line 2 and `second` on line 3, so a
test can say on which line a mistake stands.
"""

import xml.etree.ElementTree as ElementTree

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


def turntable(mass=2.0):
    """A point mass on a rail that turns about z. At rail = -1 it lies on the
    axis, and turning moves no mass."""
    return robot(
        "turntable",
        link("base"),
        joint("turn", "base", "rail"),
        link("rail"),
        joint("slide", "rail", "load", kind="prismatic", axis=(1, 0, 0)),
        link("load", mass, com=(1, 0, 0)))


def wheel_on_rotor():
    """A wheel and, on the same axis, a rotor with a millionth of its inertia."""
    return robot(
        "wheel_on_rotor",
        link("base"),
        joint("motor", "base", "rotor", kind="continuous"),
        link("rotor", 0.01, inertia=(1e-6, 0, 0, 1e-6, 0, 1e-6)),
        joint("shaft", "rotor", "wheel", kind="continuous"),
        link("wheel", 20, inertia=(1, 0, 0, 1, 0, 1)))


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


def crane():
    """A rail, a turning mast and a jib, on which a hook hangs by a rope that
    lengthens and a lamp turns: two leaves, sliding joints and turning ones,
    damping, and a counterweight welded on at an angle."""
    solid = (0.12, 0.01, -0.02, 0.15, 0.03, 0.11)
    small = (0.02, 0.001, 0.002, 0.03, -0.003, 0.025)
    return robot(
        "crane",
        link("base", 40.0, com=(0.1, 0.2, 0.3), inertia=solid),
        joint("travel", "base", "carriage", kind="prismatic",
              xyz=(0.1, 0, 0.2), rpy=(0.1, -0.2, 0.3), axis=(1, 0.5, 0),
              damping=0.8),
        link("carriage", 5.0, com=(0.02, -0.03, 0.1), inertia=solid,
             rpy=(0.3, 0.1, -0.4)),
        joint("slew", "carriage", "mast", kind="continuous", limit=None,
              xyz=(0, 0.1, 0.4), rpy=(0, 0.1, 0), damping=0.3),
        link("mast", 3.0, com=(0.05, 0, 0.3), inertia=solid),
        joint("weld", "mast", "counterweight", kind="fixed",
              xyz=(-0.4, 0.1, 0.6), rpy=(0.5, -0.6, 0.7)),
        link("counterweight", 4.0, com=(0.02, 0.03, 0.04), inertia=solid,
             rpy=(-0.2, 0.5, 0.9)),
        joint("luff", "mast", "jib", xyz=(0.1, 0, 0.8), rpy=(0.4, 0, 0.2),
              axis=(0, 1, 0), damping=0.5),
        link("jib", 2.0, com=(0.5, 0.01, 0.02), inertia=solid),
        joint("hoist", "jib", "hook", kind="prismatic", xyz=(1, 0, 0),
              rpy=(0, 0.3, 0.1), axis=(0, 0.2, -1)),
        link("hook", 1.5, com=(0.01, 0.02, -0.1), inertia=small),
        joint("turn", "jib", "lamp", xyz=(0.4, 0.1, 0.1), rpy=(0.2, 0.3, 0.4),
              axis=(0, 0.6, 0.8), damping=0.1),
        link("lamp", 0.7, com=(0.1, 0.05, 0.02), inertia=small))


# --- Robots made of others ---------------------------------------------------


def rusty(source):
    """The robot with friction of its own in every joint."""
    tree = ElementTree.fromstring(source)
    joints = [joint for joint in tree.findall("joint")
              if joint.get("type") != "fixed"]
    for k, moving in enumerate(joints):
        for old in moving.findall("dynamics"):
            moving.remove(old)
        ElementTree.SubElement(moving, "dynamics", {
            "damping": str(0.3 + 0.2 * k), "friction": str(1.1 - 0.1 * k)})
    return ElementTree.tostring(tree, encoding="unicode")
