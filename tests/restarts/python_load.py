"""The Python client under restarts: python_load.py ADDRESS"""

import sys

import torqued

import load
import motion


def main(address):
    few, many = motion.states(10), motion.states(50_000)
    time, q = motion.motion(2001)
    with torqued.connect(address, deadline=30) as client:
        robot = client.model("panda")

        def unary():
            answer = robot.compute(["inverse_dynamics", "mass_matrix"], **few)
            return answer.tau.tobytes() + answer.mass_matrix.tobytes()

        def batch():
            return robot.inverse_dynamics(**many).tobytes()

        def check():
            return motion.bytes_of_verdict(robot.check_trajectory(
                torqued.Trajectory(time=time, q=q), derive="cubic",
                tables=["tau"]))

        return load.run(dict(unary=unary, batch=batch, check=check))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
