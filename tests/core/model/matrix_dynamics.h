// Rigid-body dynamics with 4 x 4 matrices: slow, and short enough to be checked
// by eye. For trees and for lowered trees.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "core/model/lowered_tree.h"

namespace torqued {

/// Poses X_i = X_λ T_i(q_i) with T_i(q) = T_i(0) exp([A_i] q), and
/// pseudo-inertias Σ_i = [[S, h], [hᵀ, m]] in {i}, S = ∫ρ x xᵀ.
class MatrixDynamics {
 public:
  explicit MatrixDynamics(const Tree& tree);
  /// Reads no number that the layout says is zero, and the turn by its kind.
  explicit MatrixDynamics(const LoweredTreeOf<double>& tree);

  int size() const { return static_cast<int>(links_.size()); }

  /// X_i = T_{0,i}(q).
  std::vector<Eigen::Isometry3d> Poses(const Eigen::VectorXd& q) const;
  /// ½ Σ tr(Ẋ_i Σ_i Ẋ_iᵀ), without armature.
  double KineticEnergy(const Eigen::VectorXd& q,
                       const Eigen::VectorXd& v) const;
  /// −Σ gᵀ (X_i Σ_i e_4).
  double PotentialEnergy(const Eigen::VectorXd& q,
                         const Eigen::Vector3d& gravity) const;
  /// τ without friction; armature is part of it.
  Eigen::VectorXd InverseDynamics(const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& a,
                                  const Eigen::Vector3d& gravity) const;

 private:
  struct Link {
    int parent;
    Eigen::Isometry3d home;  // T_i(0)
    bool revolute;
    Eigen::Matrix4d A;  // [A_i]
    Eigen::Matrix4d sigma;
    double armature;
  };

  // T_i(q).
  static Eigen::Isometry3d Joint(const Link& link, double q);

  std::vector<Link> links_;
};

}  // namespace torqued
