// The equation of motion in stacked matrices (Lynch & Park 2017, section 8.4),
// to read, to teach and to test with: O(n³) and with memory of its own. The
// recursions of core/dynamics are fast.
#pragma once

#include <Eigen/Core>

#include "core/math/screws.h"
#include "core/model/model.h"

namespace torqued {

/// A robot of n bodies at a state (q, q̇). With twists, accelerations and
/// wrenches of all bodies stacked, each in {i}, (angular; linear):
///   𝒱 = L (A q̇ + 𝒱_base)
///   𝒱̇ = L (A q̈ − D (Γ 𝒱 + 𝒱_base) + 𝒱̇_base)
///   ℱ = Lᵀ (G 𝒱̇ − ad_𝒱ᵀ G 𝒱 − 𝒲)
///   τ = Aᵀ ℱ + armature q̈
/// 𝒱_base and 𝒱̇_base have Ad_{T_i0} V_0 and Ad_{T_i0} (V̇_0 + (0; −g)) at the
/// roots. Friction is not part of it.
class MatrixForm {
 public:
  using Vector = const Eigen::Ref<const Eigen::VectorXd>&;

  /// Twist V_0 of the base in base axes.
  MatrixForm(const Model& model, Vector q, Vector v,
             const Vector6d& base_twist = Vector6d::Zero());

  /// blkdiag(A_i), 6n x n: the joint screws.
  const Eigen::MatrixXd& A() const { return A_; }
  /// blkdiag(G_i), 6n x 6n: the spatial inertias.
  const Eigen::MatrixXd& G() const { return G_; }
  /// 6n x 6n: block (i, λ(i)) is Ad_{T_i,λ(i)}, so that Γ 𝒱 stacks what the
  /// bodies inherit. Nilpotent: Γⁿ = 0.
  const Eigen::MatrixXd& Gamma() const { return Gamma_; }
  /// (1 − Γ)⁻¹ = 1 + Γ + … + Γⁿ⁻¹: block (i, j) is Ad_{T_ij} where j carries i.
  const Eigen::MatrixXd& L() const { return L_; }
  /// blkdiag(ad_{A_i q̇_i}).
  const Eigen::MatrixXd& D() const { return D_; }
  /// 𝒱_base and 𝒱, 6n each.
  const Eigen::VectorXd& BaseTwists() const { return V_base_; }
  const Eigen::VectorXd& Twists() const { return V_; }
  /// blkdiag(ad_{V_i}) of stacked twists.
  static Eigen::MatrixXd BlockAd(Vector twists);

  /// M = Aᵀ Lᵀ G L A + diag(armature).
  Eigen::MatrixXd MassMatrix() const;
  /// C = Aᵀ Lᵀ (−G L D Γ + ½ (G ad_𝒱 − ad_𝒱ᵀ G + B(G 𝒱))) L A, that of the
  /// Christoffel symbols, with 𝒱 = L A q̇ as on a base at rest.
  Eigen::MatrixXd CoriolisMatrix() const;
  /// c = −Aᵀ Lᵀ (G L D Γ + ad_𝒱ᵀ G) L A q̇, with 𝒱 = L A q̇ as well.
  Eigen::VectorXd CoriolisForces() const;
  /// g(q) = Aᵀ Lᵀ G L 𝒱̇_base, V̇_0 = 0.
  Eigen::VectorXd GravityForces(const Eigen::Vector3d& gravity) const;
  /// τ by 𝒱̇ and ℱ as above. Gravity and the base's V̇_0 (true, without gravity)
  /// in base axes; `wrenches` is 𝒲 (6n, acting on the bodies, each in {i}), or
  /// empty.
  Eigen::VectorXd InverseDynamics(
      Vector a, const Eigen::Vector3d& gravity,
      const Vector6d& base_acceleration = Vector6d::Zero(),
      Vector wrenches = Eigen::VectorXd()) const;

 private:
  Eigen::MatrixXd A_, G_, Gamma_, L_, D_;
  /// Block i is Ad_{T_i0} for a root, else zero; 6n x 6.
  Eigen::MatrixXd from_base_;
  Eigen::VectorXd v_, V_base_, V_, armature_;
};

}  // namespace torqued
