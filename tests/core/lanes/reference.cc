#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/dynamics/pivot_check.h"
#include "core/model/assembly.h"
#include "tests/core/lanes/batch_case.h"
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
using DualVector6 = textbook::Vector6<DualWide>;
using textbook::Along;
using textbook::Configuration;
using textbook::Rates;
using enum Output;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class Duals>
auto Values(const Duals& numbers) {
  return numbers.unaryExpr([](const DualWide& x) { return x.x; }).eval();
}

Vector6 Classical(const Vector6& V, Vector6 A) {
  A.tail<3>() += Vector3(V.head<3>()).cross(Vector3(V.tail<3>()));
  return A;
}

/// Bodies and their twists, with rates: components in base axes.
struct Moving {
  Configuration<DualWide> at;
  DualVector6 base;
  std::vector<DualVector6> twists;

  Moving(const Tree& tree, const textbook::Surroundings& around,
         const Motion& motion)
      : at(tree, Along(motion.q, motion.v)),
        base(Along(around.base_twist.cast<Wide>().eval(),
                   around.base_acceleration.cast<Wide>().eval())),
        twists(at.Twists(tree, Along(motion.v, motion.a), base)) {}

  /// A body's twist in its own axes.
  DualVector6 Inside(int body) const {
    return at.bodies[body].TwistInside(twists[body]);
  }
};

class ReferenceRows {
 public:
  explicit ReferenceRows(const BatchCase& batch)
      : plan_(batch.Plan()),
        limit_(batch.output_type == NumberType::kF32
                   ? 3.4028235677973366e38
                   : std::numeric_limits<double>::infinity()),
        options_(plan_.options()),
        tree_(plan_.model().tree()),
        n_(tree_.n),
        pivots_(tree_) {
    if (plan_.tip_frame()) {
      tip_ = FrameOnBody(plan_.model().frames()[*plan_.tip_frame()]);
    }
    result_.MakeRoom(plan_, kNaN);
    result_.sigma_min.resize(batch.rows, kNaN);
    result_.rule.assign(batch.rows, TaskRule::kUndefined);
  }

  BatchResult Evaluate() {
    for (; row_ < plan_.rows(); ++row_) {
      issue_.reset();
      EvaluateRow();
      if (issue_) result_.issues.push_back(*issue_);
    }
    return std::move(result_);
  }

 private:
  void EvaluateRow() {
    for (int k = 0; k < kInputCount; ++k) {
      if (!Load(static_cast<Input>(k))) return;
    }
    const Eigen::VectorXd& q = inputs_[0];
    q_ = q.cast<Wide>();
    at_.emplace(tree_, q_);
    mass_ = pivots_.At(q.data());
    M_ = textbook::MassMatrix(tree_, *at_);
    if (mass_.regular()) factors_.compute(M_);
    dM_.clear();
    if (tip_) {
      J_ =
          textbook::FrameJacobian(tree_, *at_, *tip_, options_.reference_frame);
    }
    for (int k = 0; k < kQuantityCount; ++k) {
      quantity_ = static_cast<Quantity>(k);
      if (options_.quantities.Has(quantity_)) EvaluateQuantity();
    }
  }

  void Report(RowIssue issue) {
    issue.row = row_;
    if (!issue_ || issue.code < issue_->code) issue_ = issue;
  }

  bool Load(Input input) {
    const InputArray& array = plan_.inputs()[input];
    Eigen::VectorXd& values = inputs_[static_cast<int>(input)];
    values.setZero(plan_.checked().ColumnsOf(input));
    if (!array.present()) return true;
    const std::vector<int>& places = plan_.checked().Permutation(input);
    const auto* numbers = static_cast<const double*>(array.data) +
                          (array.rows == 1 ? 0 : row_ * array.columns);
    for (int k = 0; k < array.columns; ++k) {
      if (!std::isfinite(numbers[k])) {
        Report({.input = input, .column = k, .value = numbers[k]});
        return false;
      }
      values[places.empty() ? k : places[k]] = numbers[k];
    }
    return true;
  }

  bool Reads(Input input) const {
    return (RowOf(quantity_).reads & Bit(input)) != 0;
  }

  /// Zeros if it is absent or the quantity does not read it.
  Eigen::VectorXd Given(Input input) const {
    const Eigen::VectorXd& numbers = inputs_[static_cast<int>(input)];
    return Reads(input) ? numbers : Eigen::VectorXd::Zero(numbers.size());
  }
  Vector WideOf(Input input) const { return Given(input).cast<Wide>(); }

  bool Wants(Output output) const { return QuantityOf(output) == quantity_; }

  /// If the quantity wants it; of a symmetric matrix the lower half.
  void Store(Output output, const Matrix& matrix) {
    if (!Wants(output)) return;
    const bool lower =
        output == kMassMatrix || output == kLambda || output == kMobility;
    std::vector<double> values;
    for (int i = 0; i < matrix.rows(); ++i) {
      for (int j = 0; j < (lower ? i + 1 : matrix.cols()); ++j) {
        values.push_back(static_cast<double>(matrix(i, j)));
      }
    }
    const KernelShape& shape =
        plan_.checked().setup.shapes[static_cast<std::size_t>(output)];
    double* to = result_.tables.at(output).data() + row_ * shape.columns;
    for (int k = 0; k < shape.columns; ++k) {
      to[k] = values[shape.permutation != nullptr ? shape.permutation[k] : k];
      if (std::abs(to[k]) < limit_) continue;
      Report({.code = RowCode::kNotFiniteResult, .output = output});
      std::fill_n(to, shape.columns, kNaN);
      return;
    }
  }

  Output FirstOutput() const {
    return static_cast<Output>(std::countr_zero(RowOf(quantity_).outputs));
  }

  /// What acts on the robot, of what the quantity reads. The first push is that
  /// at the tip, if there is one.
  void LoadSurroundings() {
    around_ = {};
    around_.viscous = options_.terms.viscous_friction;
    around_.coulomb = options_.terms.coulomb_friction;
    around_.smoothing = options_.terms.coulomb_smoothing;
    around_.base_twist = Given(Input::kBaseTwist);
    around_.base_acceleration = Given(Input::kBaseAcceleration);
    around_.gravity =
        Eigen::Map<const Eigen::Vector3d>(options_.terms.gravity->data());
    if (Reads(Input::kGravity) && plan_.inputs()[Input::kGravity].present()) {
      around_.gravity = Given(Input::kGravity);
    }
    if (tip_) {
      around_.pushes.push_back(
          {{*tip_, options_.wrench_frame}, -Given(Input::kTipWrench)});
    }
    const Eigen::VectorXd W = Given(Input::kExternalWrenches);
    for (Eigen::Index k = 0; k < W.size(); k += 6) {
      const auto& [frame, reference] = options_.external_wrenches[k / 6];
      const Model& model = plan_.model();
      around_.pushes.push_back(
          {{FrameOnBody(model.frames()[*model.FindFrame(frame)]), reference},
           W.segment<6>(k)});
    }
  }

  Vector Torques(const Motion& motion) const {
    return textbook::Torques(tree_, around_, motion);
  }
  Matrix JointWrenches(const Motion& motion) const {
    return textbook::MovingTree<Wide>(tree_, around_, motion).JointWrenches();
  }

  /// The quantity's q and v, and these accelerations.
  Motion With(const Vector& a) const { return {q_, WideOf(Input::kV), a}; }
  Motion WithoutAcceleration() const { return With(Vector::Zero(n_)); }

  /// By M, which is regular.
  Vector ForwardDynamics() const {
    return factors_.solve(WideOf(Input::kTau) - Torques(WithoutAcceleration()));
  }
  Matrix Inverse() const { return factors_.solve(Matrix::Identity(n_, n_)); }

  void EvaluateQuantity() {
    const bool solves = (kSolvesMassMatrix & Bit(quantity_)) != 0;
    if (solves && !mass_.regular()) {
      Report({.code = RowCode::kSingularMassMatrix,
              .output = FirstOutput(),
              .column = mass_.joint});
    }
    LoadSurroundings();
    if ((kTaskQuantities & Bit(quantity_)) != 0) return EvaluateTask();
    if (solves && !mass_.regular()) return;
    const Motion motion = With(WideOf(Input::kA));
    if (Wants(kGravity) || Wants(kCoriolis)) {
      around_.viscous = around_.coulomb = false;
    }
    if (Wants(kCoriolis)) around_.gravity.setZero();
    for (const Output output : {kTau, kBias, kGravity, kCoriolis}) {
      if (Wants(output)) Store(output, Torques(motion));
    }
    Store(kMassMatrix, M_);
    if (solves) Store(kMassMatrixInverse, Inverse());
    if (solves) Store(kAcceleration, ForwardDynamics());
    if (Wants(kTauByQ) || Wants(kAccelerationByQ)) EvaluateDerivatives(motion);
    if (Wants(kCoriolisMatrix) || Wants(kMassMatrixRate) ||
        Wants(kChristoffel)) {
      EvaluateChristoffel(motion.v);
    }
    if (Wants(kKineticEnergy) || Wants(kPowerBalance)) EvaluatePower(motion);
    if (Wants(kCenterOfMass) || Wants(kMomentum) || Wants(kMomentumMatrix)) {
      EvaluateMomentum(motion.v);
    }
    if (Wants(kRegressor)) EvaluateRegressor(motion);
    if (Wants(kLinkTwists) || Wants(kLinkAccelerations) ||
        Wants(kJointWrenches) || Wants(kBaseWrench)) {
      EvaluateBodies(motion);
    }
    if ((kTipQuantities & Bit(quantity_)) != 0) EvaluateFrame(motion);
  }

  void EvaluateDerivatives(Motion motion) {
    const bool forward = quantity_ == Quantity::kForwardDynamicsDerivatives;
    if (forward) motion.a = ForwardDynamics();
    const auto [dtau_dq, dtau_dv] =
        textbook::TorqueDerivatives(tree_, around_, motion);
    Store(kTauByQ, dtau_dq);
    Store(kTauByV, dtau_dv);
    if (!forward) return;
    Store(kAccelerationByQ, -factors_.solve(dtau_dq));
    Store(kAccelerationByV, -factors_.solve(dtau_dv));
    Store(kAccelerationByTau, Inverse());
  }

  void EvaluateChristoffel(const Vector& v) {
    if (dM_.empty()) dM_ = textbook::MassDerivatives(tree_, q_);
    Matrix c(n_, n_ * n_), C = Matrix::Zero(n_, n_), rate = C;
    for (int i = 0; i < n_; ++i) {
      rate += dM_[i] * v[i];
      for (int j = 0; j < n_; ++j) {
        for (int k = 0; k < n_; ++k) {
          c(i, j * n_ + k) = (dM_[k](i, j) + dM_[j](i, k) - dM_[i](j, k)) / 2;
          C(i, j) += c(i, j * n_ + k) * v[k];
        }
      }
    }
    Store(kChristoffel, c);
    Store(kCoriolisMatrix, C);
    Store(kMassMatrixRate, rate);
  }

  void EvaluatePower(const Motion& motion) {
    const Moving moving(tree_, around_, motion);
    const Vector3 g = around_.gravity.cast<Wide>();
    DualWide K = 0;
    Wide lowering = 0, viscous = 0, coulomb = 0, tip = 0, external = 0;
    for (int i = 0; i < n_; ++i) {
      const TreeBody& body = tree_.bodies[i];
      const DualVector6 inside = moving.Inside(i);
      const DualVector6 momentum =
          textbook::InertiaOf<DualWide>(body.mass, body.h, body.I) * inside;
      const DualWide v(motion.v[i], motion.a[i]);
      K += (inside.dot(momentum) + DualWide(body.armature) * v * v) *
           DualWide(0.5);
      lowering += g.dot(at_->bodies[i].R * Values(momentum).tail<3>());
      viscous -= textbook::ViscousFriction(body, around_, v.x) * v.x;
      coulomb -= textbook::CoulombFriction(body, around_, v.x) * v.x;
    }
    for (const textbook::Push& push : around_.pushes) {
      if (push.place.frame.body == kBase) continue;
      const bool of_tip = tip_ && &push == &around_.pushes[0];
      (of_tip ? tip : external) +=
          textbook::WrenchOf(*at_, push)
              .dot(Values(moving.twists[push.place.frame.body]));
    }
    Store(kKineticEnergy, Vector::Constant(1, K.x));
    Store(kPotentialEnergy, Vector::Constant(1, -g.dot(MomentOfMass())));
    Vector power(8);
    power << K.d, -lowering, Torques(motion).dot(motion.v), viscous, coulomb,
        tip, external,
        BaseWrench(JointWrenches(motion)).dot(Values(moving.base));
    Store(kPowerBalance, power);
  }

  /// Σ m c, in base axes.
  Vector3 MomentOfMass() const {
    Vector3 moment = Vector3::Zero();
    for (int i = 0; i < n_; ++i) {
      const TreeBody& body = tree_.bodies[i];
      const Eigen::Map<const Eigen::Vector3d> h(body.h);
      moment += at_->bodies[i].R * h.cast<Wide>() +
                at_->bodies[i].p * Wide(body.mass);
    }
    return moment;
  }

  void EvaluateMomentum(const Vector& v) {
    Wide mass = 0;
    for (int i = 0; i < n_; ++i) mass += Wide(tree_.bodies[i].mass);
    const Wide share = mass > 0 ? 1 / mass : 0;
    const Pose from_com = {textbook::Matrix3<Wide>::Identity(),
                           -MomentOfMass() * share};
    const auto momentum = [&](const Vector& rates, const Vector6& base) {
      const auto V = at_->Twists(tree_, rates, base);
      Vector6 sum = Vector6::Zero();
      for (int i = 0; i < n_; ++i) {
        const TreeBody& body = tree_.bodies[i];
        const Pose& X = at_->bodies[i];
        sum += X.WrenchOutside(
            textbook::InertiaOf<Wide>(body.mass, body.h, body.I) *
            X.TwistInside(V[i]));
      }
      return from_com.WrenchOutside(sum);
    };
    const Vector6 sum = momentum(v, around_.base_twist.cast<Wide>());
    Store(kCenterOfMass, -from_com.p);
    Store(kCenterOfMassVelocity, sum.tail<3>() * share);
    Store(kMomentum, sum);
    Matrix A(6, n_);
    for (int j = 0; j < n_; ++j) {
      A.col(j) = momentum(Vector::Unit(n_, j), Vector6::Zero());
    }
    Store(kMomentumMatrix, A);
  }

  /// The tip's twist and acceleration, in its own axes.
  std::pair<Vector6, Vector6> TipMotion(const Motion& motion) const {
    const Moving moving(tree_, around_, motion);
    const DualVector6 inside = moving.at.PlaceOf(*tip_).TwistInside(
        tip_->body == kBase ? moving.base : moving.twists[tip_->body]);
    return {Values(inside), Rates(inside)};
  }

  /// A twist of the tip in its own axes, as the reference frame shows it.
  Vector6 Shown(const Vector6& inside) const {
    const Pose T = at_->PlaceOf(*tip_);
    return textbook::Shown<Wide>(T, options_.reference_frame,
                                 T.TwistOutside(inside));
  }

  void EvaluateFrame(const Motion& motion) {
    const Pose T = at_->PlaceOf(*tip_);
    Matrix pose(3, 4);
    pose << T.R, T.p;
    Store(kPose, pose);
    Store(kJacobian, J_);
    Store(kJacobianDrift, Drift());
    Store(kJacobianRate, Rates(textbook::FrameJacobian(
                             tree_, Moving(tree_, around_, motion).at, *tip_,
                             options_.reference_frame)));
    const auto [V, A] = TipMotion(motion);
    Store(kFrameVelocity, Shown(V));
    Store(kFrameAcceleration, Shown(A));
    const bool world = options_.reference_frame == ReferenceFrame::kWorld;
    if (Wants(kForwardFrameAcceleration)) {
      Store(kForwardFrameAcceleration, Drift() + J_ * ForwardDynamics());
    }
    Store(kFrameAccelerationClassical,
          world ? Classical(Shown(V), Shown(A)) : Shown(Classical(V, A)));
  }

  Vector6 Drift() const {
    const auto [V, A] = TipMotion(WithoutAcceleration());
    const bool aligned =
        options_.reference_frame == ReferenceFrame::kLocalWorldAligned;
    return Shown(aligned ? Classical(V, A) : A);
  }

  Vector6 BaseWrench(const Matrix& F) const {
    Vector6 sum = Vector6::Zero();
    for (int i = 0; i < n_; ++i) {
      if (tree_.bodies[i].parent == kBase) sum += F.col(i);
    }
    return sum;
  }

  void EvaluateBodies(const Motion& motion) {
    const Moving moving(tree_, around_, motion);
    const Matrix F = JointWrenches(motion);
    Matrix twists(n_, 6), accelerations(n_, 6), wrenches(n_, 6);
    for (int i = 0; i < n_; ++i) {
      twists.row(i) = Values(moving.Inside(i));
      accelerations.row(i) = Rates(moving.Inside(i));
      const Pose& X = at_->bodies[i];
      const Pose inverse = {X.R.transpose(), -(X.R.transpose() * X.p)};
      wrenches.row(i) = inverse.WrenchOutside(F.col(i));
    }
    Store(kLinkTwists, twists);
    Store(kLinkAccelerations, accelerations);
    Store(kJointWrenches, wrenches);
    Store(kBaseWrench, BaseWrench(F));
  }

  /// By bodies of which one has one parameter of 1, and the others none.
  void EvaluateRegressor(const Motion& motion) {
    const textbook::MovingTree<Wide> moving(tree_, around_, motion);
    Matrix Y = Matrix::Zero(n_, 10 * n_);
    for (int parameter = 0; parameter < 10; ++parameter) {
      // m, h, then xx xy yy xz yz zz; the tree has xx xy xz yy yz zz.
      constexpr int kPlaces[10] = {0, 1, 2, 3, 4, 5, 7, 6, 8, 9};
      double one[10] = {};
      one[kPlaces[parameter]] = 1;
      const auto G = textbook::InertiaOf<Wide>(one[0], one + 1, one + 4);
      for (int i = 0; i < n_; ++i) {
        const Vector6 F = moving.NetWrench(i, G);
        for (int j = i; j != kBase; j = tree_.bodies[j].parent) {
          Y(j, 10 * i + parameter) = at_->screws.col(j).dot(F);
        }
      }
    }
    Store(kRegressor, Y);
  }

  void EvaluateTask() {
    const TaskOptions& task = options_.task;
    const int m = task.axis_count;
    int joints = 0;
    for (int i = tip_->body; i != kBase; i = tree_.bodies[i].parent) ++joints;
    const RowMajorMatrix narrow = J_.cast<double>();
    const TaskRank rank = RankOfTask(task, n_, joints, narrow.data());
    const std::vector<int> axes(task.axes.begin(), task.axes.begin() + m);
    const Matrix J = J_(axes, Eigen::all);
    const Vector drift = Drift()(axes);
    const bool regular = mass_.regular();
    Matrix M_inverse_J = Matrix::Zero(n_, m);
    Vector r = Vector::Zero(m);
    if (regular) {
      M_inverse_J = factors_.solve(J.transpose());
      textbook::Surroundings alone = around_;
      alone.pushes.clear();
      r = M_inverse_J.transpose() *
              textbook::Torques(tree_, alone, WithoutAcceleration()) -
          drift;
    }
    const Matrix W = J * M_inverse_J;
    const RowMajorMatrix W_narrow = W.cast<double>();
    const Eigen::VectorXd r_narrow = r.cast<double>();
    double lambda[36], eta[6];
    const TaskDiagnostics diagnostics =
        regular
            ? SolveTask(task, rank, W_narrow.data(), r_narrow.data(), lambda,
                        eta)
            : TaskDiagnostics{TaskRule::kUndefined, rank.rank, rank.sigma_min};
    if (quantity_ == Quantity::kOperationalSpace) {
      result_.rank[row_] = diagnostics.rank;
      result_.sigma_min[row_] = diagnostics.sigma_min;
      result_.rule[row_] = diagnostics.rule;
    }
    if (!regular) return;
    if (diagnostics.rule != TaskRule::kFullRank) {
      Report({.code = RowCode::kSingularTaskSpace,
              .output = FirstOutput(),
              .rank = diagnostics.rank});
    }
    const Matrix L =
        Eigen::Map<const Eigen::MatrixXd>(lambda, m, m).cast<Wide>();
    const Matrix J_bar = M_inverse_J * L;
    if (quantity_ == Quantity::kTaskTorque) {
      const Vector tau_0 = WideOf(Input::kNullSpaceTorque);
      const Vector force =
          WideOf(Input::kTaskAcceleration) - drift +
          M_inverse_J.transpose() * (Torques(WithoutAcceleration()) - tau_0);
      return Store(kTaskTorque, tau_0 + J.transpose() * (L * force));
    }
    Store(kLambda, L);
    Store(kEta, Eigen::Map<const Eigen::VectorXd>(eta, m).cast<Wide>());
    Store(kMobility, W);
    Store(kConsistentInverse, J_bar);
    Store(kNullSpaceProjector, Matrix::Identity(n_, n_) - J_bar * J);
  }

  const EvaluationPlan plan_;
  const double limit_;  // beyond it results are too large for their array
  const EvaluationOptions& options_;
  const Tree tree_;
  const int n_;
  PivotRule pivots_;
  std::optional<BodyFrame> tip_;
  BatchResult result_;
  // Of the row and the quantity under way.
  Eigen::VectorXd inputs_[kInputCount];
  std::int64_t row_ = 0;
  Quantity quantity_ = Quantity::kInverseDynamics;
  std::optional<RowIssue> issue_;
  PivotCheck mass_;
  Vector q_;
  std::optional<Configuration<Wide>> at_;
  Matrix M_, J_;            // J of the tip, all six rows
  std::vector<Matrix> dM_;  // once there is need
  Eigen::LDLT<Matrix> factors_;
  textbook::Surroundings around_;
};

}  // namespace

BatchResult Reference(const BatchCase& batch) {
  return ReferenceRows(batch).Evaluate();
}

}  // namespace torqued::testing_support
