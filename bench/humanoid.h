// A robot with many joints and many branches, made of published figures about
// the human body.
#pragma once

#include <string>

namespace torqued::bench {

/// The link that Jacobian, Λ and η of the humanoid refer to.
inline constexpr char kHumanoidTip[] = "left_hand";

/// URDF of a humanoid of 1.75 m and 75 kg that hangs by its pelvis: 36 revolute
/// joints, 3 in the waist, 3 in the neck, 6 in each leg, 7 in each arm and 2 in
/// each gripper. Axes x forward, y left, z up, all links' frames parallel at
/// q = 0.
///
/// Lengths are fractions of the stature (Drillis and Contini 1966, as printed
/// in Winter, Biomechanics and Motor Control of Human Movement, chapter 4),
/// masses fractions of the whole (de Leva, Journal of Biomechanics 29(9), 1996,
/// table 4, males), less what the drives take. Segments are solid cylinders.
/// Between the axes of one human joint sits a drive, a solid ball of 0.5 kg, in
/// the wrists of 0.3 and 0.2 kg: drives, radii and ranges are ours.
std::string HumanoidUrdf();

/// The same with a hand of two fingers of three links in place of each gripper:
/// 44 joints, of which twelve carry links of 4 g, with a ten-millionth of the
/// trunk's inertia.
std::string HumanoidWithHandsUrdf();

}  // namespace torqued::bench
