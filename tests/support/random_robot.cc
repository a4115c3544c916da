#include "tests/support/random_robot.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/tree/tree.h"

namespace torqued::testing_support {
namespace {

constexpr double kPi = std::numbers::pi;

/// The shortest text that reads back as the same number.
std::string Text(double value) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string Text(const Eigen::Vector3d& v) {
  return Text(v.x()) + " " + Text(v.y()) + " " + Text(v.z());
}

std::string Attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}

std::string OriginAt(const Eigen::Vector3d& xyz, const Eigen::Vector3d& rpy) {
  return "<origin" + Attribute("xyz", Text(xyz)) + Attribute("rpy", Text(rpy)) +
         "/>";
}

/// Grows a robot link by link. Every random number is drawn in a statement of
/// its own, because compilers evaluate operands in different orders. Links and
/// joints become texts of their own, which are shuffled at the end.
class RobotWriter {
 public:
  RobotWriter(std::uint64_t seed, const RandomRobotOptions& options)
      : random_(seed), options_(options) {}

  RandomRobot Write();

 private:
  struct Link {
    std::string name;
    int body;  // the joint that moves it; kBase: none
  };

  bool is_chain() const {
    return options_.shape == RandomRobotOptions::Shape::kChain;
  }

  /// Unique; the alphabetical order is random.
  std::string NewName(const char* what) {
    std::string name(what);
    name += '_';
    name += static_cast<char>('a' + random_.Index(26));
    return name + std::to_string(names_++);
  }

  int ParentOfJoint();
  int ParentOfTip();
  int AddLink(int body, bool has_mass);
  int Attach(int parent, const std::string& name, const std::string& type,
             const std::string& details, bool right_angled, bool has_mass);
  int AttachFixed(int parent, bool has_mass);
  int AttachMovable(int parent);
  bool HasRightAngles();
  std::string Origin(double reach);
  std::string RightAngledOrigin(double reach);
  std::string JointOrigin(bool right_angled);
  std::string Inertial();
  void Shuffle();

  Random random_;
  RandomRobotOptions options_;
  int names_ = 0;
  std::vector<Link> links_;
  /// Joints on each body; the base is the first.
  std::vector<int> children_{0};
  std::vector<std::string> elements_;
};

std::string RobotWriter::Origin(double reach) {
  const Eigen::Vector3d rpy = random_.Vector(3, -kPi, kPi);
  const Eigen::Vector3d xyz = random_.Vector(3, -reach, reach);
  return OriginAt(xyz, rpy);
}

bool RobotWriter::HasRightAngles() {
  // Robots without are those of their seed, whatever else there is.
  return options_.right_angle_share > 0 &&
         random_.Chance(options_.right_angle_share);
}

std::string RobotWriter::RightAngledOrigin(double reach) {
  Eigen::Vector3d xyz = random_.Vector(3, -reach, reach);
  Eigen::Vector3d rpy;
  for (int k = 0; k < 3; ++k) {
    if (random_.Chance(0.5)) xyz[k] = 0;
    rpy[k] = (random_.Index(4) - 1) * (kPi / 2);
  }
  return OriginAt(xyz, rpy);
}

std::string RobotWriter::JointOrigin(bool right_angled) {
  constexpr double kReach = 0.4;
  return right_angled ? RightAngledOrigin(kReach) : Origin(kReach);
}

std::string RobotWriter::Inertial() {
  // A solid box; every side has a length, so that the triangle inequality
  // holds with room to spare.
  const double mass = random_.Uniform(0.2, 5);
  const Eigen::Array3d side = random_.Vector(3, 0.05, 0.4).array();
  const Eigen::Array3d square = side * side;
  const Eigen::Vector3d principal =
      mass / 12 *
      Eigen::Vector3d(square[1] + square[2], square[2] + square[0],
                      square[0] + square[1]);
  const Eigen::Matrix3d R = random_.Rotation();
  const Eigen::Matrix3d I = R * principal.asDiagonal() * R.transpose();
  return "<inertial>" + Origin(0.2) + "<mass" + Attribute("value", Text(mass)) +
         "/><inertia" + Attribute("ixx", Text(I(0, 0))) +
         Attribute("ixy", Text(I(0, 1))) + Attribute("ixz", Text(I(0, 2))) +
         Attribute("iyy", Text(I(1, 1))) + Attribute("iyz", Text(I(1, 2))) +
         Attribute("izz", Text(I(2, 2))) + "/></inertial>";
}

int RobotWriter::AddLink(int body, bool has_mass) {
  links_.push_back({NewName("link"), body});
  const std::string open = "  <link" + Attribute("name", links_.back().name);
  elements_.push_back(has_mass ? open + ">" + Inertial() + "</link>\n"
                               : open + "/>\n");
  return static_cast<int>(links_.size()) - 1;
}

int RobotWriter::Attach(int parent, const std::string& name,
                        const std::string& type, const std::string& details,
                        bool right_angled, bool has_mass) {
  int body = links_[parent].body;
  if (type != "fixed") {
    ++children_[body + 1];
    body = static_cast<int>(children_.size()) - 1;
    children_.push_back(0);
  }
  const int child = AddLink(body, has_mass);
  elements_.push_back("  <joint" + Attribute("name", name) +
                      Attribute("type", type) + "><parent" +
                      Attribute("link", links_[parent].name) + "/><child" +
                      Attribute("link", links_[child].name) + "/>" +
                      JointOrigin(right_angled) + details + "</joint>\n");
  return child;
}

int RobotWriter::AttachFixed(int parent, bool has_mass) {
  const bool right_angled = HasRightAngles();
  return Attach(parent, NewName("fixed"), "fixed", "", right_angled, has_mass);
}

int RobotWriter::AttachMovable(int parent) {
  const bool right_angled = HasRightAngles();
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();
  if (right_angled || random_.Chance(options_.coordinate_axis_share)) {
    axis[random_.Index(3)] = random_.Chance(0.5) ? 1 : -1;
  } else {
    axis = random_.UnitVector();
  }
  std::string details = "<axis" + Attribute("xyz", Text(axis)) + "/>";

  const double kind = random_.Uniform(0, 1);
  const bool prismatic = kind < options_.prismatic_share;
  const bool continuous =
      !prismatic && kind < options_.prismatic_share + options_.continuous_share;
  details += "<limit";
  if (!continuous) {
    const double range = prismatic ? 0.5 : kPi;
    const double upper = random_.Uniform(0.1 * range, range);
    const double lower = random_.Uniform(-range, -0.1 * range);
    details +=
        Attribute("lower", Text(lower)) + Attribute("upper", Text(upper));
  }
  const double velocity = random_.Uniform(1, 4);
  const double effort = random_.Uniform(10, 100);
  details += Attribute("effort", Text(effort)) +
             Attribute("velocity", Text(velocity)) + "/>";
  if (options_.friction) {
    const double coulomb = random_.Uniform(0.1, 3);
    const double viscous = random_.Uniform(0.1, 3);
    details += "<dynamics" + Attribute("damping", Text(viscous)) +
               Attribute("friction", Text(coulomb)) + "/>";
  }
  return Attach(parent, NewName("joint"),
                prismatic    ? "prismatic"
                : continuous ? "continuous"
                             : "revolute",
                details, right_angled, true);
}

int RobotWriter::ParentOfJoint() {
  const int last = static_cast<int>(links_.size()) - 1;
  const int joint = static_cast<int>(children_.size()) - 1;
  if (is_chain() || joint == 0) return last;
  const bool branched =
      *std::max_element(children_.begin(), children_.end()) > 1;
  if (joint == options_.dof - 1 && !branched) {
    // The last chance: on a body that has a joint already.
    for (;;) {
      const int parent = random_.Index(last + 1);
      if (children_[links_[parent].body + 1] > 0) return parent;
    }
  }
  return random_.Chance(0.5) ? last : random_.Index(last + 1);
}

int RobotWriter::ParentOfTip() {
  const int last = static_cast<int>(links_.size()) - 1;
  if (is_chain()) return last;
  for (;;) {
    const int parent = random_.Index(last + 1);
    if (children_[links_[parent].body + 1] == 0) return parent;
  }
}

void RobotWriter::Shuffle() {
  for (int i = static_cast<int>(elements_.size()) - 1; i > 0; --i) {
    std::swap(elements_[i], elements_[random_.Index(i + 1)]);
  }
}

RandomRobot RobotWriter::Write() {
  AddLink(kBase, random_.Chance(0.5));
  for (int joint = 0; joint < options_.dof; ++joint) {
    int parent = ParentOfJoint();
    if (random_.Chance(options_.fixed_share)) {
      parent = AttachFixed(parent, random_.Chance(0.5));
    }
    const int child = AttachMovable(parent);
    if (!is_chain() && random_.Chance(options_.fixed_share)) {
      AttachFixed(child, random_.Chance(0.5));
    }
  }
  const int tip = AttachFixed(ParentOfTip(), false);
  RandomRobot robot;
  robot.root = links_.front().name;
  robot.tip = links_[tip].name;
  robot.dof = options_.dof;
  Shuffle();
  robot.urdf = "<robot name=\"random\">\n";
  for (const std::string& element : elements_) robot.urdf += element;
  robot.urdf += "</robot>\n";
  return robot;
}

double Coordinate(const Joint& joint, Random& random) {
  const double range = joint.type == JointType::kPrismatic ? 1 : kPi;
  return random.Uniform(joint.limits.lower.value_or(-range),
                        joint.limits.upper.value_or(range));
}

}  // namespace

double Random::Uniform(double low, double high) {
  // 53 bits: every double of [0, 1) that is a multiple of 2^-53.
  const double unit = static_cast<double>(engine_() >> 11) * 0x1p-53;
  return low + (high - low) * unit;
}

int Random::Index(int count) {
  return std::min(static_cast<int>(Uniform(0, count)), count - 1);
}

bool Random::Chance(double probability) { return Uniform(0, 1) < probability; }

Eigen::VectorXd Random::Vector(int size, double low, double high) {
  Eigen::VectorXd vector(size);
  for (double& number : vector) number = Uniform(low, high);
  return vector;
}

Eigen::Vector3d Random::UnitVector() {
  for (;;) {
    const Eigen::Vector3d point = Vector(3, -1, 1);
    const double norm = point.norm();
    if (norm > 0.1 && norm <= 1) return point / norm;
  }
}

Eigen::Matrix3d Random::Rotation() {
  for (;;) {
    const Eigen::Vector4d point = Vector(4, -1, 1);
    const double norm = point.norm();
    if (norm > 0.1 && norm <= 1) {
      return Eigen::Quaterniond(point / norm).toRotationMatrix();
    }
  }
}

RandomRobot MakeRandomRobot(std::uint64_t seed,
                            const RandomRobotOptions& options) {
  return RobotWriter(seed, options).Write();
}

State MakeRandomState(const Model& model, Random& random) {
  State state;
  state.q.resize(model.nq());
  for (const Joint& joint : model.joints()) {
    state.q[joint.q_index] = Coordinate(joint, random);
  }
  state.v = random.Vector(model.nv(), -2, 2);
  state.a = random.Vector(model.nv(), -2, 2);
  state.tau = random.Vector(model.nv(), -20, 20);
  state.wrench = random.Vector(6, -20, 20);
  return state;
}

}  // namespace torqued::testing_support
