"""Motion of links and frames."""

import numpy as np
import pytest

from calls import FRAMES, ask
from vectors import close, product
from ways import ALIGNED


def test_links_move_as_the_frames_of_their_names(arm, all_of):
    for j, joint in enumerate(arm.info.joints):
        frame = arm.ask(ask.FRAME_VELOCITY, ask.FRAME_ACCELERATION,
                        tip_frame=joint.child_link)
        close(all_of.link_twists[:, j], frame.frame_velocity, 1e-13)
        close(all_of.link_accelerations[:, j], frame.frame_acceleration, 1e-13)


def test_accelerations_of_links_are_rates_of_their_twists(arm, all_of):
    rate = arm.rate(lambda q, v: arm.ask(ask.LINK_TWISTS, q=q, v=v).link_twists)
    close(rate, all_of.link_accelerations, 1e-8)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_frame_moves_by_its_jacobian_and_the_rate_of_that(arm, frame):
    s = arm.s

    def of(*quantities, **states):
        return arm.ask(*quantities, reference_frame=FRAMES[frame], **states)

    x = of(ask.JACOBIAN, ask.JACOBIAN_RATE, ask.JACOBIAN_DRIFT,
           ask.FRAME_VELOCITY, ask.FRAME_ACCELERATION)
    close(product(x.jacobian, s.v), x.frame_velocity, 1e-13)
    close(product(x.jacobian_rate, s.v), x.jacobian_drift, 1e-13)
    close(arm.rate(lambda q, v: of(ask.JACOBIAN, q=q).jacobian),
          x.jacobian_rate, 1e-9)
    by_jacobian = product(x.jacobian, s.a) + product(x.jacobian_rate, s.v)
    close(by_jacobian, x.frame_acceleration_classical if frame == (
        "world_aligned") else x.frame_acceleration, 1e-13)
    # The classical acceleration turns the velocity, in whatever frame.
    classical = x.frame_acceleration.copy()
    classical[:, 3:] += np.cross(
        x.frame_velocity[:, :3], x.frame_velocity[:, 3:])
    close(classical, x.frame_acceleration_classical, 1e-13)
    assert np.abs(classical - x.frame_acceleration).max() > 0.1


def test_the_aligned_frame_has_the_local_acceleration_in_base_axes(arm, all_of):
    aligned = arm.ask(ask.FRAME_ACCELERATION, reference_frame=ALIGNED)
    R = all_of.pose[:, :, :3]
    for name in ("frame_acceleration", "frame_acceleration_classical"):
        local = getattr(all_of, name)
        close(np.concatenate([product(R, local[:, :3]),
                              product(R, local[:, 3:])], axis=1),
              getattr(aligned, name), 1e-13)
    # And the classical one is that of the frame's origin.
    def velocity(q, v):
        return arm.ask(ask.FRAME_VELOCITY, q=q, v=v,
                       reference_frame=ALIGNED).frame_velocity

    close(arm.rate(velocity), aligned.frame_acceleration_classical, 1e-8)
