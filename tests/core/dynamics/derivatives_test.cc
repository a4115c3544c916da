// Derivatives of the dynamics, against the algorithms themselves run on complex
// numbers: exact to round-off.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/dynamics/aba-inl.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/forward_derivatives-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/dynamics/rnea_derivatives-inl.h"
#include "tests/core/model/test_trees.h"
#include "tests/support/compare.h"
#include "tests/support/complex_step.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Eigen::VectorXd;
using testing_support::ComplexStep;
using testing_support::ConditionNumber;
using testing_support::LargestErrors;
using testing_support::Random;
using testing_support::RelativeError;

constexpr double kEpsilon = 2.3e-16;

using MatrixXd =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What the algorithms work in, for any scalar.
template <class T>
struct Memory {
  explicit Memory(int n) {
    const auto bodies = static_cast<unsigned long>(n);
    Carver counter(nullptr);
    CarveScratch(bodies, counter, scratch);
    CarveForwardDerivatives(bodies, counter, derivatives);
    bytes.resize(counter.used() + 64);
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    Carver carver(bytes.data() + (64 - address % 64) % 64);
    CarveScratch(bodies, carver, scratch);
    CarveForwardDerivatives(bodies, carver, derivatives);
  }

  std::vector<char> bytes;
  Scratch<T> scratch{};
  ForwardDerivativesScratch<T> derivatives{};
};

/// A tree in motion, with all that may act on it.
struct Case {
  std::string name;
  TestTree tree;
  VectorXd q, v, a, tau;
  DynamicsTerms terms;
  std::vector<VectorXd> wrenches;  // on the bodies, each in {i}

  int n() const { return tree.tree().n; }
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  std::uint64_t seed = 0;
  for (TestTree& tree : ReasonableTrees()) {
    Random random(seed++);
    Case c;
    const int n = tree.tree().n;
    c.name = tree.name;
    c.tree = std::move(tree);
    c.q = random.Vector(n, -3, 3);
    c.v = random.Vector(n, -2, 2);
    c.a = random.Vector(n, -2, 2);
    c.tau = random.Vector(n, -20, 20);
    const VectorXd g = random.Vector(3, -10, 10);
    c.terms = {{g[0], g[1], g[2]},
               random.Chance(0.5),
               random.Chance(0.5),
               random.Chance(0.5)};
    for (int i = 0; i < n; ++i) {
      c.wrenches.push_back(random.Vector(6, -20, 20));
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

/// One entry of a state is the variable.
std::vector<ComplexStep> Vary(const VectorXd& x, int j) {
  std::vector<ComplexStep> varied;
  for (int i = 0; i < x.size(); ++i) {
    varied.push_back(i == j ? ComplexStep::Variable(x[i]) : ComplexStep(x[i]));
  }
  return varied;
}

template <class T>
Wrench<T> ToWrench(const VectorXd& numbers) {
  return {{T(numbers[0]), T(numbers[1]), T(numbers[2])},
          {T(numbers[3]), T(numbers[4]), T(numbers[5])}};
}

template <class T>
void Place(const Case& c, const T* q, Memory<T>& memory) {
  ComputePlacements(c.tree.tree(), q, memory.scratch);
  ComputeWorldPlacements(c.tree.tree(), memory.scratch);
  for (int i = 0; i < c.n(); ++i) {
    memory.scratch.W[i] = ToWrench<T>(c.wrenches[i]);
  }
}

void CopyDerivatives(const std::vector<ComplexStep>& from, int column,
                     MatrixXd& to) {
  for (int i = 0; i < to.rows(); ++i) to(i, column) = from[i].derivative();
}

struct Derivatives {
  explicit Derivatives(int n) : dq(n, n), dv(n, n), d_last(n, n) {}
  MatrixXd dq, dv;
  MatrixXd d_last;  // by acceleration or by torque
};

/// A function of q, v and a third argument, run on complex numbers; `run`
/// writes n results.
template <class Run>
Derivatives ByComplexSteps(const VectorXd& q, const VectorXd& v,
                           const VectorXd& last, const Run& run) {
  const int n = static_cast<int>(q.size());
  Derivatives out(n);
  std::vector<ComplexStep> result(n);
  constexpr int kNone = -1;
  const auto q0 = Vary(q, kNone), v0 = Vary(v, kNone),
             last0 = Vary(last, kNone);
  for (int j = 0; j < n; ++j) {
    run(Vary(q, j).data(), v0.data(), last0.data(), result.data());
    CopyDerivatives(result, j, out.dq);
    run(q0.data(), Vary(v, j).data(), last0.data(), result.data());
    CopyDerivatives(result, j, out.dv);
    run(q0.data(), v0.data(), Vary(last, j).data(), result.data());
    CopyDerivatives(result, j, out.d_last);
  }
  return out;
}

Derivatives InverseExpected(const Case& c) {
  Memory<ComplexStep> memory(c.n());
  return ByComplexSteps(
      c.q, c.v, c.a,
      [&](const auto* q, const auto* v, const auto* a, auto* tau) {
        Place(c, q, memory);
        InverseDynamics(c.tree.tree(), c.terms, v, a, memory.scratch, tau);
      });
}

/// By articulated bodies, which share nothing with the text under test.
Derivatives ForwardExpected(const Case& c) {
  Memory<ComplexStep> memory(c.n());
  return ByComplexSteps(
      c.q, c.v, c.tau,
      [&](const auto* q, const auto* v, const auto* tau, auto* a) {
        Place(c, q, memory);
        ForwardDynamics(c.tree.tree(), c.terms, v, tau, memory.scratch, a);
      });
}

/// Full of NaN, so that what is not written shows.
Derivatives Unwritten(int n) {
  Derivatives out(n);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (MatrixXd* m : {&out.dq, &out.dv, &out.d_last}) m->setConstant(nan);
  return out;
}

Derivatives InverseActual(const Case& c, const double* v, const double* a) {
  Derivatives out = Unwritten(c.n());
  Memory<double> memory(c.n());
  Place(c, c.q.data(), memory);
  InverseDynamicsDerivatives(c.tree.tree(), c.terms, v, a, memory.scratch,
                             memory.derivatives.inverse, out.dq.data(),
                             out.dv.data(), out.d_last.data());
  return out;
}

/// The size of the terms that derivatives of forces are sums of.
double ForceScale(const Derivatives& of_inverse) {
  return of_inverse.d_last.cwiseAbs().maxCoeff();
}

TEST(InverseDynamicsDerivatives, EqualThoseByComplexSteps) {
  LargestErrors errors;
  for (const Case& c : Cases()) {
    if (c.n() == 0) continue;
    const Derivatives expected = InverseExpected(c);
    const Derivatives actual = InverseActual(c, c.v.data(), c.a.data());
    // Forces of a planar arm's bodies cancel.
    const double scale = ForceScale(expected);
    errors.Add("dtau/dq", RelativeError(actual.dq, expected.dq, scale), c.name);
    errors.Add("dtau/dv", RelativeError(actual.dv, expected.dv, scale), c.name);
    errors.Add("dtau/da", RelativeError(actual.d_last, expected.d_last),
               c.name);
  }
  errors.ExpectBelow("dtau/dq", 1e-13);
  errors.ExpectBelow("dtau/dv", 1e-13);
  errors.ExpectBelow("dtau/da", 1e-13);
}

TEST(InverseDynamicsDerivatives, NoVelocityOrAccelerationMeansZeros) {
  for (Case& c : Cases()) {
    const Derivatives without_a = InverseActual(c, c.v.data(), nullptr);
    const Derivatives without_v = InverseActual(c, nullptr, c.a.data());
    c.a.setZero();
    const Derivatives zero_a = InverseActual(c, c.v.data(), c.a.data());
    EXPECT_EQ(without_a.dq, zero_a.dq) << c.name;
    EXPECT_EQ(without_a.dv, zero_a.dv) << c.name;
  }
  for (Case& c : Cases()) {
    const Derivatives without_v = InverseActual(c, nullptr, c.a.data());
    c.v.setZero();
    const Derivatives zero_v = InverseActual(c, c.v.data(), c.a.data());
    EXPECT_EQ(without_v.dq, zero_v.dq) << c.name;
    EXPECT_EQ(without_v.dv, zero_v.dv) << c.name;
  }
}

TEST(InverseDynamicsDerivatives, ByAccelerationIsTheMassMatrix) {
  LargestErrors errors;
  for (const Case& c : Cases()) {
    Memory<double> memory(c.n());
    Place(c, c.q.data(), memory);
    MatrixXd M(c.n(), c.n());
    MassMatrix(c.tree.tree(), memory.scratch, M.data());
    const Derivatives actual = InverseActual(c, c.v.data(), c.a.data());
    EXPECT_EQ(actual.d_last, actual.d_last.transpose()) << c.name;
    errors.Add("M", RelativeError(actual.d_last, M), c.name);
  }
  errors.ExpectBelow("M", 1e-14);
}

bool Carries(const Tree& tree, int j, int i) {
  while (i > j) i = tree.bodies[i].parent;
  return i == j;
}

TEST(InverseDynamicsDerivatives, JointsOnDifferentBranchesDoNotFeelEachOther) {
  int pairs = 0;
  for (const Case& c : Cases()) {
    const Tree tree = c.tree.tree();
    const Derivatives actual = InverseActual(c, c.v.data(), c.a.data());
    for (int i = 0; i < c.n(); ++i) {
      for (int j = 0; j < c.n(); ++j) {
        if (Carries(tree, i, j) || Carries(tree, j, i)) continue;
        ++pairs;
        EXPECT_EQ(actual.dq(i, j), 0) << c.name;
        EXPECT_EQ(actual.dv(i, j), 0) << c.name;
        EXPECT_EQ(actual.d_last(i, j), 0) << c.name;
      }
    }
  }
  EXPECT_GT(pairs, 100);
}

TEST(InverseDynamicsDerivatives, GravityTorquesHaveASymmetricGradient) {
  // At rest tau = ∂P/∂q, whose derivative is a Hessian.
  LargestErrors errors;
  for (Case& c : Cases()) {
    if (c.n() == 0) continue;
    c.terms.external_wrenches = false;
    const Derivatives rest = InverseActual(c, nullptr, nullptr);
    errors.Add("asymmetry",
               RelativeError(rest.dq, rest.dq.transpose(), ForceScale(rest)),
               c.name);
  }
  errors.ExpectBelow("asymmetry", 1e-14);
}

TEST(InverseDynamicsDerivatives, HeldWrenchesTurnWithNothing) {
  LargestErrors errors;
  double turning = 0;
  std::uint64_t seed = 0;
  for (Case& c : Cases()) {
    const int n = c.n();
    if (n == 0) continue;
    const Tree tree = c.tree.tree();
    Random random(seed++);
    BodyFrame frame{};
    frame.body = random.Index(n);
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(frame.R) =
        random.Rotation();
    Eigen::Map<Eigen::Vector3d>(frame.p) = random.Vector(3, -0.3, 0.3);
    const VectorXd wrench = random.Vector(6, -20, 20);
    c.terms.external_wrenches = true;
    for (VectorXd& w : c.wrenches) w.setZero();
    for (const ReferenceFrame reference :
         {ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned,
          ReferenceFrame::kWorld}) {
      const auto place = [&](const auto* q, auto& memory) {
        using T = std::remove_cvref_t<decltype(*q)>;
        Place(c, q, memory);
        T numbers[6];
        for (int k = 0; k < 6; ++k) numbers[k] = T(wrench[k]);
        memory.scratch.W[frame.body] =
            WrenchInBody<T>(tree, frame, reference, numbers, memory.scratch);
      };
      Memory<ComplexStep> complex(n);
      const Derivatives expected = ByComplexSteps(
          c.q, c.v, c.a,
          [&](const auto* q, const auto* v, const auto* a, auto* tau) {
            place(q, complex);
            InverseDynamics(tree, c.terms, v, a, complex.scratch, tau);
          });
      Derivatives actual = Unwritten(n);
      Memory<double> memory(n);
      place(static_cast<const double*>(c.q.data()), memory);
      InverseDynamicsDerivatives(
          tree, c.terms, static_cast<const double*>(c.v.data()),
          static_cast<const double*>(c.a.data()), memory.scratch,
          memory.derivatives.inverse, actual.dq.data(), actual.dv.data(),
          actual.d_last.data());
      FrameJacobian(tree, frame, reference, memory.scratch, memory.scratch.J);
      const std::string which =
          " " + std::to_string(static_cast<int>(reference));
      const double scale = ForceScale(expected);
      if (reference != ReferenceFrame::kLocal) {
        // Twin: it does make a difference.
        turning =
            std::max(turning, RelativeError(actual.dq, expected.dq, scale));
      }
      AddHeldWrenchDerivative(
          n, reference, static_cast<const double*>(memory.scratch.J),
          static_cast<const double*>(wrench.data()), actual.dq.data());
      errors.Add("held" + which, RelativeError(actual.dq, expected.dq, scale),
                 c.name);
      errors.Add("by rates" + which,
                 RelativeError(actual.dv, expected.dv, scale), c.name);
    }
  }
  for (const char* which : {" 0", " 1", " 2"}) {
    errors.ExpectBelow(std::string("held") + which, 1e-13);
    errors.ExpectBelow(std::string("by rates") + which, 1e-13);
  }
  EXPECT_GT(turning, 0.1);
}

TEST(ForwardDynamicsDerivatives, EqualThoseByComplexSteps) {
  LargestErrors errors;
  for (const Case& c : Cases()) {
    const int n = c.n();
    if (n == 0) continue;
    const Derivatives expected = ForwardExpected(c);
    Memory<double> memory(n);
    Place(c, c.q.data(), memory);
    const double* const v = c.v.data();
    VectorXd a(n);
    ForwardDynamics(c.tree.tree(), c.terms, v,
                    static_cast<const double*>(c.tau.data()), memory.scratch,
                    a.data());
    Derivatives actual = Unwritten(n);
    ForwardDynamicsDerivatives(
        c.tree.tree(), c.terms, v, static_cast<const double*>(a.data()),
        memory.scratch, memory.derivatives, actual.dq.data(), actual.dv.data(),
        actual.d_last.data());
    const double condition = ConditionNumber(expected.d_last);
    errors.Add("da/dq / cond M",
               RelativeError(actual.dq, expected.dq) / condition, c.name);
    errors.Add("da/dv / cond M",
               RelativeError(actual.dv, expected.dv,
                             expected.d_last.cwiseAbs().maxCoeff()) /
                   condition,
               c.name);
    errors.Add("da/dtau / cond M",
               RelativeError(actual.d_last, expected.d_last) / condition,
               c.name);
    EXPECT_EQ(actual.d_last, actual.d_last.transpose()) << c.name;
    // The pivots are those of M, and stand by their diagonal.
    double smallest = 1;
    for (int i = 0; i < n; ++i) {
      const double pivot = memory.derivatives.L[PackedRow(i) + i];
      EXPECT_GT(pivot, 0) << c.name;
      smallest = std::min(smallest, pivot / memory.derivatives.diagonal[i]);
    }
    EXPECT_GT(smallest * condition, 1 - 100 * kEpsilon * condition) << c.name;
  }
  errors.ExpectBelow("da/dq / cond M", 40 * kEpsilon);
  errors.ExpectBelow("da/dv / cond M", 40 * kEpsilon);
  errors.ExpectBelow("da/dtau / cond M", 40 * kEpsilon);
}

}  // namespace
}  // namespace torqued
