#include "tests/core/lanes/reference.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "core/dynamics/pivot_rule.h"
#include "tests/support/textbook.h"

namespace torqued::testing_support {
namespace {

/// Wider than what is tested, so that errors are that one's.
using Wide = long double;
using DualWide = textbook::Dual<Wide>;
using Vector = textbook::VectorX<Wide>;
using Vector3 = textbook::Vector3<Wide>;
using Vector6 = textbook::Vector6<Wide>;
using Matrix = textbook::MatrixX<Wide>;
using Motion = textbook::Motion<Wide>;
using Pose = textbook::Pose<Wide>;
using textbook::Along;
using textbook::Configuration;
using textbook::Rates;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class ReferenceRows {
 public:
  /// `limit`: beyond it results are too large for their array.
  ReferenceRows(const EvaluationPlan& plan, std::int64_t rows, double limit)
      : plan_(plan),
        limit_(limit),
        options_(plan.options()),
        tree_(plan.model().tree()),
        n_(tree_.n),
        pivots_(tree_) {
    if (plan.tip_frame()) {
      tip_ = &plan.model()
                  .frames()[static_cast<std::size_t>(*plan.tip_frame())]
                  .placement;
    }
    const auto count = static_cast<std::size_t>(rows);
    result_.rank.resize(count);
    result_.sigma_min.resize(count, kNaN);
    result_.rule.resize(count, TaskRule::kUndefined);
    result_.doubts.resize(count);
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if (!plan.Produces(output)) continue;
      result_.tables[output].resize(
          count * static_cast<std::size_t>(plan.columns(output)), kNaN);
    }
  }

  void Evaluate(std::int64_t row) {
    row_ = row;
    issue_.reset();
    for (int k = 0; k < kInputCount; ++k) {
      if (!Load(static_cast<Input>(k))) {
        result_.issues.push_back(*issue_);
        return;
      }
    }
    q_ = Eigen::Map<const Eigen::VectorXd>(Of(Input::kQ), n_).cast<Wide>();
    at_.emplace(tree_, q_);
    mass_ = pivots_.At(Of(Input::kQ));
    M_ = textbook::MassMatrix(tree_, *at_);
    if (mass_.regular()) factors_.compute(M_);
    dM_.clear();
    if (tip_ != nullptr) {
      J_ =
          textbook::FrameJacobian(tree_, *at_, *tip_, options_.reference_frame);
    }
    for (int k = 0; k < kQuantityCount; ++k) {
      quantity_ = static_cast<Quantity>(k);
      if (options_.quantities.Has(quantity_)) EvaluateQuantity();
    }
    if (issue_) result_.issues.push_back(*issue_);
  }

  BatchResult& result() { return result_; }

 private:
  bool Is(Quantity quantity) const { return quantity_ == quantity; }
  bool IsOfTheTask() const { return (kTaskQuantities & Bit(quantity_)) != 0; }

  /// Null if it is absent or the quantity does not read it.
  const double* Of(Input input) const {
    const bool read =
        input == Input::kQ || (RowOf(quantity_).reads & Bit(input)) != 0;
    return read && plan_.inputs()[input].present()
               ? inputs_[static_cast<std::size_t>(input)].data()
               : nullptr;
  }

  void Report(RowIssue issue) {
    issue.row = row_;
    if (!issue_ || issue.code < issue_->code) issue_ = issue;
  }

  bool Load(Input input) {
    const InputArray& array = plan_.inputs()[input];
    if (!array.present()) return true;
    const std::vector<int>& places = plan_.input_permutation(input);
    std::vector<double>& values = inputs_[static_cast<std::size_t>(input)];
    values.resize(static_cast<std::size_t>(array.columns));
    const std::int64_t row = array.rows == 1 ? 0 : row_;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::int64_t at =
          row * array.columns + static_cast<std::int64_t>(k);
      const double value =
          array.type == NumberType::kF64
              ? static_cast<const double*>(array.data)[at]
              : static_cast<double>(static_cast<const float*>(array.data)[at]);
      if (!std::isfinite(value)) {
        RowIssue issue;
        issue.input = input;
        issue.column = static_cast<int>(k);
        issue.value = value;
        Report(issue);
        return false;
      }
      values[places.empty() ? k : static_cast<std::size_t>(places[k])] = value;
    }
    return true;
  }

  /// `values` in canonical order.
  void Store(Output output, const double* values) {
    if (QuantityOf(output) != quantity_) return;
    const LaneShape& shape = plan_.shape(output);
    double* to = result_.tables.at(output).data() + row_ * shape.columns;
    for (int k = 0; k < shape.columns; ++k) {
      to[k] = values[shape.permutation != nullptr ? shape.permutation[k] : k];
      if (!(std::abs(to[k]) < limit_)) {
        RowIssue issue;
        issue.code = RowCode::kNotFiniteResult;
        issue.output = output;
        Report(issue);
        std::fill_n(to, shape.columns, kNaN);
        return;
      }
    }
  }

  void ReportSingularMass() {
    RowIssue issue;
    issue.code = RowCode::kSingularMassMatrix;
    issue.column = mass_.joint;
    issue.value = mass_.pivot;
    int output = 0;
    while (QuantityOf(static_cast<Output>(output)) != quantity_) ++output;
    issue.output = static_cast<Output>(output);
    Report(issue);
  }

  /// Zeros if it is absent or the quantity does not read it.
  Vector Given(Input input) const {
    const double* const numbers = Of(input);
    if (numbers == nullptr) return Vector::Zero(n_);
    return Eigen::Map<const Eigen::VectorXd>(numbers, n_).cast<Wide>();
  }

  /// What acts on the robot, of what the quantity reads.
  void LoadSurroundings() {
    const auto six = [this](Input input) -> Eigen::Matrix<double, 6, 1> {
      const double* const x = Of(input);
      if (x == nullptr) return Eigen::Matrix<double, 6, 1>::Zero();
      return Eigen::Map<const Eigen::Matrix<double, 6, 1>>(x);
    };
    around_ = {};
    around_.viscous = options_.terms.viscous_friction;
    around_.coulomb = options_.terms.coulomb_friction;
    around_.smoothing = options_.terms.coulomb_smoothing;
    around_.base_twist = six(Input::kBaseTwist);
    around_.base_acceleration = six(Input::kBaseAcceleration);
    const double* const g = Of(Input::kGravity);
    around_.gravity = Eigen::Map<const Eigen::Vector3d>(
        g != nullptr ? g : options_.terms.gravity->data());
    if (const double* F = Of(Input::kTipWrench)) {
      around_.pushes.push_back(
          {{*tip_, options_.wrench_frame},
           -Eigen::Map<const textbook::Vector6<double>>(F)});
    }
    if (const double* W = Of(Input::kExternalWrenches)) {
      for (const WrenchPlace& place : plan_.wrench_places()) {
        around_.pushes.push_back(
            {place, Eigen::Map<const textbook::Vector6<double>>(W)});
        W += 6;
      }
    }
  }

  /// The quantity's q and v, and these accelerations.
  Motion With(const Vector& a) const { return {q_, Given(Input::kV), a}; }

  /// By M, which is regular.
  Vector ForwardDynamics() const {
    const Vector none = Vector::Zero(n_);
    return factors_.solve(Given(Input::kTau) -
                          textbook::Torques(tree_, around_, With(none)));
  }

  void Store(Output output, const Matrix& matrix) {
    std::vector<double> values;
    for (const Wide x : matrix.reshaped<Eigen::RowMajor>()) {
      values.push_back(static_cast<double>(x));
    }
    Store(output, values.data());
  }

  void StoreLower(Output output, const Matrix& matrix) {
    std::vector<double> packed;
    for (int i = 0; i < matrix.rows(); ++i) {
      for (int j = 0; j <= i; ++j) {
        packed.push_back(static_cast<double>(matrix(i, j)));
      }
    }
    Store(output, packed.data());
  }

  void EvaluateQuantity() {
    const bool solves = (kSolvesMassMatrix & Bit(quantity_)) != 0;
    if (solves && !mass_.regular()) ReportSingularMass();
    LoadSurroundings();
    if (IsOfTheTask()) return EvaluateTask();
    if (solves && !mass_.regular()) return;
    const Vector none = Vector::Zero(n_);
    const Motion motion = With(Given(Input::kA));
    switch (quantity_) {
      case Quantity::kInverseDynamics:
        return Store(Output::kTau, textbook::Torques(tree_, around_, motion));
      case Quantity::kMassMatrix:
        return StoreLower(Output::kMassMatrix, M_);
      case Quantity::kForwardDynamics:
        return Store(Output::kAcceleration, ForwardDynamics());
      case Quantity::kBiasForces:
        return Store(Output::kBias, textbook::Torques(tree_, around_, motion));
      case Quantity::kGravityForces:
      case Quantity::kCoriolisForces: {
        const bool coriolis = Is(Quantity::kCoriolisForces);
        around_.viscous = around_.coulomb = false;
        if (coriolis) around_.gravity.setZero();
        return Store(coriolis ? Output::kCoriolis : Output::kGravity,
                     textbook::Torques(tree_, around_, motion));
      }
      case Quantity::kFramePose: {
        const Pose T = at_->PlaceOf(*tip_);
        Matrix pose(3, 4);
        pose << T.R, T.p;
        return Store(Output::kPose, pose);
      }
      case Quantity::kJacobian:
        return Store(Output::kJacobian, J_);
      case Quantity::kJacobianRate:
        return Store(Output::kJacobianRate, JacobianRate());
      case Quantity::kJacobianDrift:
        return Store(Output::kJacobianDrift, Drift());
      case Quantity::kForwardFrameAcceleration:
        return Store(Output::kForwardFrameAcceleration,
                     Drift() + J_ * ForwardDynamics());
      case Quantity::kMassMatrixInverse:
        return Store(Output::kMassMatrixInverse, Inverse());
      case Quantity::kCoriolisMatrix:
      case Quantity::kMassMatrixRate:
      case Quantity::kChristoffelSymbols:
        return EvaluateChristoffel(motion.v);
      case Quantity::kEnergy:
      case Quantity::kPowerBalance:
        return EvaluatePower(motion);
      case Quantity::kCenterOfMass:
      case Quantity::kMomentum:
      case Quantity::kMomentumMatrix:
        return EvaluateMomentum(motion.v);
      case Quantity::kLinkTwists:
      case Quantity::kLinkAccelerations:
        return EvaluateLinks(motion);
      case Quantity::kFrameVelocity:
      case Quantity::kFrameAcceleration:
        return EvaluateFrame(motion);
      case Quantity::kJointWrenches:
      case Quantity::kBaseWrench:
        return EvaluateWrenches(motion);
      case Quantity::kRegressor:
        return EvaluateRegressor(motion);
      case Quantity::kInverseDynamicsDerivatives: {
        const auto [by_q, by_v] =
            textbook::TorqueDerivatives(tree_, around_, motion);
        Store(Output::kTauByQ, by_q);
        return Store(Output::kTauByV, by_v);
      }
      case Quantity::kForwardDynamicsDerivatives: {
        const auto [by_q, by_v] = textbook::TorqueDerivatives(
            tree_, around_, With(ForwardDynamics()));
        Store(Output::kAccelerationByQ, -factors_.solve(by_q));
        Store(Output::kAccelerationByV, -factors_.solve(by_v));
        return Store(Output::kAccelerationByTau, Inverse());
      }
      default:
        FAIL() << ToString(quantity_);
    }
  }

  Matrix Inverse() const { return factors_.solve(Matrix::Identity(n_, n_)); }

  void EvaluateChristoffel(const Vector& v) {
    if (dM_.empty()) dM_ = textbook::MassDerivatives(tree_, q_);
    const std::vector<Matrix>& dM = dM_;
    Matrix c(n_, n_ * n_), C = Matrix::Zero(n_, n_), rate = C;
    for (int i = 0; i < n_; ++i) {
      rate += dM[static_cast<std::size_t>(i)] * v[i];
      for (int j = 0; j < n_; ++j) {
        for (int k = 0; k < n_; ++k) {
          c(i, j * n_ + k) = (dM[k](i, j) + dM[j](i, k) - dM[i](j, k)) / 2;
          C(i, j) += c(i, j * n_ + k) * v[k];
        }
      }
    }
    Store(Output::kChristoffel, c);
    Store(Output::kCoriolisMatrix, C);
    Store(Output::kMassMatrixRate, rate);
  }

  /// Twists of the bodies, with their rates: components in base axes.
  std::vector<textbook::Vector6<DualWide>> Twists(
      const Configuration<DualWide>& at, const Motion& motion) const {
    return at.Twists(tree_, Along(motion.v, motion.a),
                     Along(around_.base_twist.cast<Wide>().eval(),
                           around_.base_acceleration.cast<Wide>().eval()));
  }

  void EvaluatePower(const Motion& motion) {
    const Configuration<DualWide> at(tree_, Along(motion.q, motion.v));
    const auto V = Twists(at, motion);
    const Vector tau = textbook::Torques(tree_, around_, motion);
    const Vector3 g = around_.gravity.cast<Wide>();
    DualWide K = 0;
    Wide P = 0, actuators = 0, viscous = 0, coulomb = 0, tip = 0, external = 0;
    Wide lowering = 0;
    for (int i = 0; i < n_; ++i) {
      const TreeBody& body = tree_.bodies[i];
      const Pose& X = at_->bodies[static_cast<std::size_t>(i)];
      const textbook::Vector6<DualWide> inside =
          at.bodies[static_cast<std::size_t>(i)].TwistInside(
              V[static_cast<std::size_t>(i)]);
      const auto G = textbook::InertiaOf<DualWide>(body.mass, body.h, body.I);
      const DualWide v(motion.v[i], motion.a[i]);
      K += (inside.dot(G * inside) + DualWide(body.armature) * v * v) *
           DualWide(0.5);
      const Vector3 h = Eigen::Map<const Eigen::Vector3d>(body.h).cast<Wide>();
      P -= g.dot(X.R * h + X.p * Wide(body.mass));
      // The momentum of the body, in base axes.
      const auto momentum = (G * inside).eval();
      for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
          lowering += g[k] * X.R(k, l) * momentum[3 + l].x;
        }
      }
      actuators += tau[i] * v.x;
      viscous -= textbook::ViscousFriction(body, around_, v.x) * v.x;
      coulomb -= textbook::CoulombFriction(body, around_, v.x) * v.x;
    }
    const bool has_tip = Of(Input::kTipWrench) != nullptr;
    for (std::size_t k = 0; k < around_.pushes.size(); ++k) {
      const textbook::Push& push = around_.pushes[k];
      if (push.place.frame.body == kBase) continue;
      const auto& moved = V[static_cast<std::size_t>(push.place.frame.body)];
      const auto W = textbook::WrenchOf(*at_, push);
      for (int l = 0; l < 6; ++l) {
        (k == 0 && has_tip ? tip : external) += W[l] * moved[l].x;
      }
    }
    const Wide base = BaseWrench(motion).dot(around_.base_twist.cast<Wide>());
    Store(Output::kKineticEnergy, Vector::Constant(1, K.x));
    Store(Output::kPotentialEnergy, Vector::Constant(1, P));
    Vector power(8);
    power << K.d, -lowering, actuators, viscous, coulomb, tip, external, base;
    Store(Output::kPowerBalance, power);
  }

  void EvaluateMomentum(const Vector& v) {
    const auto V =
        at_->Twists(tree_, v, around_.base_twist.cast<Wide>().eval());
    Wide mass = 0;
    Vector3 moment = Vector3::Zero();
    Vector6 sum = Vector6::Zero();
    std::vector<Vector6> columns(static_cast<std::size_t>(n_), Vector6::Zero());
    for (int i = 0; i < n_; ++i) {
      const TreeBody& body = tree_.bodies[i];
      const Pose& X = at_->bodies[static_cast<std::size_t>(i)];
      const auto G = textbook::InertiaOf<Wide>(body.mass, body.h, body.I);
      const auto of = [&](const Vector6& twist) -> Vector6 {
        return X.WrenchOutside(G * X.TwistInside(twist));
      };
      mass += Wide(body.mass);
      moment += X.R * Eigen::Map<const Eigen::Vector3d>(body.h).cast<Wide>() +
                X.p * Wide(body.mass);
      sum += of(V[static_cast<std::size_t>(i)]);
      for (int j = i; j != kBase; j = tree_.bodies[j].parent) {
        columns[static_cast<std::size_t>(j)] += of(at_->screws.col(j));
      }
    }
    const Vector3 com =
        mass > 0 ? Vector3(moment / mass) : Vector3(Vector3::Zero());
    const auto about_com = [&](Vector6 h) {
      const Vector3 f = h.tail<3>();
      h.head<3>() -= com.cross(f);
      return h;
    };
    Store(Output::kCenterOfMass, com);
    Store(Output::kCenterOfMassVelocity,
          mass > 0 ? Vector3(sum.tail<3>() / mass) : com);
    Store(Output::kMomentum, about_com(sum));
    Matrix A(6, n_);
    for (int j = 0; j < n_; ++j) {
      A.col(j) = about_com(columns[static_cast<std::size_t>(j)]);
    }
    Store(Output::kMomentumMatrix, A);
  }

  void EvaluateLinks(const Motion& motion) {
    const Configuration<DualWide> at(tree_, Along(motion.q, motion.v));
    const auto V = Twists(at, motion);
    Matrix twists(n_, 6), accelerations(n_, 6);
    for (int i = 0; i < n_; ++i) {
      const auto inside = at.bodies[static_cast<std::size_t>(i)].TwistInside(
          V[static_cast<std::size_t>(i)]);
      for (int k = 0; k < 6; ++k) {
        twists(i, k) = inside[k].x;
        accelerations(i, k) = inside[k].d;
      }
    }
    Store(Output::kLinkTwists, twists);
    Store(Output::kLinkAccelerations, accelerations);
  }

  /// The tip's twist and acceleration, in its own axes.
  std::pair<Vector6, Vector6> TipMotion(const Motion& motion) const {
    const Configuration<DualWide> at(tree_, Along(motion.q, motion.v));
    textbook::Vector6<DualWide> V =
        Along(around_.base_twist.cast<Wide>().eval(),
              around_.base_acceleration.cast<Wide>().eval());
    if (tip_->body != kBase) {
      V = Twists(at, motion)[static_cast<std::size_t>(tip_->body)];
    }
    const textbook::Vector6<DualWide> inside = at.PlaceOf(*tip_).TwistInside(V);
    return {inside.unaryExpr([](const DualWide& x) { return x.x; }),
            Rates(inside)};
  }

  /// A twist of the tip in its own axes, as the reference frame shows it.
  Vector6 Shown(const Vector6& inside) const {
    const Pose T = at_->PlaceOf(*tip_);
    return textbook::Shown<Wide>(T, options_.reference_frame,
                                 T.TwistOutside(inside));
  }

  static Vector6 Classical(const Vector6& V, Vector6 A) {
    const Vector3 w = V.head<3>(), v = V.tail<3>();
    A.tail<3>() += w.cross(v);
    return A;
  }

  void EvaluateFrame(const Motion& motion) {
    const auto [V, A] = TipMotion(motion);
    Store(Output::kFrameVelocity, Shown(V));
    Store(Output::kFrameAcceleration, Shown(A));
    const bool world = options_.reference_frame == ReferenceFrame::kWorld;
    Store(Output::kFrameAccelerationClassical,
          world ? Classical(Shown(V), Shown(A)) : Shown(Classical(V, A)));
  }

  Vector6 Drift() const {
    const auto [V, A] = TipMotion(With(Vector::Zero(n_)));
    const bool aligned =
        options_.reference_frame == ReferenceFrame::kLocalWorldAligned;
    return Shown(aligned ? Classical(V, A) : A);
  }

  Matrix JacobianRate() const {
    const Configuration<DualWide> at(tree_, Along(q_, Given(Input::kV)));
    return Rates(
        textbook::FrameJacobian(tree_, at, *tip_, options_.reference_frame));
  }

  Vector6 BaseWrench(const Motion& motion) const {
    const auto F =
        textbook::MovingTree<Wide>(tree_, around_, motion).JointWrenches();
    Vector6 sum = Vector6::Zero();
    for (int i = 0; i < n_; ++i) {
      if (tree_.bodies[i].parent == kBase) sum += F.col(i);
    }
    return sum;
  }

  void EvaluateWrenches(const Motion& motion) {
    const auto F =
        textbook::MovingTree<Wide>(tree_, around_, motion).JointWrenches();
    Matrix inside(n_, 6);
    for (int i = 0; i < n_; ++i) {
      // Of a pose's inverse.
      const Pose& X = at_->bodies[static_cast<std::size_t>(i)];
      const Pose inverse = {X.R.transpose(), -(X.R.transpose() * X.p)};
      inside.row(i) = inverse.WrenchOutside(F.col(i));
    }
    Store(Output::kJointWrenches, inside);
    Store(Output::kBaseWrench, BaseWrench(motion));
  }

  /// By bodies of which one has one parameter of 1, and the others none.
  void EvaluateRegressor(const Motion& motion) {
    const textbook::MovingTree<Wide> moving(tree_, around_, motion);
    Matrix Y = Matrix::Zero(n_, 10 * n_);
    for (int parameter = 0; parameter < 10; ++parameter) {
      double mass = 0, h[3] = {}, I[6] = {};
      // m, h, then xx xy yy xz yz zz; the tree has xx xy xz yy yz zz.
      constexpr int kPlaces[6] = {0, 1, 3, 2, 4, 5};
      if (parameter == 0) mass = 1;
      if (parameter > 0 && parameter < 4) h[parameter - 1] = 1;
      if (parameter >= 4) I[kPlaces[parameter - 4]] = 1;
      for (int i = 0; i < n_; ++i) {
        const Vector6 F =
            moving.NetWrench(i, textbook::InertiaOf<Wide>(mass, h, I));
        for (int j = i; j != kBase; j = tree_.bodies[j].parent) {
          Y(j, 10 * i + parameter) = at_->screws.col(j).dot(F);
        }
      }
    }
    Store(Output::kRegressor, Y);
  }

  void EvaluateTask() {
    const TaskOptions& task = options_.task;
    const int m = task.axis_count;
    int joints = 0;
    for (int i = tip_->body; i != kBase; i = tree_.bodies[i].parent) ++joints;
    const Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> narrow =
        J_.cast<double>();
    const TaskRank rank = RankOfTask(task, n_, joints, narrow.data());
    Matrix J(m, n_);
    Vector drift(m);
    const Vector6 whole_drift = Drift();
    for (int i = 0; i < m; ++i) {
      const int axis = task.axes[static_cast<std::size_t>(i)];
      J.row(i) = J_.row(axis);
      drift[i] = whole_drift[axis];
    }
    const bool regular = mass_.regular();
    const Vector none = Vector::Zero(n_);
    Matrix W = Matrix::Zero(m, m), M_inverse_J = Matrix::Zero(n_, m);
    Vector r = Vector::Zero(m);
    if (regular) {
      textbook::Surroundings alone = around_;
      alone.pushes.clear();
      M_inverse_J = factors_.solve(J.transpose());
      W = J * M_inverse_J;
      r = M_inverse_J.transpose() *
              textbook::Torques(tree_, alone, With(none)) -
          drift;
    }
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>
        W_narrow = W.cast<double>();
    const Eigen::VectorXd r_narrow = r.cast<double>();
    double lambda[36], eta[6];
    const TaskDiagnostics diagnostics =
        SolveTask(task, rank, regular ? W_narrow.data() : nullptr,
                  r_narrow.data(), lambda, eta);
    if (Is(Quantity::kOperationalSpace)) {
      const auto row = static_cast<std::size_t>(row_);
      result_.rank[row] = static_cast<std::uint32_t>(diagnostics.rank);
      result_.sigma_min[row] = diagnostics.sigma_min;
      result_.rule[row] = diagnostics.rule;
    }
    if (!regular) return;
    if (diagnostics.rule != TaskRule::kFullRank) {
      RowIssue issue;
      issue.code = RowCode::kSingularTaskSpace;
      issue.output = Is(Quantity::kOperationalSpace) ? Output::kLambda
                     : Is(Quantity::kTaskProjection) ? Output::kMobility
                                                     : Output::kTaskTorque;
      issue.value = diagnostics.sigma_min;
      issue.rank = diagnostics.rank;
      Report(issue);
    }
    const Matrix L =
        Eigen::Map<const Eigen::MatrixXd>(lambda, m, m).cast<Wide>();
    const Matrix J_bar = M_inverse_J * L;
    if (Is(Quantity::kOperationalSpace)) {
      StoreLower(Output::kLambda, L);
      Store(Output::kEta, eta);
    } else if (Is(Quantity::kTaskProjection)) {
      StoreLower(Output::kMobility, W);
      Store(Output::kConsistentInverse, J_bar);
      Store(Output::kNullSpaceProjector,
            Matrix(Matrix::Identity(n_, n_) - J_bar * J));
    } else {
      const double* const wanted = Of(Input::kTaskAcceleration);
      Vector force = -drift;
      if (wanted != nullptr) {
        force += Eigen::Map<const Eigen::VectorXd>(wanted, m).cast<Wide>();
      }
      const Vector tau_0 = Given(Input::kNullSpaceTorque);
      force += M_inverse_J.transpose() *
               (textbook::Torques(tree_, around_, With(none)) - tau_0);
      Store(Output::kTaskTorque, Matrix(tau_0 + J.transpose() * (L * force)));
    }
  }

  const EvaluationPlan& plan_;
  const double limit_;
  const EvaluationOptions& options_;
  const Tree tree_;
  const int n_;
  PivotRule pivots_;
  std::array<std::vector<double>, kInputCount> inputs_;
  const BodyFrame* tip_ = nullptr;
  BatchResult result_;
  // Of the row and the quantity under way.
  std::int64_t row_ = 0;
  Quantity quantity_ = Quantity::kInverseDynamics;
  std::optional<RowIssue> issue_;
  PivotVerdict mass_;
  Vector q_;
  std::optional<Configuration<Wide>> at_;
  Matrix M_, J_;            // J of the tip, all six rows
  std::vector<Matrix> dM_;  // once there is need
  Eigen::LDLT<Matrix> factors_;
  textbook::Surroundings around_;
};

}  // namespace

BatchResult Reference(const BatchCase& batch) {
  auto created =
      EvaluationPlan::Create(batch.model, batch.options, batch.Inputs());
  if (const auto* error = std::get_if<ArgumentError>(&created)) {
    ADD_FAILURE() << error->field << ": " << error->message;
    return {};
  }
  constexpr double kSingleLimit = 3.4028235677973366e38;
  ReferenceRows reference(std::get<EvaluationPlan>(created), batch.rows,
                          batch.output_type == NumberType::kF32
                              ? kSingleLimit
                              : std::numeric_limits<double>::infinity());
  for (std::int64_t row = 0; row < batch.rows; ++row) reference.Evaluate(row);
  return std::move(reference.result());
}

}  // namespace torqued::testing_support
