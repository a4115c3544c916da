// Replies, before they are serialized: what the numbers refer to, how large
// the results get and where the kernels write, and rows that are not OK.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/engine.h"
#include "core/engine/evaluation_plan.h"
#include "core/model/lint.h"
#include "server/wire/array_codec.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

/// Everything but the timing. The tip frame is that of the plan's states.
/// `sigma_min`: whether the smallest singular values are returned.
void FillEcho(const EvaluationPlan& plan, bool sigma_min,
              const std::string& model, const std::string& revision,
              Validation validation, std::string_view target, v1::Echo* echo);

/// The tip frame that any states of the plan may use.
void FillTipFrameOfAnyStates(const EvaluationPlan& plan, v1::Echo* echo);

void FillTiming(std::chrono::nanoseconds queue,
                std::chrono::nanoseconds compute, v1::Timing* timing);

/// With defaults filled in.
void EncodeTask(const TaskOptions& task, v1::OperationalSpaceOptions* options);

/// How results are returned.
struct ReplyForm {
  Payload payload = Payload::kValues;
  /// With the smallest singular values.
  bool sigma_min = false;
};

/// Bytes that a row takes in the arrays of a reply.
std::int64_t ReplyBytesPerRow(const EvaluationPlan& plan,
                              const ReplyForm& form);

/// Upper bound of what the arrays' own tags, lengths and column counts take.
inline constexpr std::int64_t kReplyFrameBytes = 1024;

/// The results of one reply, or of one after the other. Outputs point into the
/// message, except for task rules, whose wire type is wider.
class ReplyResults {
 public:
  explicit ReplyResults(v1::Results* results) : results_(results) {}

  /// Makes room for all rows of the plan. The quantities are those of before;
  /// memory is kept, see AllocateArray.
  void Lay(const EvaluationPlan& plan, const ReplyForm& form);

  const EvaluationOutputs& outputs() const { return outputs_; }
  /// Once computed: turns the rules into their wire form.
  void Finish();

 private:
  v1::Results* results_;
  EvaluationOutputs outputs_;
  std::vector<TaskRule> rules_;
};

/// Rows are counted from `first_row`.
v1::RowStatus ToRowStatus(const EvaluationPlan& plan, const RowIssue& issue,
                          std::uint64_t first_row = 0);

/// The first rows for as long as they take less than `max_bytes` of the reply.
void FillRowStatus(const EvaluationPlan& plan, const EvaluationReport& report,
                   std::uint64_t first_row, std::size_t max_bytes,
                   google::protobuf::RepeatedPtrField<v1::RowStatus>* rows);

/// Moves the result of a shorthand, without the echo, out of the general reply.
/// Nothing is copied if both are in one arena.
template <class Reply>
void MoveReply(v1::ComputeReply* from, Reply* to) {
  to->set_rows(from->rows());
  to->mutable_row_status()->Swap(from->mutable_row_status());
  to->set_rows_not_ok(from->rows_not_ok());
  v1::Results* results = from->mutable_results();
  if constexpr (requires { to->tau(); }) {
    to->mutable_tau()->Swap(results->mutable_tau());
  } else if constexpr (requires { to->mass_matrix(); }) {
    to->mutable_mass_matrix()->Swap(results->mutable_mass_matrix());
  } else if constexpr (requires { to->a(); }) {
    to->mutable_a()->Swap(results->mutable_a());
  } else {
    to->mutable_lambda()->Swap(results->mutable_lambda());
    to->mutable_eta()->Swap(results->mutable_eta());
    to->mutable_rank()->Swap(results->mutable_rank());
    to->mutable_sigma_min()->Swap(results->mutable_sigma_min());
    to->mutable_rule()->Swap(results->mutable_rule());
  }
}

}  // namespace torqued::server
