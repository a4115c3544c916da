"""Answers known on paper, in numpy. All take and return one row per state."""

import numpy as np


class Planar2R:
    """Two revolute joints in the x-y plane, point masses at the link ends: the
    robot of deploy/models/planar_2r.urdf."""

    def __init__(self, L1=0.5, m1=2.0, L2=0.4, m2=1.5):
        self.L1, self.m1, self.L2, self.m2 = L1, m1, L2, m2

    def mass_matrix(self, q):
        c2 = np.cos(q[:, 1])
        L1, m1, L2, m2 = self.L1, self.m1, self.L2, self.m2
        M = np.empty((len(q), 2, 2))
        M[:, 0, 0] = (m1 + m2) * L1**2 + m2 * (2 * L1 * L2 * c2 + L2**2)
        M[:, 0, 1] = M[:, 1, 0] = m2 * (L1 * L2 * c2 + L2**2)
        M[:, 1, 1] = m2 * L2**2
        return M

    def coriolis(self, q, v):
        k = self.m2 * self.L1 * self.L2 * np.sin(q[:, 1])
        return np.stack(
            [-k * (2 * v[:, 0] * v[:, 1] + v[:, 1]**2), k * v[:, 0]**2], axis=1)

    def gravity(self, q, g):
        """Holding torque -J_P^T m g of a gravitational acceleration g."""
        s1, c1 = np.sin(q[:, 0]), np.cos(q[:, 0])
        s12, c12 = np.sin(q.sum(axis=1)), np.cos(q.sum(axis=1))
        first = (self.m1 + self.m2) * self.L1 * (s1 * g[0] - c1 * g[1])
        second = self.m2 * self.L2 * (s12 * g[0] - c12 * g[1])
        return np.stack([first + second, second], axis=1)

    def bias(self, q, v, g):
        return self.coriolis(q, v) + self.gravity(q, g)

    def torque(self, q, v, a, g):
        return np.einsum("kij,kj->ki", self.mass_matrix(q), a) + self.bias(
            q, v, g)

    def position(self, q):
        q12 = q.sum(axis=1)
        return np.stack([
            self.L1 * np.cos(q[:, 0]) + self.L2 * np.cos(q12),
            self.L1 * np.sin(q[:, 0]) + self.L2 * np.sin(q12),
            np.zeros(len(q))], axis=1)

    def rotation(self, q):
        c, s = np.cos(q.sum(axis=1)), np.sin(q.sum(axis=1))
        R = np.zeros((len(q), 3, 3))
        R[:, 0, 0] = R[:, 1, 1] = c
        R[:, 1, 0], R[:, 0, 1] = s, -s
        R[:, 2, 2] = 1
        return R

    def jacobian(self, q, frame):
        """6 x 2, angular rows first; frame: "world_aligned", "local" or
        "world"."""
        x, y, _ = self.position(q).T
        q12 = q.sum(axis=1)
        J = np.zeros((len(q), 6, 2))
        J[:, 2, :] = 1
        if frame == "world":
            J[:, 3, 1] = self.L1 * np.sin(q[:, 0])
            J[:, 4, 1] = -self.L1 * np.cos(q[:, 0])
            return J
        J[:, 3, 0], J[:, 3, 1] = -y, -self.L2 * np.sin(q12)
        J[:, 4, 0], J[:, 4, 1] = x, self.L2 * np.cos(q12)
        if frame == "local":
            J[:, 3:] = self.rotation(q).transpose(0, 2, 1) @ J[:, 3:]
        return J

    def drift(self, q, v, frame):
        """Jdot v."""
        drift = np.zeros((len(q), 6))
        if frame == "world":
            drift[:, 3] = self.L1 * np.cos(q[:, 0]) * v[:, 0] * v[:, 1]
            drift[:, 4] = self.L1 * np.sin(q[:, 0]) * v[:, 0] * v[:, 1]
            return drift
        w = v.sum(axis=1)
        q12 = q.sum(axis=1)
        acceleration = -np.stack([
            self.L1 * np.cos(q[:, 0]) * v[:, 0]**2
            + self.L2 * np.cos(q12) * w**2,
            self.L1 * np.sin(q[:, 0]) * v[:, 0]**2
            + self.L2 * np.sin(q12) * w**2,
            np.zeros(len(q))], axis=1)
        if frame == "world_aligned":
            drift[:, 3:] = acceleration
            return drift
        # In the moving frame the components lose omega x v.
        R = self.rotation(q)
        twist = np.einsum("kij,kj->ki", self.jacobian(q, "local"), v)
        drift[:, 3:] = (
            np.einsum("kji,kj->ki", R, acceleration)
            - np.cross(twist[:, :3], twist[:, 3:]))
        return drift

    def mobility(self, q, rows, frame):
        """W = J M^-1 J^T of the chosen task rows."""
        J = self.jacobian(q, frame)[:, rows]
        return J @ np.linalg.inv(self.mass_matrix(q)) @ J.transpose(0, 2, 1)

    def task_drive(self, q, v, g, rows, frame):
        """J M^-1 h - Jdot v, what Lambda turns into eta."""
        J = self.jacobian(q, frame)[:, rows]
        h = self.bias(q, v, g)
        a = np.linalg.solve(self.mass_matrix(q), h[..., None])
        return (J @ a)[..., 0] - self.drift(q, v, frame)[:, rows]

    def task_inertia(self, q, rows, frame):
        """J^-T M J^-1, for two task rows."""
        inverse = np.linalg.inv(self.jacobian(q, frame)[:, rows])
        return inverse.transpose(0, 2, 1) @ self.mass_matrix(q) @ inverse

    def task_bias(self, q, v, g, rows, frame):
        """J^-T h - Lambda Jdot v, for two task rows."""
        inverse = np.linalg.inv(self.jacobian(q, frame)[:, rows])
        held = np.einsum("kji,kj->ki", inverse, self.bias(q, v, g))
        return held - np.einsum(
            "kij,kj->ki", self.task_inertia(q, rows, frame),
            self.drift(q, v, frame)[:, rows])
