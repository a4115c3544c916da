// The memory of a reply: how large it gets, and where the kernels write.
#pragma once

#include <cstdint>
#include <vector>

#include "core/batch/evaluation_plan.h"
#include "server/wire/array_codec.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::server {

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
/// message, except for the task rules, whose wire type is wider than the
/// engine's.
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

}  // namespace torqued::server
