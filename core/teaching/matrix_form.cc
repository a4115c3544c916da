#include "core/teaching/matrix_form.h"

#include <Eigen/Geometry>

#include "core/tree/tree.h"

namespace torqued {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// B(P) with B(P) V = −ad_Vᵀ P: −[[[m], [f]], [[f], 0]].
Matrix6d MomentumMatrix(const Vector6d& P) {
  const Matrix3d f = Skew(P.tail<3>());
  Matrix6d B;
  B << Skew(P.head<3>()), f, f, Matrix3d::Zero();
  return -B;
}

Vector6d ScrewOf(const TreeBody& body) {
  const Eigen::Map<const Vector3d> axis(body.axis);
  Vector6d screw = Vector6d::Zero();
  screw.segment<3>(body.motion == JointMotion::kRevolute ? 0 : 3) = axis;
  return screw;
}

/// G_i = [[I, [h]], [[h]ᵀ, m 1]].
Matrix6d InertiaOf(const TreeBody& body) {
  const double* const I = body.I;
  const Matrix3d h = Skew(Eigen::Map<const Vector3d>(body.h));
  Matrix3d about_origin;
  about_origin << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  Matrix6d G;
  G << about_origin, h, h.transpose(), body.mass * Matrix3d::Identity();
  return G;
}

/// T_{λ(i),i}(q) = M_i exp([A_i] q_i).
Eigen::Isometry3d PlacementOf(const TreeBody& body, double q) {
  using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const Vector3d axis = Eigen::Map<const Vector3d>(body.axis);
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = Eigen::Map<const RowMajor3d>(body.R);
  T.translation() = Eigen::Map<const Vector3d>(body.p);
  if (body.motion == JointMotion::kRevolute) {
    return T * Eigen::AngleAxisd(q, axis);
  }
  return T * Eigen::Translation3d(q * axis);
}

}  // namespace

MatrixForm::MatrixForm(const Model& model, Vector q, Vector v,
                       const Vector6d& base_twist)
    : v_(v) {
  const Tree tree = model.tree();
  const int n = tree.n;
  A_ = MatrixXd::Zero(6 * n, n);
  G_ = Gamma_ = D_ = MatrixXd::Zero(6 * n, 6 * n);
  from_base_ = MatrixXd::Zero(6 * n, 6);
  armature_.resize(n);
  for (int i = 0; i < n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const Vector6d screw = ScrewOf(body);
    const Matrix6d inherit =
        Adjoint(PlacementOf(body, q[i]).inverse().matrix());
    A_.block<6, 1>(6 * i, i) = screw;
    G_.block<6, 6>(6 * i, 6 * i) = InertiaOf(body);
    D_.block<6, 6>(6 * i, 6 * i) = LieBracketMatrix(screw * v[i]);
    armature_[i] = body.armature;
    if (body.parent == kBase) {
      from_base_.middleRows<6>(6 * i) = inherit;
    } else {
      Gamma_.block<6, 6>(6 * i, 6 * body.parent) = inherit;
    }
  }
  // 1 + Γ (1 + Γ (1 + …)); the series ends with the deepest branch.
  const MatrixXd one = MatrixXd::Identity(6 * n, 6 * n);
  L_ = one;
  for (int k = 1; k < n; ++k) L_ = one + Gamma_ * L_;
  V_base_ = from_base_ * base_twist;
  V_ = L_ * (A_ * v_ + V_base_);
}

MatrixXd MatrixForm::BlockAd(Vector twists) {
  MatrixXd ad = MatrixXd::Zero(twists.size(), twists.size());
  for (Eigen::Index i = 0; i < twists.size(); i += 6) {
    ad.block<6, 6>(i, i) = LieBracketMatrix(twists.segment<6>(i));
  }
  return ad;
}

MatrixXd MatrixForm::MassMatrix() const {
  const MatrixXd LA = L_ * A_;
  MatrixXd M = LA.transpose() * G_ * LA;
  M.diagonal() += armature_;
  return M;
}

MatrixXd MatrixForm::CoriolisMatrix() const {
  const MatrixXd LA = L_ * A_;
  const VectorXd V = LA * v_, momenta = G_ * V;
  const MatrixXd ad_V = BlockAd(V);
  MatrixXd twice_Q = G_ * ad_V - ad_V.transpose() * G_;
  for (Eigen::Index i = 0; i < V.size(); i += 6) {
    twice_Q.block<6, 6>(i, i) += MomentumMatrix(momenta.segment<6>(i));
  }
  return LA.transpose() * (0.5 * twice_Q - G_ * L_ * D_ * Gamma_) * LA;
}

VectorXd MatrixForm::CoriolisForces() const {
  const MatrixXd LA = L_ * A_;
  const VectorXd V = LA * v_;
  return -LA.transpose() *
         ((G_ * L_ * D_ * Gamma_ + BlockAd(V).transpose() * G_) * V);
}

VectorXd MatrixForm::GravityForces(const Vector3d& gravity) const {
  Vector6d upwards = Vector6d::Zero();
  upwards.tail<3>() = -gravity;
  return (L_ * A_).transpose() * (G_ * (L_ * (from_base_ * upwards)));
}

VectorXd MatrixForm::InverseDynamics(Vector a, const Vector3d& gravity,
                                     const Vector6d& base_acceleration,
                                     Vector wrenches) const {
  Vector6d lifted = base_acceleration;
  lifted.tail<3>() -= gravity;
  const VectorXd rates =
      L_ * (A_ * a - D_ * (Gamma_ * V_ + V_base_) + from_base_ * lifted);
  VectorXd F = G_ * rates - BlockAd(V_).transpose() * (G_ * V_);
  if (wrenches.size() > 0) F -= wrenches;
  return A_.transpose() * (L_.transpose() * F) + armature_.cwiseProduct(a);
}

}  // namespace torqued
