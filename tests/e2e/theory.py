"""Robots of which the laws of open chains are asked."""

import numpy as np

import differences
import ways
from calls import numbers

GRAVITY = np.array(ways.GRAVITY)
ROWS = 12


class Arm(ways.Robot):
    """Asked in one way, which is the quickest."""

    def ask(self, *quantities, wrench=None, **given):
        """Numbers of quantities of rows that must all be OK, under this wrench
        of the tip."""
        question = self.question(
            *quantities, tip_wrench_on_environment=wrench, **given)
        reply = self.client.dynamics.Compute(question.request())
        assert reply.rows_not_ok == 0, reply.row_status
        return numbers(reply.results, self.n)

    def rate(self, function):
        """d/dt of function(q, v) along the motion with these states."""
        return differences.rate(lambda time: function(*self.s.after(time)))
