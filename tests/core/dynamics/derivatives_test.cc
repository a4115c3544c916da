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
#include "tests/core/dynamics/motion_cases.h"
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
class Memory {
 public:
  explicit Memory(int n) {
    const auto bodies = static_cast<unsigned long>(n);
    Carver counter(nullptr);
    Carve(bodies, counter);
    bytes_.resize(counter.used());
    Carver carver(bytes_.data());
    Carve(bodies, carver);
  }

  Scratch<T> scratch{};
  RneaDerivativesScratch<T> inverse{};
  ForwardDerivativesScratch<T> forward{};

 private:
  void Carve(unsigned long bodies, Carver& carver) {
    CarveScratch(bodies, carver, scratch);
    CarveRneaDerivatives(bodies, carver, inverse);
    CarveForwardDerivatives(bodies, carver, forward);
  }

  std::vector<char> bytes_;
};

/// One entry of a state is the variable.
std::vector<ComplexStep> Vary(const VectorXd& x, int j) {
  std::vector<ComplexStep> varied;
  varied.reserve(x.size());
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
void Place(const MotionCase& c, const T* q, Memory<T>& memory) {
  ComputePlacements(c.tree(), q, memory.scratch);
  ComputeWorldPlacements(c.tree(), memory.scratch);
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

Derivatives InverseExpected(const MotionCase& c) {
  Memory<ComplexStep> memory(c.n());
  return ByComplexSteps(
      c.q, c.v, c.a,
      [&](const auto* q, const auto* v, const auto* a, auto* tau) {
        Place(c, q, memory);
        InverseDynamics(c.tree(), c.terms, v, a, memory.scratch, tau);
      });
}

/// By articulated bodies, which share nothing with the text under test.
Derivatives ForwardExpected(const MotionCase& c) {
  Memory<ComplexStep> memory(c.n());
  return ByComplexSteps(
      c.q, c.v, c.tau,
      [&](const auto* q, const auto* v, const auto* tau, auto* a) {
        Place(c, q, memory);
        ForwardDynamics(c.tree(), c.terms, v, tau, memory.scratch, a);
      });
}

/// Full of NaN, so that what is not written shows.
Derivatives Unwritten(int n) {
  Derivatives out(n);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (MatrixXd* m : {&out.dq, &out.dv, &out.d_last}) m->setConstant(nan);
  return out;
}

Derivatives InverseActual(const MotionCase& c, const double* v,
                          const double* a) {
  Derivatives out = Unwritten(c.n());
  Memory<double> memory(c.n());
  Place(c, c.q.data(), memory);
  InverseDynamicsDerivatives(c.tree(), c.terms, v, a, memory.scratch,
                             memory.inverse, out.dq.data(), out.dv.data(),
                             out.d_last.data());
  return out;
}

/// The size of the terms that derivatives of forces are sums of.
double ForceScale(const Derivatives& of_inverse) {
  return of_inverse.d_last.cwiseAbs().maxCoeff();
}

TEST(InverseDynamicsDerivatives, EqualThoseByComplexSteps) {
  LargestErrors errors;
  for (const MotionCase& c : MotionCases()) {
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
  for (MotionCase& c : MotionCases()) {
    const Derivatives without_a = InverseActual(c, c.v.data(), nullptr);
    const Derivatives without_v = InverseActual(c, nullptr, c.a.data());
    c.a.setZero();
    const Derivatives zero_a = InverseActual(c, c.v.data(), c.a.data());
    EXPECT_EQ(without_a.dq, zero_a.dq) << c.name;
    EXPECT_EQ(without_a.dv, zero_a.dv) << c.name;
  }
  for (MotionCase& c : MotionCases()) {
    const Derivatives without_v = InverseActual(c, nullptr, c.a.data());
    c.v.setZero();
    const Derivatives zero_v = InverseActual(c, c.v.data(), c.a.data());
    EXPECT_EQ(without_v.dq, zero_v.dq) << c.name;
    EXPECT_EQ(without_v.dv, zero_v.dv) << c.name;
  }
}

TEST(InverseDynamicsDerivatives, ByAccelerationIsTheMassMatrix) {
  LargestErrors errors;
  for (const MotionCase& c : MotionCases()) {
    Memory<double> memory(c.n());
    Place(c, c.q.data(), memory);
    MatrixXd M(c.n(), c.n());
    MassMatrix(c.tree(), memory.scratch, M.data());
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
  for (const MotionCase& c : MotionCases()) {
    const Tree tree = c.tree();
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

TEST(InverseDynamicsDerivatives, SinglePrecisionIsRoundedDoublePrecision) {
  LargestErrors errors;
  for (const MotionCase& c : MotionCases()) {
    const int n = c.n();
    const Derivatives expected = InverseActual(c, c.v.data(), c.a.data());
    const Eigen::VectorXf q = c.q.cast<float>(), v = c.v.cast<float>(),
                          a = c.a.cast<float>();
    Memory<float> memory(n);
    Place(c, q.data(), memory);
    using MatrixXf =
        Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    MatrixXf dq(n, n), dv(n, n), M(n, n);
    InverseDynamicsDerivatives(c.tree(), c.terms, v.data(), a.data(),
                               memory.scratch, memory.inverse, dq.data(),
                               dv.data(), M.data());
    const double scale = ForceScale(expected);
    const auto add = [&](const char* quantity, const MatrixXf& actual,
                         const MatrixXd& whole) {
      errors.Add(quantity, RelativeError(actual.cast<double>(), whole, scale),
                 c.name);
    };
    add("dtau/dq", dq, expected.dq);
    add("dtau/dv", dv, expected.dv);
    add("dtau/da", M, expected.d_last);
  }
  errors.ExpectBelow("dtau/dq", 3e-5);
  errors.ExpectBelow("dtau/dv", 3e-5);
  errors.ExpectBelow("dtau/da", 3e-5);
  // Twin: it is not double precision that was compared.
  errors.ExpectAbove("dtau/da", 1e-12);
}

TEST(InverseDynamicsDerivatives, GravityTorquesHaveASymmetricGradient) {
  // At rest tau = ∂P/∂q, whose derivative is a Hessian.
  LargestErrors errors;
  for (MotionCase& c : MotionCases()) {
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
  for (MotionCase& c : MotionCases()) {
    const int n = c.n();
    const Tree tree = c.tree();
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
          memory.inverse, actual.dq.data(), actual.dv.data(),
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
      AddHeldWrenchDerivative(tree, frame.body, reference,
                              static_cast<const double*>(memory.scratch.J),
                              static_cast<const double*>(wrench.data()),
                              actual.dq.data());
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
  for (const MotionCase& c : MotionCases()) {
    const int n = c.n();
    const Derivatives expected = ForwardExpected(c);
    Memory<double> memory(n);
    Place(c, c.q.data(), memory);
    const double* const v = c.v.data();
    VectorXd a(n);
    ForwardDynamics(c.tree(), c.terms, v,
                    static_cast<const double*>(c.tau.data()), memory.scratch,
                    a.data());
    Derivatives actual = Unwritten(n);
    ForwardDynamicsDerivatives(
        c.tree(), c.terms, v, static_cast<const double*>(a.data()),
        memory.scratch, memory.inverse, memory.forward, actual.dq.data(),
        actual.dv.data(), actual.d_last.data());
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
    // The pivots are those of the articulated bodies.
    errors.Add(
        "pivots",
        RelativeError(Eigen::Map<VectorXd>(memory.forward.mass.pivots, n),
                      Eigen::Map<VectorXd>(memory.scratch.d, n)),
        c.name);
  }
  errors.ExpectBelow("da/dq / cond M", 40 * kEpsilon);
  errors.ExpectBelow("da/dv / cond M", 40 * kEpsilon);
  errors.ExpectBelow("da/dtau / cond M", 40 * kEpsilon);
  errors.ExpectBelow("pivots", 1e-13);
}

}  // namespace
}  // namespace torqued
