#include <array>
#include <cmath>
#include <future>

#include "server/lifecycle/daemon.h"
#include "server/registry/registry.h"
#include "server/services/state_batch.h"

namespace torqued::server {
namespace {

// Two point masses at the ends of two links, moving in the x-y plane.
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

constexpr std::array<double, 2> kQ{0.3, -0.8}, kV{0.5, 1.1}, kA{-0.4, 0.9};
constexpr std::array<double, 3> kGravity{0, -9.81, 0};
// Torques and mass matrix of that state: Lynch & Park 2017, section 8.1.1.
constexpr std::array<double, 2> kTau{21.85421910862436, 5.14804444734761};
constexpr std::array<double, 4> kMass{1.5330240256082994, 0.4490120128041497,
                                      0.4490120128041497, 0.24};

v1::ComputeRequest RequestOf(int rows) {
  v1::ComputeRequest request;
  request.add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
  request.add_quantities(v1::QUANTITY_MASS_MATRIX);
  request.mutable_options()->mutable_terms()->mutable_gravity()->Assign(
      kGravity.begin(), kGravity.end());
  const auto fill = [rows](v1::Array* array, const auto& row) {
    array->set_columns(2);
    for (int k = 0; k < rows; ++k) {
      array->mutable_values()->Add(row.begin(), row.end());
    }
  };
  fill(request.mutable_q(), kQ);
  fill(request.mutable_v(), kV);
  fill(request.mutable_a(), kA);
  return request;
}

/// Whether each row of the values is the right one.
template <std::size_t kColumns>
bool IsRight(const v1::Array& got, const std::array<double, kColumns>& right,
             int rows) {
  if (got.values_size() != rows * static_cast<int>(kColumns)) return false;
  for (int k = 0; k < got.values_size(); ++k) {
    // Numbers of order 10 after some dozen operations.
    const double wrong = got.values(k) - right[k % kColumns];
    if (!(std::abs(wrong) <= 1e-12)) return false;
  }
  return true;
}

std::string CheckRows(Engine& engine, const ModelEntry& entry, int rows) {
  const v1::ComputeRequest request = RequestOf(rows);
  v1::ComputeReply reply;
  Admission admission({.bytes = 1 << 20});
  Reservation room(admission);
  const ComputeFields fields = FieldsOf(request);
  auto query = PrepareQuery(fields, entry, engine.kernels());
  if (const auto* error = std::get_if<Error>(&query)) return error->message;
  StateBatch batch(std::get<QueryPtr>(query), reply.mutable_results());
  auto refused = batch.Bind(fields);
  if (!refused) refused = batch.Admit(0, 0, {rows, 1 << 20}, &room);
  if (refused) return refused->message;
  std::promise<EvaluationReport> promise;
  engine.Submit(batch.plan(), batch.outputs(),
                [&promise](EvaluationReport report) {
                  promise.set_value(std::move(report));
                });
  const EvaluationReport report = promise.get_future().get();
  if (auto error = batch.Finish(report, 0, &reply)) return error->message;
  const v1::Results& results = reply.results();
  if (reply.rows_not_ok() != 0 || !IsRight(results.tau(), kTau, rows) ||
      !IsRight(results.mass_matrix(), kMass, rows)) {
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
