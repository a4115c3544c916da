"""What a case asks about one of its states."""

import functools

import numpy as np

from lagrange import Surroundings, State, Task, Wrench
from robots import model
from tree import Real, symmetric, zeros


class Question:
    """One state of a case, with the joints in canonical order."""

    def __init__(self, case, row):
        self.tree = model(case["model"])
        self.options = case.get("options", {})
        names = self.tree.names()
        called = self.options.get("joint_names", names)
        self.order = [names.index(name) for name in called]
        self._states, self._row = case["states"], row
        self.tip_frame = self.options.get("tip_frame") or self.tree.tip
        self.reference = self.options.get("reference_frame", "LOCAL")
        if "payload" in self.options:
            self.tree = self._loaded(self.options["payload"])
        n = len(names)
        self.tau = self._joints("tau", n)
        self.null_space_torque = self._joints("null_space_torque", n)
        self.state = State(
            self.tree, self._joints("q", n), self._joints("v", n),
            self._joints("a", n), self._surroundings(case))
        self._task = dict(case.get("operational_space", {}))

    @property
    def frame(self):
        return self.tip_frame, self.reference

    @functools.cached_property
    def accelerated(self):
        """The state at the acceleration that tau brings about."""
        return self.state.with_(a=self.state.forward_dynamics(self.tau))

    @functools.cached_property
    def task(self):
        known = {"axes": tuple, "damping": float, "rank_tolerance": float,
                 "characteristic_length": float}
        choices = {
            "length" if name == "characteristic_length" else name:
                convert(self._task[name])
            for name, convert in known.items() if name in self._task}
        return Task(self.state, self.tip_frame, self.reference, **choices)

    @property
    def task_acceleration(self):
        given = self._input("task_acceleration")
        return zeros(len(self.task.rows)) if given is None else given

    @property
    def wants_sigma_min(self):
        return self._task.get("sigma_min", False)

    def _input(self, name):
        rows = self._states.get(name)
        if rows is None:
            return None
        return np.array(
            [Real(x) for x in rows[0 if len(rows) == 1 else self._row]])

    def _joints(self, name, n):
        given = self._input(name)
        canonical = zeros(n)
        if given is not None:
            canonical[self.order] = given
        return canonical

    def _surroundings(self, case):
        terms = self.options.get("terms", {})
        around = Surroundings()
        gravity = self._input("gravity")
        if gravity is None and "gravity" in terms:
            gravity = np.array([Real(x) for x in terms["gravity"]])
        if gravity is not None:
            around.gravity = gravity
        for name in ("base_twist", "base_acceleration"):
            if self._input(name) is not None:
                setattr(around, name, self._input(name))
        around.viscous = terms.get("viscous_friction", False)
        around.coulomb = terms.get("coulomb_friction", False)
        around.smoothing = Real(terms.get("coulomb_smoothing", 0))
        tip = self._input("tip_wrench_on_environment")
        if tip is not None:
            around.tip = Wrench(
                self.tip_frame,
                case.get("tip_wrench_reference_frame", "LOCAL"), tip)
        given = self._input("external_wrenches_on_robot")
        if given is not None:
            around.external = tuple(
                Wrench(place.get("frame") or self.tip_frame,
                       place.get("reference_frame", "LOCAL"), numbers)
                for place, numbers in zip(
                    self.options["external_wrenches"], given.reshape(-1, 6)))
        return around

    def _loaded(self, payload):
        center = payload.get("center_of_mass", (0, 0, 0))
        entries = payload.get("inertia", (0,) * 6)
        return self.tree.with_payload(
            payload.get("frame") or self.tip_frame, Real(payload["mass"]),
            np.array([Real(x) for x in center]),
            symmetric(*(Real(x) for x in entries)))
