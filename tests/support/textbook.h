// Rigid-body dynamics by its definitions: the pose of every body in base axes,
// Newton's law for each, and rates by dual numbers. No recursion over
// velocities, no Coriolis terms. Twists are (angular; linear) and wrenches
// (moment; force), of the point at the base origin unless said otherwise.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <utility>
#include <vector>

#include "core/dynamics/quantity.h"
#include "core/tree/tree.h"
#include "tests/support/dual.h"

namespace torqued::textbook {

using testing_support::Dual;

template <class T>
using Vector3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Matrix3 = Eigen::Matrix<T, 3, 3>;
template <class T>
using Vector6 = Eigen::Matrix<T, 6, 1>;
template <class T>
using Matrix6 = Eigen::Matrix<T, 6, 6>;
template <class T>
using VectorX = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using MatrixX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using Matrix6X = Eigen::Matrix<T, 6, Eigen::Dynamic>;

template <class T>
Vector6<T> Stack(const Vector3<T>& angular, const Vector3<T>& linear) {
  Vector6<T> six;
  six << angular, linear;
  return six;
}

/// x + ε rate.
template <class Vector>
auto Along(const Vector& x, const Vector& rate) {
  using T = typename Vector::Scalar;
  return x
      .binaryExpr(rate, [](const T& value,
                           const T& slope) { return Dual<T>(value, slope); })
      .eval();
}

/// The rates of numbers that were computed Along a motion.
template <class Matrix>
auto Rates(const Matrix& numbers) {
  return numbers.unaryExpr([](const auto& number) { return number.d; }).eval();
}

/// The pose of a frame in another.
template <class T>
struct Pose {
  Matrix3<T> R = Matrix3<T>::Identity();
  Vector3<T> p = Vector3<T>::Zero();

  Pose operator*(const Pose& b) const { return {R * b.R, p + R * b.p}; }
  /// A twist of the other frame's origin as one of this frame's, in its axes.
  Vector6<T> TwistInside(const Vector6<T>& V) const {
    const Vector3<T> w = V.template head<3>(), v = V.template tail<3>();
    return Stack<T>(R.transpose() * w, R.transpose() * (v + w.cross(p)));
  }
  Vector6<T> TwistOutside(const Vector6<T>& V) const {
    const Vector3<T> w = R * V.template head<3>(), v = R * V.template tail<3>();
    return Stack<T>(w, v + p.cross(w));
  }
  Vector6<T> WrenchOutside(const Vector6<T>& F) const {
    const Vector3<T> m = R * F.template head<3>(), f = R * F.template tail<3>();
    return Stack<T>(m + p.cross(f), f);
  }
};

template <class T>
Pose<T> PoseOf(const double* R, const double* p) {
  using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  return {Eigen::Map<const RowMajor>(R).cast<T>(),
          Eigen::Map<const Eigen::Vector3d>(p).cast<T>()};
}

/// About the origin of {i}, of mass, first moment and inertia.
template <class T>
Matrix6<T> InertiaOf(const double mass, const double* h, const double* I) {
  Eigen::Matrix<double, 6, 6> G;
  G << I[0], I[1], I[2], 0, -h[2], h[1],  //
      I[1], I[3], I[4], h[2], 0, -h[0],   //
      I[2], I[4], I[5], -h[1], h[0], 0,   //
      0, h[2], -h[1], mass, 0, 0,         //
      -h[2], 0, h[0], 0, mass, 0,         //
      h[1], -h[0], 0, 0, 0, mass;
  return G.cast<T>();
}

/// A tree in a configuration.
template <class T>
struct Configuration {
  std::vector<Pose<T>> bodies;  // in base axes
  Matrix6X<T> screws;           // A_j of the joints, in base axes

  Configuration(const Tree& tree, const VectorX<T>& q) : screws(6, tree.n) {
    using std::cos, std::sin;
    for (int i = 0; i < tree.n; ++i) {
      const TreeBody& body = tree.bodies[i];
      const Vector3<T> u =
          Eigen::Map<const Eigen::Vector3d>(body.axis).cast<T>();
      Pose<T> joint;
      Vector6<T> screw = Vector6<T>::Zero();
      if (body.motion == JointMotion::kRevolute) {
        const T c = cos(q[i]), s = sin(q[i]);
        // Rodrigues' formula.
        for (int k = 0; k < 3; ++k) {
          const Vector3<T> e = Vector3<T>::Unit(k);
          joint.R.col(k) = e * c + u.cross(e) * s + u * (u[k] * (T(1) - c));
        }
        screw.template head<3>() = u;
      } else {
        joint.p = u * q[i];
        screw.template tail<3>() = u;
      }
      const Pose<T> placed = PoseOf<T>(body.R, body.p) * joint;
      bodies.push_back(body.parent == kBase ? placed
                                            : bodies[body.parent] * placed);
      screws.col(i) = bodies.back().TwistOutside(screw);
    }
  }

  Pose<T> PlaceOf(const BodyFrame& frame) const {
    const Pose<T> on_body = PoseOf<T>(frame.R, frame.p);
    return frame.body == kBase ? on_body : bodies[frame.body] * on_body;
  }

  /// Twists of all bodies.
  std::vector<Vector6<T>> Twists(const Tree& tree, const VectorX<T>& v,
                                 const Vector6<T>& of_base) const {
    std::vector<Vector6<T>> twists;
    for (int i = 0; i < tree.n; ++i) {
      const int parent = tree.bodies[i].parent;
      const Vector6<T> moved = screws.col(i) * v[i];
      twists.push_back((parent == kBase ? of_base : twists[parent]) + moved);
    }
    return twists;
  }

  /// J of a frame about the base origin: the screws of the joints before it.
  Matrix6X<T> SpaceJacobian(const Tree& tree, int body) const {
    Matrix6X<T> J = Matrix6X<T>::Zero(6, tree.n);
    for (int j = body; j != kBase; j = tree.bodies[j].parent) {
      J.col(j) = screws.col(j);
    }
    return J;
  }
};

/// A twist as a reference frame shows it.
template <class T>
Vector6<T> Shown(const Pose<T>& frame, ReferenceFrame reference,
                 const Vector6<T>& V) {
  if (reference == ReferenceFrame::kWorld) return V;
  if (reference == ReferenceFrame::kLocal) return frame.TwistInside(V);
  return Pose<T>{Matrix3<T>::Identity(), frame.p}.TwistInside(V);
}

template <class T>
Matrix6X<T> FrameJacobian(const Tree& tree, const Configuration<T>& at,
                          const BodyFrame& frame, ReferenceFrame reference) {
  Matrix6X<T> J = at.SpaceJacobian(tree, frame.body);
  const Pose<T> place = at.PlaceOf(frame);
  for (int j = 0; j < tree.n; ++j) {
    J.col(j) = Shown<T>(place, reference, J.col(j));
  }
  return J;
}

/// M = Σ J_iᵀ G_i J_i + armature.
template <class T>
MatrixX<T> MassMatrix(const Tree& tree, const Configuration<T>& at) {
  MatrixX<T> M = MatrixX<T>::Zero(tree.n, tree.n);
  std::vector<Matrix6<T>> subtree(static_cast<std::size_t>(tree.n));
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    Matrix6<T> inside;  // Ad⁻¹, by columns
    for (int k = 0; k < 6; ++k) {
      inside.col(k) = at.bodies[i].TwistInside(Vector6<T>::Unit(k));
    }
    const Matrix6<T> G = InertiaOf<T>(body.mass, body.h, body.I);
    subtree[i] = inside.transpose() * (G * inside);
  }
  for (int i = tree.n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    const Vector6<T> h = subtree[i] * at.screws.col(i);
    for (int j = i; j != kBase; j = tree.bodies[j].parent) {
      M(i, j) = M(j, i) = at.screws.col(j).dot(h);
    }
    M(i, i) += T(body.armature);
    if (body.parent != kBase) subtree[body.parent] += subtree[i];
  }
  return M;
}

/// Where a wrench acts, and in which axes and about which point it is given.
struct WrenchPlace {
  BodyFrame frame;
  ReferenceFrame reference;
};

/// A wrench that acts on the robot.
struct Push {
  WrenchPlace place;
  Eigen::Matrix<double, 6, 1> wrench;
};

/// What acts on a robot.
struct Surroundings {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  Eigen::Matrix<double, 6, 1> base_twist = Eigen::Matrix<double, 6, 1>::Zero(),
                              base_acceleration = base_twist;
  bool viscous = false, coulomb = false;
  double smoothing = 0;
  std::vector<Push> pushes;
};

/// A wrench in base axes.
template <class T>
Vector6<T> WrenchOf(const Configuration<T>& at, const Push& push) {
  Vector6<T> W = push.wrench.cast<T>();
  if (push.place.reference == ReferenceFrame::kWorld) return W;
  Pose<T> place = at.PlaceOf(push.place.frame);
  if (push.place.reference == ReferenceFrame::kLocalWorldAligned) {
    place.R.setIdentity();
  }
  return place.WrenchOutside(W);
}

template <class T>
struct Motion {
  VectorX<T> q, v, a;
};

template <class T>
T ViscousFriction(const TreeBody& body, const Surroundings& around,
                  const T& v) {
  return around.viscous ? T(body.viscous_friction) * v : T(0);
}

template <class T>
T CoulombFriction(const TreeBody& body, const Surroundings& around,
                  const T& v) {
  using std::tanh;
  if (!around.coulomb) return T(0);
  const T sign = around.smoothing != 0 ? T(tanh(v / T(around.smoothing)))
                 : v > T(0)            ? T(1)
                 : v < T(0)            ? T(-1)
                                       : T(0);
  return T(body.coulomb_friction) * sign;
}

/// d/dt of a momentum whose components in base axes have these rates, where
/// the axes move.
template <class T>
Vector6<T> RateOf(const Vector6<T>& momentum, const Vector6<T>& rate,
                  const Vector6<T>& V_base) {
  const Vector3<T> m = momentum.template head<3>(),
                   f = momentum.template tail<3>(),
                   w = V_base.template head<3>(), v = V_base.template tail<3>();
  return rate + Stack<T>(w.cross(m) + v.cross(f), w.cross(f));
}

/// A tree that moves.
template <class T>
class MovingTree {
 public:
  MovingTree(const Tree& tree, const Surroundings& around,
             const Motion<T>& motion)
      : tree_(tree),
        around_(around),
        V_base_(around.base_twist.cast<T>()),
        along_(tree, Along(motion.q, motion.v)),
        now_(tree, motion.q),
        twists_(along_.Twists(
            tree, Along(motion.v, motion.a),
            Along(V_base_, around.base_acceleration.cast<T>().eval()))) {}

  const Configuration<T>& now() const { return now_; }

  /// What a body of inertia G at the place of body i needs to move so, beside
  /// its weight; in base axes.
  Vector6<T> NetWrench(int i, const Matrix6<T>& G) const {
    const Pose<Dual<T>>& X = along_.bodies[i];
    const Vector6<Dual<T>> h =
        X.WrenchOutside(G.template cast<Dual<T>>() * X.TwistInside(twists_[i]));
    const Vector6<T> momentum =
        h.unaryExpr([](const Dual<T>& x) { return x.x; });
    // The weight is the momentum of a body that g moves.
    const Vector3<T> g =
        now_.bodies[i].R.transpose() * around_.gravity.cast<T>();
    const Vector6<T> weight =
        now_.bodies[i].WrenchOutside(G * Stack<T>(Vector3<T>::Zero(), g));
    return RateOf<T>(momentum, Rates(h), V_base_) - weight;
  }

  /// The wrenches through the joints, in base axes.
  Matrix6X<T> JointWrenches() const {
    Matrix6X<T> F(6, tree_.n);
    for (int i = 0; i < tree_.n; ++i) {
      const TreeBody& body = tree_.bodies[i];
      F.col(i) = NetWrench(i, InertiaOf<T>(body.mass, body.h, body.I));
    }
    for (const Push& push : around_.pushes) {
      const int body = push.place.frame.body;
      if (body != kBase) F.col(body) -= WrenchOf(now_, push);
    }
    for (int i = tree_.n - 1; i >= 0; --i) {
      const int parent = tree_.bodies[i].parent;
      if (parent != kBase) F.col(parent) += F.col(i);
    }
    return F;
  }

 private:
  const Tree tree_;
  const Surroundings& around_;
  const Vector6<T> V_base_;
  const Configuration<Dual<T>> along_;
  const Configuration<T> now_;
  const std::vector<Vector6<Dual<T>>> twists_;
};

template <class T>
VectorX<T> Torques(const Tree& tree, const Surroundings& around,
                   const Motion<T>& motion) {
  const MovingTree<T> moving(tree, around, motion);
  const Matrix6X<T> F = moving.JointWrenches();
  VectorX<T> tau(tree.n);
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    tau[i] = moving.now().screws.col(i).dot(F.col(i)) +
             T(body.armature) * motion.a[i] +
             ViscousFriction(body, around, motion.v[i]) +
             CoulombFriction(body, around, motion.v[i]);
  }
  return tau;
}

/// ∂τ/∂q and ∂τ/∂v.
template <class T>
std::pair<MatrixX<T>, MatrixX<T>> TorqueDerivatives(const Tree& tree,
                                                    const Surroundings& around,
                                                    const Motion<T>& motion) {
  const VectorX<T> none = VectorX<T>::Zero(tree.n);
  MatrixX<T> dtau_dq(tree.n, tree.n), dtau_dv(tree.n, tree.n);
  for (int k = 0; k < tree.n; ++k) {
    const VectorX<T> unit = VectorX<T>::Unit(tree.n, k);
    Motion<Dual<T>> moved = {Along(motion.q, unit), Along(motion.v, none),
                             Along(motion.a, none)};
    dtau_dq.col(k) = Rates(Torques(tree, around, moved));
    moved.q = Along(motion.q, none);
    moved.v = Along(motion.v, unit);
    dtau_dv.col(k) = Rates(Torques(tree, around, moved));
  }
  return {dtau_dq, dtau_dv};
}

/// ∂M/∂q_k.
template <class T>
std::vector<MatrixX<T>> MassDerivatives(const Tree& tree, const VectorX<T>& q) {
  std::vector<MatrixX<T>> dM;
  for (int k = 0; k < tree.n; ++k) {
    const VectorX<T> unit = VectorX<T>::Unit(tree.n, k);
    dM.push_back(
        Rates(MassMatrix(tree, Configuration<Dual<T>>(tree, Along(q, unit)))));
  }
  return dM;
}

}  // namespace torqued::textbook
