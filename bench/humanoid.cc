#include "bench/robots.h"

#include <array>
#include <cmath>
#include <sstream>
#include <string_view>

namespace torqued::bench {
namespace {

constexpr double kStature = 1.75;  // m
constexpr double kMass = 75;       // kg

using Vector = std::array<double, 3>;

/// Mass, centre of mass and diagonal inertia about it, in axes of the link.
struct Body {
  double mass;
  Vector center;
  Vector inertia;
};

/// A solid ball of `mass` kg and `radius` m.
Body Ball(double mass, double radius) {
  const double i = 0.4 * mass * radius * radius;
  return {mass, {0, 0, 0}, {i, i, i}};
}

Body Drive() { return Ball(0.5, 0.05); }

/// A solid cylinder along x (0), y (1) or z (2) that begins at the link's
/// origin and has the signed `length`, m.
Body Cylinder(double mass, int axis, double length, double radius) {
  const double across = mass * (3 * radius * radius + length * length) / 12;
  Body body{mass, {0, 0, 0}, {across, across, across}};
  body.center[axis] = length / 2;
  body.inertia[axis] = mass * radius * radius / 2;
  return body;
}

/// Appends links with the joints that carry them.
class Writer {
 public:
  explicit Writer(std::string_view root) {
    text_.precision(9);
    text_ << "<robot name=\"humanoid\">\n  <link name=\"" << root << "\"/>\n";
  }

  /// A revolute joint NAME_joint at `origin` of the parent, about x, y or z,
  /// that carries a link NAME.
  void Add(const std::string& name, const std::string& parent,
           const Vector& origin, char axis, double lower, double upper,
           const Body& body) {
    text_ << "  <link name=\"" << name << "\">\n    <inertial>\n"
          << "      <origin xyz=\"" << Text(body.center) << "\"/>\n"
          << "      <mass value=\"" << body.mass << "\"/>\n"
          << "      <inertia ixx=\"" << body.inertia[0] << "\" ixy=\"0\" "
          << "ixz=\"0\" iyy=\"" << body.inertia[1] << "\" iyz=\"0\" izz=\""
          << body.inertia[2] << "\"/>\n    </inertial>\n  </link>\n"
          << "  <joint name=\"" << name << "_joint\" type=\"revolute\">\n"
          << "    <parent link=\"" << parent << "\"/>\n"
          << "    <child link=\"" << name << "\"/>\n"
          << "    <origin xyz=\"" << Text(origin) << "\"/>\n"
          << "    <axis xyz=\"" << Axis(axis) << "\"/>\n"
          << "    <limit lower=\"" << lower << "\" upper=\"" << upper
          << "\" effort=\"150\" velocity=\"6\"/>\n  </joint>\n";
  }

  std::string Finish() && { return std::move(text_).str() + "</robot>\n"; }

 private:
  static std::string Text(const Vector& v) {
    std::ostringstream text;
    text.precision(9);
    text << v[0] << ' ' << v[1] << ' ' << v[2];
    return std::move(text).str();
  }

  static const char* Axis(char name) {
    return name == 'x' ? "1 0 0" : name == 'y' ? "0 1 0" : "0 0 1";
  }

  std::ostringstream text_;
};

void AddWaistAndNeck(Writer& robot) {
  // From the hips up to the shoulders, and on to the chin.
  constexpr double kTrunk = (0.818 - 0.530) * kStature;
  constexpr double kWaist = 0.35 * kTrunk;
  constexpr double kNeck = (0.870 - 0.818) * kStature;
  constexpr double kHead = (1.000 - 0.870) * kStature;
  // Middle and upper trunk.
  constexpr double kTrunkMass = (0.1633 + 0.1596) * kMass - 2 * 0.5;
  constexpr double kHeadMass = 0.0694 * kMass - 2 * 0.5;

  robot.Add("waist_yaw", "pelvis", {0, 0, kWaist}, 'z', -1.2, 1.2, Drive());
  robot.Add("waist_roll", "waist_yaw", {0, 0, 0.04}, 'x', -0.5, 0.5, Drive());
  robot.Add("torso", "waist_roll", {0, 0, 0.04}, 'y', -0.5, 1.2,
            Cylinder(kTrunkMass, 2, kTrunk - kWaist, 0.14));
  robot.Add("neck_yaw", "torso", {0, 0, kTrunk - kWaist}, 'z', -1.2, 1.2,
            Drive());
  robot.Add("neck_roll", "neck_yaw", {0, 0, kNeck / 2}, 'x', -0.4, 0.4,
            Drive());
  robot.Add("head", "neck_roll", {0, 0, kNeck / 2}, 'y', -0.7, 0.7,
            Cylinder(kHeadMass, 2, kHead, 0.08));
}

/// `side` is 1 on the left and -1 on the right.
void AddLeg(Writer& robot, const std::string& name, double side) {
  constexpr double kHip = 0.0955 * kStature;
  constexpr double kThigh = 0.245 * kStature;
  constexpr double kShank = 0.246 * kStature;
  constexpr double kFoot = 0.152 * kStature;
  constexpr double kThighMass = 0.1416 * kMass - 2 * 0.5;
  constexpr double kShankMass = 0.0433 * kMass - 0.5;
  constexpr double kFootMass = 0.0137 * kMass;

  robot.Add(name + "hip_yaw", "pelvis", {0, side * kHip, 0}, 'z', -0.6, 0.6,
            Drive());
  robot.Add(name + "hip_roll", name + "hip_yaw", {0.04, 0, 0}, 'x', -0.6, 0.6,
            Drive());
  robot.Add(name + "thigh", name + "hip_roll", {-0.04, 0, 0}, 'y', -1.9, 0.5,
            Cylinder(kThighMass, 2, -kThigh, 0.075));
  robot.Add(name + "shank", name + "thigh", {0, 0, -kThigh}, 'y', 0, 2.3,
            Cylinder(kShankMass, 2, -kShank, 0.05));
  robot.Add(name + "ankle", name + "shank", {0, 0, -kShank}, 'y', -0.8, 0.8,
            Drive());
  robot.Add(name + "foot", name + "ankle", {-0.05, 0, -0.03}, 'x', -0.4, 0.4,
            Cylinder(kFootMass, 0, kFoot, 0.04));
}

/// A finger of three links at the end of a palm.
void AddFinger(Writer& robot, const std::string& name, const std::string& palm,
               const Vector& origin) {
  constexpr double kLength = 0.03, kRadius = 0.006, kLinkMass = 0.004;
  std::string parent = palm;
  for (const char* link : {"_root", "_middle", "_end"}) {
    const bool root = parent == palm;
    robot.Add(name + link, parent, root ? origin : Vector{0, 0, -kLength}, 'y',
              -1.5, 0.2, Cylinder(kLinkMass, 2, -kLength, kRadius));
    parent = name + link;
  }
}

enum class Hand : unsigned char { kGripper, kFingers };

/// `side` is 1 on the left and -1 on the right.
void AddArm(Writer& robot, const std::string& name, double side, Hand hand) {
  constexpr double kTrunk = 0.65 * (0.818 - 0.530) * kStature;
  constexpr double kShoulder = 0.129 * kStature;
  constexpr double kUpperArm = 0.186 * kStature;
  constexpr double kForearm = 0.146 * kStature;
  constexpr double kPalm = 0.5 * 0.108 * kStature;
  constexpr double kUpperArmMass = 0.0271 * kMass - 2 * 0.5;
  constexpr double kForearmMass = 0.0162 * kMass - 0.5;
  constexpr double kHandMass = 0.0061 * kMass;

  robot.Add(name + "shoulder_pitch", "torso", {0, side * kShoulder, kTrunk},
            'y', -2.9, 1.0, Drive());
  robot.Add(name + "shoulder_roll", name + "shoulder_pitch",
            {0, side * 0.03, 0}, 'x', -1.6, 1.6, Drive());
  robot.Add(name + "upper_arm", name + "shoulder_roll", {0, 0, -0.03}, 'z',
            -1.5, 1.5, Cylinder(kUpperArmMass, 2, -kUpperArm, 0.045));
  robot.Add(name + "forearm", name + "upper_arm", {0.02, 0, -kUpperArm}, 'y',
            -2.3, 0, Cylinder(kForearmMass, 2, -kForearm, 0.035));
  robot.Add(name + "wrist_yaw", name + "forearm", {-0.02, 0, -kForearm}, 'z',
            -1.5, 1.5, Ball(0.3, 0.035));
  robot.Add(name + "wrist_roll", name + "wrist_yaw", {0, 0, -0.02}, 'x', -0.8,
            0.8, Ball(0.2, 0.03));
  robot.Add(name + "hand", name + "wrist_roll", {0, 0, -0.02}, 'y', -1.2, 1.2,
            Cylinder(0.6 * kHandMass, 2, -kPalm, 0.03));
  if (hand == Hand::kFingers) {
    AddFinger(robot, name + "thumb", name + "hand", {0, 0.025, -kPalm});
    AddFinger(robot, name + "finger", name + "hand", {0, -0.025, -kPalm});
    return;
  }
  robot.Add(name + "thumb", name + "hand", {0, 0.025, -kPalm}, 'x', -0.8, 0.2,
            Cylinder(0.2 * kHandMass, 2, -kPalm, 0.01));
  robot.Add(name + "finger", name + "hand", {0, -0.025, -kPalm}, 'x', -0.2, 0.8,
            Cylinder(0.2 * kHandMass, 2, -kPalm, 0.01));
}

std::string Humanoid(Hand hand) {
  Writer robot("pelvis");
  AddWaistAndNeck(robot);
  AddLeg(robot, "left_", 1);
  AddLeg(robot, "right_", -1);
  AddArm(robot, "left_", 1, hand);
  AddArm(robot, "right_", -1, hand);
  return std::move(robot).Finish();
}

}  // namespace

std::string HumanoidUrdf() { return Humanoid(Hand::kGripper); }

std::string HumanoidWithHandsUrdf() { return Humanoid(Hand::kFingers); }

}  // namespace torqued::bench
