#include "client/cli/check/asked_question.h"

#include <google/protobuf/util/json_util.h>

#include "client/cli/message_json.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {
namespace {

using Numbers = google::protobuf::RepeatedField<double>;

void FillUp(Numbers* numbers, int count) {
  if (numbers->empty()) numbers->Resize(count, 0);
}

void SpellOut(v1::Options* options) {
  options->mutable_terms();
  if (options->reference_frame() == v1::REFERENCE_FRAME_UNSPECIFIED) {
    options->set_reference_frame(v1::REFERENCE_FRAME_LOCAL);
  }
  if (options->precision() == v1::PRECISION_UNSPECIFIED) {
    options->set_precision(v1::PRECISION_DOUBLE);
  }
  // Of the tables.
  options->clear_encoding();
  if (options->has_payload()) {
    FillUp(options->mutable_payload()->mutable_center_of_mass(), 3);
    FillUp(options->mutable_payload()->mutable_inertia(), 6);
  }
}

void SpellOut(v1::OperationalSpaceOptions* space) {
  if (space->singularity() == v1::SINGULARITY_RULE_UNSPECIFIED) {
    space->set_singularity(v1::SINGULARITY_RULE_REPORT);
  }
  if (!space->has_rank_tolerance()) space->set_rank_tolerance(1e-6);
  if (!space->has_characteristic_length()) space->set_characteristic_length(1);
}

}  // namespace

nlohmann::ordered_json SpeltOut(const nlohmann::ordered_json& asked) {
  v1::CheckTrajectoryStart start;
  google::protobuf::util::JsonParseOptions options;
  // A newer server may know more; what it says so is compared with itself.
  options.ignore_unknown_fields = false;
  const std::string text = asked.dump();
  if (!google::protobuf::util::JsonStringToMessage(text, &start, options)
           .ok()) {
    return asked;
  }
  start.clear_model();
  start.clear_tables();
  SpellOut(start.mutable_options());
  if (start.has_operational_space()) {
    SpellOut(start.mutable_operational_space());
  }
  if (start.tip_wrench_reference_frame() == v1::REFERENCE_FRAME_UNSPECIFIED) {
    start.set_tip_wrench_reference_frame(v1::REFERENCE_FRAME_LOCAL);
  }
  if (!start.has_derating()) start.set_derating(1);
  // Of the columns of a file; limits and drives are of names.
  start.mutable_options()->clear_joint_names();
  return ToJson(start);
}

}  // namespace torqued::cli
