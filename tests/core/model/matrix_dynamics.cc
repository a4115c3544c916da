#include "tests/core/model/matrix_dynamics.h"

namespace torqued {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;
using Eigen::VectorXd;

using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

Matrix4d Hat(bool revolute, const Vector3d& axis) {
  Matrix4d A = Matrix4d::Zero();
  if (revolute) {
    A(2, 1) = axis.x(), A(0, 2) = axis.y(), A(1, 0) = axis.z();
    A(1, 2) = -axis.x(), A(2, 0) = -axis.y(), A(0, 1) = -axis.z();
  } else {
    A.topRightCorner<3, 1>() = axis;
  }
  return A;
}

Matrix4d PseudoInertia(const Matrix3d& S, const Vector3d& h, double mass) {
  Matrix4d sigma;
  sigma << S, h, h.transpose(), mass;
  return sigma;
}

// R_T as the kernels see it: by the kind, from cos α and sin α.
Matrix3d TurnOf(const LoweredBody<double>& body) {
  Matrix3d R = Matrix3d::Identity();
  const double c = body.cos_turn, s = body.sin_turn;
  switch (body.turn) {
    case Turn::kNone:
      break;
    case Turn::kHalf:
      R(1, 1) = R(2, 2) = -1;
      break;
    case Turn::kQuarter:
      R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
      break;
    case Turn::kAboutX:
      R << 1, 0, 0, 0, c, -s, 0, s, c;
      break;
    case Turn::kFull:
      R = Eigen::Map<const RowMajor3d>(body.R);
      break;
  }
  return R;
}

Matrix3d RotationZ(double cosine, double sine) {
  Matrix3d R;
  R << cosine, -sine, 0, sine, cosine, 0, 0, 0, 1;
  return R;
}

}  // namespace

MatrixDynamics::MatrixDynamics(const Tree& tree) {
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    Link link;
    link.parent = body.parent;
    link.home = Isometry3d::Identity();
    link.home.linear() = Eigen::Map<const RowMajor3d>(body.R);
    link.home.translation() = Eigen::Map<const Vector3d>(body.p);
    link.revolute = body.motion == JointMotion::kRevolute;
    link.A = Hat(link.revolute, Eigen::Map<const Vector3d>(body.axis));
    const double* I = body.I;
    Matrix3d inertia;
    inertia << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
    link.sigma =
        PseudoInertia(inertia.trace() / 2 * Matrix3d::Identity() - inertia,
                      Eigen::Map<const Vector3d>(body.h), body.mass);
    link.armature = body.armature;
    links_.push_back(link);
  }
}

MatrixDynamics::MatrixDynamics(const LoweredTreeOf<double>& tree) {
  for (int i = 0; i < tree.n; ++i) {
    const LoweredBody<double>& body = tree.bodies[i];
    Link link;
    link.parent = body.parent;
    link.revolute = body.motion == JointMotion::kRevolute;
    link.A = Hat(link.revolute, Vector3d::UnitZ());
    link.home = Isometry3d::Identity();
    link.home.linear() = TurnOf(body) * RotationZ(body.cos_q0, body.sin_q0);
    for (int k = 0; k < 3; ++k) {
      if ((body.shift >> k & 1) != 0) link.home.translation()[k] = body.p[k];
    }
    Matrix3d S = Matrix3d::Zero();
    Vector3d h = Vector3d::Zero();
    double mass = 0;
    if (link.revolute) {
      S << body.S[0], body.S[1], body.S[2], body.S[1], body.S[3], body.S[4],
          body.S[2], body.S[4], 0;
      h << body.h[0], body.h[1], 0;
    } else {
      h << body.h[0], body.h[1], body.h[2];
      mass = body.mass;
    }
    link.sigma = PseudoInertia(S, h, mass);
    link.armature = body.armature;
    links_.push_back(link);
  }
}

// exp([A] q) = 1 + sin(q) [A] + (1 − cos(q)) [A]² for a rotation, 1 + [A] q for
// a translation.
Isometry3d MatrixDynamics::Joint(const Link& link, double q) {
  const Matrix4d exponential =
      link.revolute ? Matrix4d(Matrix4d::Identity() + std::sin(q) * link.A +
                               (1 - std::cos(q)) * link.A * link.A)
                    : Matrix4d(Matrix4d::Identity() + q * link.A);
  return link.home * Isometry3d(exponential);
}

std::vector<Isometry3d> MatrixDynamics::Poses(const VectorXd& q) const {
  std::vector<Isometry3d> X;
  for (int i = 0; i < size(); ++i) {
    const Link& link = links_[i];
    const Isometry3d T = Joint(link, q[i]);
    X.push_back(link.parent == kBase ? T : X[link.parent] * T);
  }
  return X;
}

double MatrixDynamics::KineticEnergy(const VectorXd& q,
                                     const VectorXd& v) const {
  // [V] = X⁻¹ Ẋ, of the parent seen from the child plus the joint's; the first
  // three rows of Ẋ are those of [V], turned.
  std::vector<Matrix4d> V;
  double energy = 0;
  for (int i = 0; i < size(); ++i) {
    const Link& link = links_[i];
    const Isometry3d T = Joint(link, q[i]);
    V.push_back(link.A * v[i]);
    if (link.parent != kBase) {
      V[i] += T.inverse().matrix() * V[link.parent] * T.matrix();
    }
    energy += 0.5 * (V[i] * link.sigma * V[i].transpose()).trace();
  }
  return energy;
}

double MatrixDynamics::PotentialEnergy(const VectorXd& q,
                                       const Vector3d& gravity) const {
  const std::vector<Isometry3d> X = Poses(q);
  double energy = 0;
  for (int i = 0; i < size(); ++i) {
    energy -= gravity.dot((X[i].matrix() * links_[i].sigma.col(3)).head<3>());
  }
  return energy;
}

VectorXd MatrixDynamics::InverseDynamics(const VectorXd& q, const VectorXd& v,
                                         const VectorXd& a,
                                         const Vector3d& gravity) const {
  // [V] = X⁻¹ Ẋ and H = X⁻¹ Ẍ, Ẍ = Ẍ_λ T + 2 Ẋ_λ Ṫ + X_λ T̈. Gravity is an
  // acceleration of the base.
  std::vector<Matrix4d> V, H;
  std::vector<Isometry3d> T;
  Matrix4d H_base = Matrix4d::Zero();
  H_base.topRightCorner<3, 1>() = -gravity;
  for (int i = 0; i < size(); ++i) {
    const Link& link = links_[i];
    T.push_back(Joint(link, q[i]));
    const Matrix4d T_inv = T[i].inverse().matrix();
    const bool root = link.parent == kBase;
    const Matrix4d V_parent =
        root ? Matrix4d::Zero()
             : Matrix4d(T_inv * V[link.parent] * T[i].matrix());
    const Matrix4d H_parent =
        T_inv * (root ? H_base : H[link.parent]) * T[i].matrix();
    V.push_back(V_parent + link.A * v[i]);
    H.push_back(H_parent + 2 * V_parent * link.A * v[i] +
                link.A * link.A * (v[i] * v[i]) + link.A * a[i]);
  }
  // Virtual work tr(Wᵀ δ) of the body's inertial forces, W = H Σ, in a
  // displacement δX = X δ; δ = T⁻¹ δ_λ T when only the parent moves.
  std::vector<Matrix34> W;
  W.reserve(links_.size());
  for (int i = 0; i < size(); ++i) {
    W.push_back((H[i] * links_[i].sigma).topRows<3>());
  }
  VectorXd tau(size());
  for (int i = size(); i-- > 0;) {
    const Link& link = links_[i];
    tau[i] =
        W[i].cwiseProduct(link.A.topRows<3>()).sum() + link.armature * a[i];
    if (link.parent == kBase) continue;
    W[link.parent] += T[i].linear() * W[i] * T[i].matrix().transpose();
  }
  return tau;
}

}  // namespace torqued
