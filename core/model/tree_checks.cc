#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "core/base/text.h"
#include "core/dynamics/pivot_check.h"
#include "core/model/assembly.h"
#include "core/tree/joint-inl.h"

namespace torqued {
namespace {

// A mass matrix with a larger condition number is reported.
constexpr double kMaxCondition = 1e8;

// A moment about an axis is zero if it is this small beside the inertia about
// the axis's nearest point.
constexpr double kMomentRounding = 1e-13;

// What sums over chains of turned frames leave for each body, relative to the
// inertia about the frame, from which the moment is computed.
constexpr double kRoundingOfBody = 4e-15;

// Of SampledStates: m from the position nearest to zero.
constexpr double kFarthestSlide = 10;
constexpr int kMostStates = 32, kFewestStates = 4;
// A check of one state may cost up to the square of the number of joints.
constexpr int kStatesTimesJoints = 16'384;

// `bodies`: of the tree.
bool MovesMass(const TreeBody& body, const SpatialInertia<double>& composite,
               int bodies) {
  if (body.armature > 0) return true;
  if (body.motion == JointMotion::kPrismatic) return composite.mass > 0;
  const Sym3<double>& I = composite.I;
  const Vec3<double> axis = Vec3<double>::Constant(body.axis);
  const double moved = Dot(axis, I * axis);
  const double about_frame = std::abs(I.xx) + std::abs(I.yy) + std::abs(I.zz);
  // About the point of the axis nearest the centre of mass: the same wherever
  // on its axis the frame stands.
  double about_axis = about_frame;
  if (composite.mass > 0) {
    const double along = Dot(axis, composite.h);
    about_axis -= 2 * along * along / composite.mass;
  }
  const double rounding = std::min(kRoundingOfBody * bodies, kMomentRounding);
  return moved > std::max(kMomentRounding * about_axis, rounding * about_frame);
}

// The tree at a state: T_{λ(i),i}, and of each body the inertia that its joint
// moves, in its frame.
struct TreeState {
  std::vector<Transform<double>> X;
  std::vector<SpatialInertia<double>> Gc;
};

// Sample 0 is at q = 0, the others are at positions that have no special
// relation to one another: an inertia that vanishes at all of them vanishes
// everywhere, as it is an analytic function of q.
TreeState StateOf(const Tree& tree, int sample) {
  std::vector<double> q(tree.n, 0.0);
  for (int i = 0; sample != 0 && i < tree.n; ++i) {
    // Between 0.3 and 1.3 rad or m, by the golden ratio's multiples.
    const double x = 0.6180339887498949 * (i + 1) + 0.4142135623730951 * sample;
    q[i] = 0.3 + (x - std::floor(x));
  }
  TreeState state{std::vector<Transform<double>>(tree.n), {}};
  ComputePlacements(tree, q.data(), state.X.data());
  for (int i = 0; i < tree.n; ++i) {
    state.Gc.push_back(BodyInertia(tree.bodies[i]));
  }
  for (int i = tree.n; i-- > 0;) {
    const int parent = tree.bodies[i].parent;
    if (parent != kBase) state.Gc[parent] += ToParent(state.X[i], state.Gc[i]);
  }
  return state;
}

// By composite bodies (Featherstone 2008, section 6.2), with armature.
Eigen::MatrixXd MassMatrix(const Tree& tree, const TreeState& state) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(tree.n, tree.n);
  for (int i = 0; i < tree.n; ++i) {
    Wrench<double> f = state.Gc[i] * JointTwist(tree.bodies[i], 1);
    for (int j = i; j != kBase; j = tree.bodies[j].parent) {
      M(i, j) = M(j, i) = JointProjection(tree.bodies[j], f);
      f = ToParent(state.X[j], f);
    }
    M(i, i) += tree.bodies[i].armature;
  }
  return M;
}

bool IsFinite(const SpatialInertia<double>& G) {
  return std::isfinite(G.mass + G.h.x + G.h.y + G.h.z + G.I.xx + G.I.yy +
                       G.I.zz + G.I.xy + G.I.xz + G.I.yz);
}

// A joint of the tree and its link; the phrase is empty.
Subject AboutJoint(AssembledRobot& robot, int joint) {
  const Joint& is = robot.assembly.joints[joint];
  const int line = robot.joints[robot.assembly.joint_source[joint]].line;
  return {robot.report,
          {.joint = is.name, .link = is.child_link, .line = line},
          ""};
}

// Of each body whether an error was found in it, in its joint, or in what hangs
// on it.
std::vector<char> IncompleteBodies(const AssembledRobot& robot) {
  const Assembly& assembly = robot.assembly;
  std::vector<char> incomplete(assembly.bodies.size(), 0);
  for (std::size_t i = 0; i < assembly.links.size(); ++i) {
    const int link = assembly.links[i], joint = assembly.parent_joint[link];
    const int body = assembly.frames[i].body;
    if (body == kBase) continue;
    incomplete[body] |= robot.links[link].incomplete ||
                        (joint >= 0 && robot.joints[joint].incomplete);
  }
  for (std::size_t i = incomplete.size(); i-- > 0;) {
    const int parent = assembly.bodies[i].parent;
    if (parent != kBase) incomplete[parent] |= incomplete[i];
  }
  return incomplete;
}

// The joints that move no mass in any configuration; reports those whose moving
// inertia leaves double precision. O(n).
std::vector<int> FindMasslessJoints(AssembledRobot& robot) {
  const Tree tree = robot.assembly.tree();
  const int n = tree.n;
  std::vector<char> moves(n, 0), finite(n, 1);
  for (int sample = 0; sample < 3; ++sample) {
    const auto inertias = StateOf(tree, sample).Gc;
    for (int i = 0; i < n; ++i) {
      if (!IsFinite(inertias[i])) finite[i] = 0;
      if (MovesMass(tree.bodies[i], inertias[i], n)) moves[i] = 1;
    }
  }
  const std::vector<char> incomplete = IncompleteBodies(robot);
  std::vector<int> massless;
  for (int i = 0; i < n; ++i) {
    if (incomplete[i]) continue;
    if (!finite[i]) {
      Subject joint = AboutJoint(robot, i);
      joint.Add(LintCode::kInvalidNumber, "The inertia that joint ",
                Quoted(joint.place.joint),
                " moves is beyond the range of double precision; check the "
                "masses, inertias and lengths from link ",
                Quoted(joint.place.link), " on.");
    } else if (!moves[i]) {
      massless.push_back(i);
    }
  }
  return massless;
}

void ReportMasslessJoint(AssembledRobot& robot, int i, Severity severity) {
  Subject joint = AboutJoint(robot, i);
  const bool slides =
      robot.assembly.bodies[i].motion == JointMotion::kPrismatic;
  joint.AddKind(
      severity, LintCode::kMasslessJoint, {}, "Joint ",
      Quoted(joint.place.joint), " moves no mass: ",
      slides ? "the links from "
             : "there is no inertia about its axis in the links from ",
      Quoted(joint.place.link), slides ? " on have none" : " on",
      "; give one of them its <inertial>, make the joint fixed, or, where the "
      "format has it, give it an armature.");
}

// A mass matrix at q = 0 that is ill-conditioned, or whose numbers leave double
// precision, and the joint that matters most in the weakest direction. O(n³).
void CheckMassCondition(AssembledRobot& robot) {
  const Tree tree = robot.assembly.tree();
  const int n = tree.n;
  if (n == 0 || n > kMaxConditionJoints) return;
  const Eigen::MatrixXd M = MassMatrix(tree, StateOf(tree, 0));
  if (!M.allFinite()) {
    int first = 0;
    while (M.row(first).allFinite()) ++first;
    Subject joint = AboutJoint(robot, first);
    joint.Add(LintCode::kInvalidNumber,
              "The mass matrix at q = 0 is beyond the range of double "
              "precision, first at joint ",
              Quoted(joint.place.joint),
              "; check the masses, inertias and lengths.");
    return;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(M);
  const double smallest = solver.eigenvalues()[0];
  const double largest = solver.eigenvalues()[n - 1];
  if (smallest > 0 && largest <= kMaxCondition * smallest) return;
  // The first of those that move most in the weakest direction; coaxial
  // joints do so alike, but for round-off.
  const Eigen::VectorXd direction = solver.eigenvectors().col(0).cwiseAbs();
  int weakest = 0;
  while (direction[weakest] < 0.999 * direction.maxCoeff()) ++weakest;
  Subject joint = AboutJoint(robot, weakest);
  const std::string name = Quoted(joint.place.joint);
  // Below this an eigenvalue is round-off.
  if (smallest > 1e-15 * n * largest) {
    const double condition = largest / smallest;
    joint.Add(LintCode::kIllConditionedMass,
              "The mass matrix at q = 0 has the condition number ",
              RoundedText(condition), ", above ", RoundedText(kMaxCondition),
              ", and joint ", name,
              " moves the least: forward dynamics loses up to ",
              RoundedText(std::ceil(std::log10(condition))),
              " digits; check for a tiny inertia behind it.");
  } else {
    joint.Add(
        LintCode::kIllConditionedMass,
        "The mass matrix at q = 0 is singular, with joint ", name,
        " in the direction that moves nothing: forward dynamics has no "
        "answer there; check for joints on one axis and for links without "
        "inertia.");
  }
}

// In [lower, upper]; Steele, Lea and Flood 2014 (splitmix64).
double Between(double lower, double upper, std::uint64_t& random) {
  random += 0x9E3779B97F4A7C15u;
  std::uint64_t x = random;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  const double part = static_cast<double>(x >> 11) * 0x1p-53;
  // Not lower + part (upper − lower), which may overflow.
  return lower * (1 - part) + upper * part;
}

double RandomPosition(const Joint& joint, std::uint64_t& random) {
  const bool slides = joint.type == JointType::kPrismatic;
  const double range = slides ? 1 : std::numbers::pi;
  // One limit may lie beyond the range that stands for the other.
  const auto [lower, upper] = std::minmax({joint.limits.lower.value_or(-range),
                                           joint.limits.upper.value_or(range)});
  // Limits far out stand for none: a mass that is carried out for thousands of
  // metres hides what else a joint carries.
  const double most = slides ? kFarthestSlide : 2 * std::numbers::pi;
  const double nearest = std::clamp(0.0, lower, upper);
  return Between(std::max(lower, nearest - most),
                 std::min(upper, nearest + most), random);
}

}  // namespace

bool CheckTree(AssembledRobot& robot, const BuildOptions& options) {
  const std::vector<int> massless = FindMasslessJoints(robot);
  // The first joint of a lost pivot, or none: regular at all states.
  int singular = -1;
  std::string_view where = "at q = 0";
  Severity severity = Severity::kError;
  // kLenient: what kDefault refuses passes if the mass matrix is regular. The
  // rule is for finite numbers.
  if (options.validation == Validation::kLenient && robot.report.ok() &&
      (robot.let_pass || !massless.empty())) {
    PivotRule rule(robot.assembly.tree());
    for (const auto& q : SampledStates(robot.assembly.joints, robot.seed)) {
      if (options.cancelled && options.cancelled()) return true;
      singular = rule.At(q.data()).joint;
      if (singular >= 0) break;
      where = "at a random state";
    }
    if (singular < 0) severity = Severity::kWarning;
  }
  for (const int i : massless) ReportMasslessJoint(robot, i, severity);
  if (singular >= 0 && std::ranges::count(massless, singular) == 0) {
    Subject joint = AboutJoint(robot, singular);
    joint.Add(LintCode::kMasslessJoint,
              "The mass matrix is singular or not positive ", where,
              ", first at joint ", Quoted(joint.place.joint),
              ": some torques belong to no acceleration there; correct the "
              "inertia of the links from ",
              Quoted(joint.place.link),
              " on, give the joint an armature, or make it fixed.");
  }
  if (robot.report.ok()) CheckMassCondition(robot);
  return false;
}

bool InertiasAreFinite(const Tree& tree) {
  return std::ranges::all_of(StateOf(tree, 1).Gc, IsFinite);
}

std::vector<std::vector<double>> SampledStates(std::span<const Joint> joints,
                                               std::uint64_t seed) {
  const int n = std::max(static_cast<int>(joints.size()), 1);
  const int beside =
      std::clamp(kStatesTimesJoints / n, kFewestStates, kMostStates);
  std::vector<std::vector<double>> states(
      1 + beside, std::vector<double>(joints.size(), 0.0));
  for (std::vector<double>& q : std::span(states).subspan(1)) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] = RandomPosition(joints[i], seed);
    }
  }
  return states;
}

}  // namespace torqued
