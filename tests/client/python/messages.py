"""Messages of ROS as text, for the tests of trajectories."""

import torqued

# What the tools print: a message, then the end of the document.
ROS_1 = """header:
  seq: 3
  stamp:
    secs: 0
    nsecs: 0
  frame_id: ''
joint_names:
  - shoulder
  - 'on'
points:
  -
    positions: [0.0, -1.5]
    velocities: [0.1, 1e-05]
    accelerations: [-2e-3, .5]
    effort: []
    time_from_start:
      secs: 0
      nsecs: 100000000
  -
    positions: [010, 1.0]
    velocities: [1.0, 2]
    accelerations: [0.0, 0.0]
    effort: []
    time_from_start:
      secs: 1
      nsecs:  300000000
---
"""
POINT = ("joint_names: [j]\npoints:\n- positions: [0]\n"
         "  time_from_start: {{sec: 0, nanosec: 0}}\n- {}\n")
TIME = "time_from_start: {sec: 1, nanosec: 0}"


def read_text(tmp_path, text, name="move.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return torqued.Trajectory.read(path)
