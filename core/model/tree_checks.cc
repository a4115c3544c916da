#include "core/model/tree_checks.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/model/text.h"
#include "core/spatial/inertia.h"

namespace torqued {
namespace {

// A moment about an axis is nothing when it is this small beside the inertia
// about the axis's nearest point.
constexpr double kMomentRounding = 1e-13;

// What sums over chains of turned frames leave for each body, beside the
// inertia about the frame, from which the moment is computed.
constexpr double kRoundingOfBody = 4e-15;

// T_{λ(i),i}(q).
Transform<double> JointTransform(const TreeBody& body, double q) {
  const Vec3<double> a = Vec3<double>::Constant(body.axis);
  Transform<double> T{Mat3<double>::Constant(body.R),
                      Vec3<double>::Constant(body.p)};
  if (q == 0) return T;
  if (body.motion == JointMotion::kPrismatic) {
    T.p += T.R * (a * q);
    return T;
  }
  // exp([a] q) = 1 + sin(q) [a] + (1 − cos(q)) [a]².
  const Mat3<double> skew = Skew(a);
  const double s = std::sin(q), c = 1 - std::cos(q);
  Mat3<double> E = Mat3<double>::Identity();
  const Mat3<double> square = skew * skew;
  E.c0 += skew.c0 * s + square.c0 * c;
  E.c1 += skew.c1 * s + square.c1 * c;
  E.c2 += skew.c2 * s + square.c2 * c;
  T.R = T.R * E;
  return T;
}

struct Configuration {
  std::vector<Transform<double>> T;               // T_{λ(i),i}
  std::vector<SpatialInertia<double>> composite;  // Gᶜ_i
};

// Gᶜ_i = G_i + Σ_k X_kᵀ Gᶜ_k X_k over the children k.
template <class Position>
Configuration ComputeComposites(const Tree& tree, Position q) {
  Configuration c;
  c.T.reserve(tree.n);
  c.composite.reserve(tree.n);
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& b = tree.bodies[i];
    c.T.push_back(JointTransform(b, q(i)));
    c.composite.push_back(
        {b.mass, Vec3<double>::Constant(b.h), Sym3<double>::Constant(b.I)});
  }
  for (int i = tree.n - 1; i >= 0; --i) {
    const int parent = tree.bodies[i].parent;
    if (parent != kBase)
      c.composite[parent] += ToParent(c.T[i], c.composite[i]);
  }
  return c;
}

// M_ii without armature.
double MovedInertia(const TreeBody& body,
                    const SpatialInertia<double>& composite) {
  if (body.motion == JointMotion::kPrismatic) return composite.mass;
  const Vec3<double> a = Vec3<double>::Constant(body.axis);
  return Dot(a, composite.I * a);
}

bool MovesMass(const TreeBody& body, const SpatialInertia<double>& composite,
               int bodies) {
  if (body.armature > 0) return true;
  const double moved = MovedInertia(body, composite);
  if (body.motion == JointMotion::kPrismatic) return moved > 0;
  const Sym3<double>& I = composite.I;
  const double about_frame = std::abs(I.xx) + std::abs(I.yy) + std::abs(I.zz);
  // About the point of the axis nearest the centre of mass: the same wherever
  // on its axis the frame stands.
  double about_axis = about_frame;
  if (composite.mass > 0) {
    const double along = Dot(Vec3<double>::Constant(body.axis), composite.h);
    about_axis -= 2 * along * along / composite.mass;
  }
  const double rounding = std::min(kRoundingOfBody * bodies, kMomentRounding);
  return moved > std::max(kMomentRounding * about_axis, rounding * about_frame);
}

// Positions that stand in no special relation to one another: an inertia that
// vanishes at all of them vanishes everywhere, as it is an analytic function
// of q. Between 0.3 and 1.3 rad or m, by the golden ratio's multiples.
double GenericPosition(int joint, int sample) {
  const double x =
      0.6180339887498949 * (joint + 1) + 0.4142135623730951 * sample;
  return 0.3 + (x - std::floor(x));
}

// Home and generic positions.
constexpr int kSamples = 3;

auto SampleOf(int sample) {
  return [sample](int joint) {
    return sample == 0 ? 0.0 : GenericPosition(joint, sample);
  };
}

// Column j of M is read off the composite inertias: f = Gᶜ_j A_j, carried to
// the bodies before it.
Eigen::MatrixXd HomeMassMatrix(const Tree& tree) {
  const Configuration home = ComputeComposites(tree, [](int) { return 0.0; });
  const auto screw = [&](int i) {
    const Vec3<double> a = Vec3<double>::Constant(tree.bodies[i].axis);
    return tree.bodies[i].motion == JointMotion::kRevolute
               ? Twist<double>{a, Vec3<double>::Zero()}
               : Twist<double>{Vec3<double>::Zero(), a};
  };
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(tree.n, tree.n);
  for (int j = 0; j < tree.n; ++j) {
    Wrench<double> f = home.composite[j] * screw(j);
    M(j, j) = Dot(f, screw(j)) + tree.bodies[j].armature;
    for (int i = j; tree.bodies[i].parent != kBase;) {
      f = ToParent(home.T[i], f);
      i = tree.bodies[i].parent;
      M(i, j) = M(j, i) = Dot(f, screw(i));
    }
  }
  return M;
}

bool IsFinite(const SpatialInertia<double>& G) {
  return std::isfinite(G.mass + G.h.x + G.h.y + G.h.z + G.I.xx + G.I.yy +
                       G.I.zz + G.I.xy + G.I.xz + G.I.yz);
}

}  // namespace

bool InertiasAreFinite(const Tree& tree) {
  const Configuration c = ComputeComposites(
      tree, [](int i) { return GenericPosition(i, /*sample=*/1); });
  for (int i = 0; i < tree.n; ++i) {
    if (!IsFinite(c.composite[i])) return false;
  }
  return true;
}

std::vector<double> LeastMovedInertias(const Tree& tree) {
  std::vector<double> least(tree.n, 0);
  for (int sample = 0; sample < kSamples; ++sample) {
    const Configuration c = ComputeComposites(tree, SampleOf(sample));
    for (int i = 0; i < tree.n; ++i) {
      const TreeBody& body = tree.bodies[i];
      least[i] = std::max(least[i],
                          MovedInertia(body, c.composite[i]) + body.armature);
    }
  }
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const double before = body.parent == kBase
                              ? std::numeric_limits<double>::infinity()
                              : least[body.parent];
    // A moment of inertia is nothing to a joint that slides.
    least[i] = body.motion == JointMotion::kPrismatic
                   ? before
                   : std::min(least[i], before);
  }
  return least;
}

std::vector<int> FindMasslessJoints(const Tree& tree,
                                    std::span<const Joint> joints,
                                    std::span<const int> lines,
                                    std::span<const char> skip,
                                    LintReport& report) {
  std::vector<char> moves(tree.n, 0), finite(tree.n, 1);
  for (int sample = 0; sample < kSamples; ++sample) {
    const Configuration c = ComputeComposites(tree, SampleOf(sample));
    for (int i = 0; i < tree.n; ++i) {
      const SpatialInertia<double>& G = c.composite[i];
      if (!IsFinite(G)) finite[i] = 0;
      if (MovesMass(tree.bodies[i], G, tree.n)) moves[i] = 1;
    }
  }
  std::vector<int> massless;
  for (int i = 0; i < tree.n; ++i) {
    if (skip[i]) continue;
    const Joint& joint = joints[i];
    if (!finite[i]) {
      report.Add(
          LintCode::kInvalidNumber,
          {.joint = joint.name, .link = joint.child_link, .line = lines[i]},
          Cat("The inertia that joint ", Quoted(joint.name),
              " moves is beyond the range of double precision; check "
              "the masses, inertias and lengths from link ",
              Quoted(joint.child_link), " on."));
    } else if (!moves[i]) {
      massless.push_back(i);
    }
  }
  return massless;
}

void ReportMasslessJoints(const Tree& tree, std::span<const Joint> joints,
                          std::span<const int> lines,
                          std::span<const int> massless, Severity severity,
                          LintReport& report) {
  for (const int i : massless) {
    const Joint& joint = joints[i];
    const bool slides = tree.bodies[i].motion == JointMotion::kPrismatic;
    report.AddKind(
        severity, LintCode::kMasslessJoint,
        {.joint = joint.name, .link = joint.child_link, .line = lines[i]}, {},
        [&] {
          return Cat("Joint ", Quoted(joint.name), " moves no mass: ",
                     slides ? "the links from "
                            : "there is no inertia about its axis in the links "
                              "from ",
                     Quoted(joint.child_link), slides ? " on have none" : " on",
                     "; give one of them its <inertial>, make the joint "
                     "fixed, or, where the format has it, give it an "
                     "armature.");
        });
  }
}

void CheckMassCondition(const Tree& tree, std::span<const Joint> joints,
                        std::span<const int> lines, LintReport& report) {
  if (tree.n == 0 || tree.n > kMaxConditionJoints) return;
  const Eigen::MatrixXd M = HomeMassMatrix(tree);
  if (!M.allFinite()) {
    int first = 0;
    while (M.row(first).allFinite()) ++first;
    const Joint& joint = joints[first];
    report.Add(
        LintCode::kInvalidNumber,
        {.joint = joint.name, .link = joint.child_link, .line = lines[first]},
        Cat("The mass matrix at q = 0 is beyond the range of double "
            "precision, first at joint ",
            Quoted(joint.name), "; check the masses, inertias and lengths."));
    return;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(M);
  const double smallest = solver.eigenvalues()[0];
  const double largest = solver.eigenvalues()[tree.n - 1];
  if (smallest > 0 && largest <= kMaxCondition * smallest) return;
  // The first of those that move most in the weakest direction; coaxial
  // joints do so alike, but for round-off.
  const Eigen::VectorXd direction = solver.eigenvectors().col(0).cwiseAbs();
  int weakest = 0;
  while (direction[weakest] < 0.999 * direction.maxCoeff()) ++weakest;
  const Joint& joint = joints[weakest];
  const Place place{
      .joint = joint.name, .link = joint.child_link, .line = lines[weakest]};
  // Below this an eigenvalue is round-off.
  if (smallest > 1e-15 * tree.n * largest) {
    report.Add(
        LintCode::kIllConditionedMass, place,
        Cat("The mass matrix at q = 0 has the condition number ",
            RoundedText(largest / smallest), ", above ",
            RoundedText(kMaxCondition), ", and joint ", Quoted(joint.name),
            " moves the least: forward dynamics loses up to ",
            RoundedText(std::ceil(std::log10(largest / smallest))),
            " digits; check for a tiny inertia behind it."));
  } else {
    report.Add(LintCode::kIllConditionedMass, place,
               Cat("The mass matrix at q = 0 is singular, with joint ",
                   Quoted(joint.name),
                   " in the direction that moves nothing: forward dynamics "
                   "has no answer there; check for joints on one axis and "
                   "for links without inertia."));
  }
}

}  // namespace torqued
