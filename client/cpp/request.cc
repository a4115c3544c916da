#include "client/cpp/request.h"

#include <algorithm>
#include <string>

#include "client/cpp/array_codec.h"
#include "client/cpp/error.h"
#include "client/cpp/result_fields.h"

namespace torqued::client {
namespace {

struct InputField {
  const char* name;
  Batch States::* batch;
  /// Its array in a request.
  v1::Array* (*array)(v1::ComputeRequest* request);
};

v1::Array* ArrayOf(v1::Array* array) { return array; }
v1::Array* ArrayOf(v1::TipWrench* wrench) { return wrench->mutable_wrench(); }

constexpr InputField kInputs[] = {
#define TORQUED_INPUT_TABLE(name)                          \
  {#name, &States::name, [](v1::ComputeRequest* request) { \
     return ArrayOf(request->mutable_##name());            \
   }},
#include "torqued/v1/tables.inc"
};

// nv is not known here; it never exceeds the columns of any joint input.
std::int64_t JointColumns(const States& states) {
  return std::max(
      {states.q.cols(), states.v.cols(), states.a.cols(), states.tau.cols()});
}

}  // namespace

std::int64_t CountStates(const States& states) {
  std::int64_t rows = 0;
  const char* longest = "";
  for (const InputField& input : kInputs) {
    const Batch& batch = states.*input.batch;
    if (batch.size() > 0 && batch.rows() > rows) {
      rows = batch.rows();
      longest = input.name;
    }
  }
  for (const auto& [name, member, array] : kInputs) {
    const Batch& batch = states.*member;
    if (batch.size() == 0 || batch.rows() == 1 || batch.rows() == rows) {
      continue;
    }
    const std::string message = std::string(name) + " has " +
                                std::to_string(batch.rows()) + " rows, " +
                                longest + " has " + std::to_string(rows);
    throw Error(
        grpc::StatusCode::INVALID_ARGUMENT, message,
        {v1::Reason_Name(v1::WRONG_ROW_COUNT), {}, {{name, message}}, {}});
  }
  return rows;
}

v1::ComputeRequest MakeRequest(const std::string& model,
                               std::span<const v1::Quantity> quantities,
                               const ComputeOptions& options) {
  v1::ComputeRequest request;
  request.set_model(model);
  request.mutable_quantities()->Add(quantities.begin(), quantities.end());

  *request.mutable_options() = options.options;
  request.mutable_options()->set_encoding(v1::ENCODING_F64);
  if (options.operational_space.ByteSizeLong() > 0) {
    *request.mutable_operational_space() = options.operational_space;
  }
  return request;
}

void AddRows(const States& states, const ComputeOptions& options,
             const RowRange& range, v1::ComputeRequest* request) {
  for (const InputField& input : kInputs) {
    const Batch& batch = states.*input.batch;
    if (batch.size() == 0) continue;
    const bool serves_all = batch.rows() == 1;
    EncodeRows(batch, serves_all ? 0 : range.first,
               serves_all ? 1 : range.count, input.array(request));
  }
  if (request->has_tip_wrench_on_environment()) {
    request->mutable_tip_wrench_on_environment()->set_reference_frame(
        options.tip_wrench_reference_frame);
  }
}

std::int64_t RowsPerCall(std::span<const v1::Quantity> quantities,
                         const States& states, const ComputeOptions& options,
                         const BatchLimits& limits) {
  return RowsPerCall(RequestBytesPerRow(states),
                     ReplyBytesPerRow(quantities, states, options), limits);
}

std::int64_t RequestBytesPerRow(const States& states) {
  std::int64_t numbers = 0;
  for (const InputField& input : kInputs) {
    const Batch& batch = states.*input.batch;
    if (batch.rows() > 1) numbers += batch.cols();
  }
  return numbers * static_cast<std::int64_t>(sizeof(double));
}

std::int64_t ReplyBytesPerRow(std::span<const v1::Quantity> quantities,
                              const States& states,
                              const ComputeOptions& options) {
  const std::int64_t nv = JointColumns(states);
  const v1::OperationalSpaceOptions& task = options.operational_space;
  const std::int64_t axes = task.axes().empty() ? 6 : task.axes_size();
  std::int64_t numbers = 0;
  for (const v1::Quantity quantity : quantities) {
    std::int64_t of_quantity = 0;
    for (const ResultField& field : ResultFields()) {
      if (field.info->quantity() == quantity) {
        of_quantity += Columns(*field.info, nv, axes);
      }
    }
    if (quantity == v1::QUANTITY_OPERATIONAL_SPACE) {
      // Rank and rule take a byte or two.
      of_quantity += task.sigma_min() ? 2 : 1;
    }
    // One that this library does not know: as large as most.
    numbers += of_quantity != 0 ? of_quantity : std::max(nv * nv, 6 * nv);
  }
  return numbers * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace torqued::client
