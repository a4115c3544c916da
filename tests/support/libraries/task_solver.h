// Λ and η from what a library knows, for those that leave this to their users.
// A header, so that every module compiles it with its own options.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace torqued::oracles {

using TaskVector = Eigen::Matrix<double, 6, 1>;
using TaskMatrix = Eigen::Matrix<double, 6, 6>;

/// In memory that is made once.
struct TaskSolver {
  explicit TaskSolver(int n) : cholesky(n), Y(n, 6), y(n) {}

  /// Λ = (J M⁻¹ Jᵀ)⁻¹ and η = Λ (J M⁻¹ h − J̇ v), by M = L Lᵀ, Y = L⁻¹ Jᵀ and
  /// y = L⁻¹ h. Reads the lower half of M.
  template <class Jacobian>
  void Solve(const Eigen::MatrixXd& M, const Eigen::VectorXd& h,
             const Jacobian& J, const TaskVector& drift) {
    cholesky.compute(M);
    Y = J.transpose();
    cholesky.matrixL().solveInPlace(Y);
    y = h;
    cholesky.matrixL().solveInPlace(y);
    Finish(Y.transpose() * Y, Y.transpose() * y - drift);
  }
  /// From W = J M⁻¹ Jᵀ and r = J M⁻¹ h − J̇ v.
  template <class Mobility>
  void Finish(const Mobility& mobility, const TaskVector& bias) {
    W.noalias() = mobility;
    r = bias;
    lambda = W.llt().solve(TaskMatrix::Identity());
    eta.noalias() = lambda * r;
  }

  Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> cholesky;
  Eigen::Matrix<double, Eigen::Dynamic, 6> Y;
  Eigen::VectorXd y;
  TaskMatrix W, lambda;
  TaskVector r, eta;
};

}  // namespace torqued::oracles
