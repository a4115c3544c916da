// The robots on which speed is measured, and random states of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace torqued::bench {

struct BenchRobot {
  std::string name;
  std::string urdf;
  std::string tip;
  std::shared_ptr<const Model> model;
};

/// A 6-axis arm, a 7-axis arm, the same with a gripper of two fingers, and a
/// humanoid of 36 joints. Throws std::runtime_error where a description cannot
/// be read.
std::vector<BenchRobot> BenchRobots();

/// A humanoid of 44 joints with light links, on which single precision is
/// measured beside double.
BenchRobot LightLinkedRobot();

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

/// Row-major, one state per row, one column per joint.
struct States {
  std::int64_t rows = 0;
  int columns = 0;
  std::vector<double> q;    // uniform between the limits, ±π where none
  std::vector<double> v;    // ±2 rad/s
  std::vector<double> a;    // ±5 rad/s²
  std::vector<double> tau;  // ±20 N m
};

/// In canonical joint order; the same at every call.
States RandomStates(const Model& model, std::int64_t rows);

/// Of each name, the canonical index of that joint. Throws std::runtime_error
/// where the names are not those of all joints.
std::vector<int> JointIndices(const Model& model,
                              const std::vector<std::string>& names);

/// The first `rows` states with column joints[k] in place k.
States WithColumns(const States& states, const std::vector<int>& joints,
                   std::int64_t rows);

}  // namespace torqued::bench
