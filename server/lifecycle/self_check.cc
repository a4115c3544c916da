#include <array>
#include <cmath>
#include <future>

#include "server/lifecycle/daemon.h"
#include "server/registry/registry.h"
#include "server/services/state_batch.h"

namespace torqued::server {
namespace {

// Two point masses at the ends of two links, moving in the x-y plane.
constexpr double kL1 = 0.5, kM1 = 2.0, kL2 = 0.4, kM2 = 1.5, kG = 9.81;
constexpr char kArm[] = R"(<robot name="self_check_2r">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.4 0 0"/><mass value="1.5"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/>
    <child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/>
    <child link="lower"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint>
</robot>)";

using Pair = std::array<double, 2>;

struct State {
  Pair q, v, a;
};

State StateOfRow(int row) {
  const double s = 0.37 * (row % 7);
  return {{0.3 + s, -0.8 + 2 * s}, {0.5 - s, 1.1}, {-0.4, 0.9 + s}};
}

/// Torques, then the mass matrix: Lynch & Park 2017, section 8.1.1, with
/// gravity along -y.
std::array<double, 6> ClosedForm(const State& x) {
  const double c2 = std::cos(x.q[1]), s2 = std::sin(x.q[1]);
  const double m22 = kM2 * kL2 * kL2, m12 = kM2 * kL1 * kL2 * c2 + m22;
  const double m11 = (kM1 + kM2) * kL1 * kL1 + 2 * kM2 * kL1 * kL2 * c2 + m22;
  const double h = kM2 * kL1 * kL2 * s2;
  const double g2 = kM2 * kG * kL2 * std::cos(x.q[0] + x.q[1]);
  const double g1 = (kM1 + kM2) * kG * kL1 * std::cos(x.q[0]) + g2;
  return {m11 * x.a[0] + m12 * x.a[1] -
              h * (2 * x.v[0] * x.v[1] + x.v[1] * x.v[1]) + g1,
          m12 * x.a[0] + m22 * x.a[1] + h * x.v[0] * x.v[0] + g2,
          m11,
          m12,
          m12,
          m22};
}

v1::ComputeRequest RequestOf(int rows) {
  v1::ComputeRequest request;
  request.add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
  request.add_quantities(v1::QUANTITY_MASS_MATRIX);
  v1::Terms* terms = request.mutable_options()->mutable_terms();
  for (const double g : {0.0, -kG, 0.0}) terms->add_gravity(g);
  const auto add = [](v1::Array* array, const Pair& numbers) {
    array->set_columns(2);
    for (const double number : numbers) array->add_values(number);
  };
  for (int row = 0; row < rows; ++row) {
    const State x = StateOfRow(row);
    add(request.mutable_q(), x.q);
    add(request.mutable_v(), x.v);
    add(request.mutable_a(), x.a);
  }
  return request;
}

bool IsRight(const v1::ComputeReply& reply, int rows) {
  const auto& tau = reply.results().tau().values();
  const auto& mass = reply.results().mass_matrix().values();
  if (tau.size() != 2 * rows || mass.size() != 4 * rows) return false;
  for (int row = 0; row < rows; ++row) {
    const std::array<double, 6> right = ClosedForm(StateOfRow(row));
    for (int k = 0; k < 6; ++k) {
      const double got = k < 2 ? tau[2 * row + k] : mass[4 * row + k - 2];
      // Numbers of order 10 after some dozen operations.
      if (!(std::abs(got - right[k]) <= 1e-12)) return false;
    }
  }
  return true;
}

std::string CheckRows(Engine& engine, const ModelEntry& entry, int rows) {
  const v1::ComputeRequest request = RequestOf(rows);
  v1::ComputeReply reply;
  Admission admission({.bytes = 1 << 20});
  const ComputeFields fields = FieldsOf(request);
  auto query = PrepareQuery(fields, entry, engine.target());
  if (const auto* error = std::get_if<Error>(&query)) return error->message;
  StateBatch batch(std::get<QueryPtr>(query), reply.mutable_results());
  auto refused = batch.Bind(fields);
  if (!refused) refused = batch.Admit(0, 0, {rows, 1 << 20}, admission);
  if (refused) return refused->message;
  std::promise<EvaluationReport> promise;
  engine.Submit(batch.plan(), batch.outputs(),
                [&promise](EvaluationReport report) {
                  promise.set_value(std::move(report));
                });
  const EvaluationReport report = promise.get_future().get();
  if (auto error = batch.Finish(report, 0, &reply)) return error->message;
  if (reply.rows_not_ok() != 0 || !IsRight(reply, rows)) {
    return "the answer for the built-in arm is wrong (target " +
           std::string(engine.target()) + ")";
  }
  return {};
}

}  // namespace

std::string SelfCheck(Engine& engine) {
  ModelEntry entry;
  entry.loaded = LoadRevision("urdf", kArm, {});
  for (const int rows : {1, 7, 300}) {
    if (auto problem = CheckRows(engine, entry, rows); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

}  // namespace torqued::server
