"""Limits of joints in the JSON form of the contract."""

POSITIONS = ("lower", "upper")


def limits_of(joints):
    """joints: {joint: members of its Drive and PositionLimits}; torque_speed as pairs."""
    drives, positions = [], []
    for joint, members in joints.items():
        of_position = {name: members[name] for name in POSITIONS if name in members}
        drive = {name: value for name, value in members.items() if name not in POSITIONS}
        if "torque_speed" in drive:
            drive["torque_speed"] = [{"speed": speed, "torque": torque}
                                     for speed, torque in drive["torque_speed"]]
        if drive:
            drives.append({"dof": joint, **drive})
        if of_position:
            positions.append({"coordinate": joint, **of_position})
    return {"drives": drives, "position_limits": positions}
