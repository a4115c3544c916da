#include "server/wire/reply_layout.h"

#include <google/protobuf/descriptor.h>

#include <array>
#include <cstddef>

#include "server/wire/enums.h"

namespace torqued::server {
namespace {

/// The fields of v1::Results that are arrays have the order of Output.
std::array<const google::protobuf::FieldDescriptor*, kOutputCount>
FindArrays() {
  std::array<const google::protobuf::FieldDescriptor*, kOutputCount> arrays{};
  auto next = arrays.begin();
  const auto* results = v1::Results::descriptor();
  for (int i = 0; i < results->field_count(); ++i) {
    const auto* field = results->field(i);
    if (field->message_type() == v1::Array::descriptor()) *next++ = field;
  }
  return arrays;
}

v1::Array* ArrayOf(Output output, v1::Results* results) {
  static const auto arrays = FindArrays();
  return static_cast<v1::Array*>(results->GetReflection()->MutableMessage(
      results, arrays[static_cast<std::size_t>(output)]));
}

}  // namespace

std::int64_t ReplyBytesPerRow(const EvaluationPlan& plan,
                              const ReplyForm& form) {
  std::int64_t bytes = 0;
  for (int i = 0; i < kOutputCount; ++i) {
    const auto output = static_cast<Output>(i);
    if (plan.Produces(output)) {
      bytes += std::int64_t{plan.columns(output)} *
               SizeOf(NumberTypeOf(form.payload));
    }
  }
  if (plan.Produces(Output::kLambda)) {
    bytes += 2;  // rank, rule
    if (form.sigma_min) bytes += sizeof(double);
  }
  return bytes;
}

void ReplyResults::Lay(const EvaluationPlan& plan, const ReplyForm& form) {
  for (int i = 0; i < kOutputCount; ++i) {
    const auto output = static_cast<Output>(i);
    if (!plan.Produces(output)) continue;
    outputs_[output] =
        AllocateArray(form.payload, plan.rows(), plan.columns(output),
                      ArrayOf(output, results_));
  }
  if (plan.Produces(Output::kLambda)) {
    outputs_.rank = Resize(results_->mutable_rank(), plan.rows());
    if (form.sigma_min) {
      outputs_.sigma_min = Resize(results_->mutable_sigma_min(), plan.rows());
    }
    rules_.resize(static_cast<std::size_t>(plan.rows()));
    outputs_.rule = rules_.data();
  }
}

void ReplyResults::Finish() {
  int* wire = Resize(results_->mutable_rule(),
                     static_cast<std::int64_t>(rules_.size()));
  for (const TaskRule rule : rules_) *wire++ = ToWire(rule);
}

}  // namespace torqued::server
