// Λ and η from what a library knows, for the libraries that leave this to their
// users: with Eigen, in memory that is made once. A header, so that every
// module compiles it with its own options.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace torqued::bench {

using TaskJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using TaskVector = Eigen::Matrix<double, 6, 1>;
using TaskMatrix = Eigen::Matrix<double, 6, 6>;

/// Reads the lower half of M, or the upper one: Eigen::Lower or Eigen::Upper.
template <int kHalf>
class TaskSolver {
 public:
  explicit TaskSolver(int n) : cholesky_(n), Y_(n, 6), y_(n) {}

  /// Λ = (J M⁻¹ Jᵀ)⁻¹ and η = Λ (J M⁻¹ h − J̇ v), by M = L Lᵀ, Y = L⁻¹ Jᵀ and
  /// y = L⁻¹ h.
  void Solve(const Eigen::MatrixXd& M, const Eigen::VectorXd& h,
             const Eigen::Ref<const TaskJacobian>& J, const TaskVector& drift) {
    cholesky_.compute(M);
    Y_ = J.transpose();
    cholesky_.matrixL().solveInPlace(Y_);
    y_ = h;
    cholesky_.matrixL().solveInPlace(y_);
    W_.noalias() = Y_.transpose() * Y_;
    r_.noalias() = Y_.transpose() * y_;
    lambda_ = W_.llt().solve(TaskMatrix::Identity());
    eta_.noalias() = lambda_ * (r_ - drift);
  }

  const TaskMatrix& lambda() const { return lambda_; }
  const TaskVector& eta() const { return eta_; }

 private:
  Eigen::LLT<Eigen::MatrixXd, kHalf> cholesky_;
  Eigen::Matrix<double, Eigen::Dynamic, 6> Y_;
  Eigen::VectorXd y_;
  TaskMatrix W_, lambda_;
  TaskVector r_, eta_;
};

}  // namespace torqued::bench
