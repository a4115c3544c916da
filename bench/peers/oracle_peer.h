// A library that the tests compare with, too.
#pragma once

#include "bench/peers/eigen.h"
#include "bench/peers/peer.h"

namespace torqued::bench {

template <class Robot>
class OraclePeer : public Peer {
 public:
  explicit OraclePeer(const PeerRequest& request)
      : robot_(request.urdf, request.tip, {0, 0, -9.81}),
        joint_names_(robot_.joint_names()) {}

  std::vector<std::string> joint_names() const override { return joint_names_; }

  bool Compute(Quantity quantity, const StateRow& state) override {
    quantity_ = quantity;
    state_ = state;
    return Ask([](Output, const auto&) {});
  }
  /// Computes it again, of the state that must still be there.
  void Copy(Output output, double* numbers) override {
    Ask([&](Output of, const auto& result) {
      if (of == output) CopyMatrix(result, numbers);
    });
  }

 private:
  /// Calls use(output, result) for each result.
  template <class Use>
  bool Ask(const Use& use) {
    const auto map = [&](const double* numbers) {
      return Eigen::Map<const Eigen::VectorXd>(
          numbers, static_cast<Eigen::Index>(joint_names_.size()));
    };
    const auto q = map(state_.q), v = map(state_.v);
    switch (quantity_) {
      case Quantity::kInverseDynamics:
        use(Output::kTau, robot_.InverseDynamics(q, v, map(state_.a)));
        return true;
      case Quantity::kBiasForces:
        use(Output::kBias, robot_.BiasForces(q, v));
        return true;
      case Quantity::kJacobian:
        use(Output::kJacobian, robot_.Jacobian(q));
        return true;
      default:
        break;
    }
    if constexpr (requires { robot_.MassMatrix(q); }) {
      switch (quantity_) {
        case Quantity::kMassMatrix:
          use(Output::kMassMatrix, robot_.MassMatrix(q));
          return true;
        case Quantity::kForwardDynamics:
          use(Output::kAcceleration,
              robot_.ForwardDynamics(q, v, map(state_.tau)));
          return true;
        case Quantity::kOperationalSpace: {
          const TaskSolver& task = robot_.OperationalSpace(q, v);
          use(Output::kJacobian, robot_.J());
          use(Output::kLambda, task.lambda);
          use(Output::kEta, task.eta);
          return true;
        }
        default:
          break;
      }
    }
    return false;
  }

  Robot robot_;
  std::vector<std::string> joint_names_;
  Quantity quantity_ = {};
  StateRow state_ = {};
};

}  // namespace torqued::bench
