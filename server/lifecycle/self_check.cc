#include <google/protobuf/text_format.h>

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

constexpr char kQuestion[] =
    "quantities: [QUANTITY_INVERSE_DYNAMICS, QUANTITY_MASS_MATRIX]"
    "options { terms { gravity: [0, -9.81, 0] } }"
    "q { columns: 2 } v { columns: 2 } a { columns: 2 }";
constexpr char kRow[] =
    "q { values: [0.3, -0.8] } v { values: [0.5, 1.1] }"
    "a { values: [-0.4, 0.9] }";
// Torques and mass matrix of that state: Lynch & Park 2017, section 8.1.1.
const std::vector<double> kTau{21.85421910862436, 5.14804444734761};
const std::vector<double> kMass{1.5330240256082994, 0.4490120128041497,
                                0.4490120128041497, 0.24};

bool IsRight(const v1::Array& got, const std::vector<double>& right, int rows) {
  const std::size_t count = right.size() * static_cast<std::size_t>(rows);
  bool good = static_cast<std::size_t>(got.values_size()) == count;
  for (std::size_t k = 0; good && k < count; ++k) {
    // Numbers of order 10 after some dozen operations.
    good = std::abs(got.values(static_cast<int>(k)) -
                    right[k % right.size()]) <= 1e-12;
  }
  return good;
}

}  // namespace

std::string SelfCheck(Engine& engine) {
  // Whole blocks of rows and what is left over of them.
  constexpr int kRows = 307;
  ModelEntry entry;
  entry.loaded = LoadRevision("urdf", kArm, {});
  v1::ComputeRequest request, row;
  google::protobuf::TextFormat::ParseFromString(kQuestion, &request);
  google::protobuf::TextFormat::ParseFromString(kRow, &row);
  for (int k = 0; k < kRows; ++k) request.MergeFrom(row);
  v1::ComputeReply reply;
  Admission admission({.bytes = 1 << 20});
  Reservation room(admission);
  const ComputeFields fields = FieldsOf(request);
  auto query = PrepareQuery(fields, entry, engine.kernels());
  if (const auto* error = std::get_if<Error>(&query)) return error->message;
  StateBatch batch(std::get<QueryPtr>(query), reply.mutable_results());
  auto refused = batch.Bind(fields);
  if (!refused) refused = batch.Admit(0, {kRows, 1 << 20}, &room);
  if (refused) return refused->message;
  std::promise<EvaluationReport> promise;
  engine.Submit(batch.plan(), batch.outputs(),
                [&promise](EvaluationReport report) {
                  promise.set_value(std::move(report));
                });
  const EvaluationReport report = promise.get_future().get();
  if (auto error = batch.Finish(report, 0, &reply)) return error->message;
  const v1::Results& results = reply.results();
  if (reply.rows_not_ok() == 0 && IsRight(results.tau(), kTau, kRows) &&
      IsRight(results.mass_matrix(), kMass, kRows)) {
    return {};
  }
  return "the answer for the built-in arm is wrong (target " +
         std::string(engine.target()) + ")";
}

}  // namespace torqued::server
