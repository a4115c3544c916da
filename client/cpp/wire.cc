#include "client/cpp/wire.h"

#include <absl/strings/numbers.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "client/cpp/result_fields.h"

namespace torqued::client {
namespace {

static_assert(std::endian::native == std::endian::little,
              "f64 bytes are little-endian");

constexpr std::int64_t kNumberBytes = sizeof(double);

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

/// At most a day of `part`: TimeUtil throws for durations that it does not
/// represent.
void Add(const google::protobuf::Duration& part,
         google::protobuf::Duration* sum) {
  using google::protobuf::util::TimeUtil;
  *sum += TimeUtil::SecondsToDuration(
              std::clamp<std::int64_t>(part.seconds(), 0, 86'400)) +
          TimeUtil::NanosecondsToDuration(part.nanos());
}

std::int64_t RequestNumbersPerRow(const States& states) {
  std::int64_t numbers = 0;
  for (const InputField& input : kInputs) {
    const Batch& batch = states.*input.batch;
    if (batch.rows() > 1) numbers += batch.cols();
  }
  return numbers;
}

// From above.
std::int64_t ReplyNumbersPerRow(std::span<const v1::Quantity> quantities,
                                const States& states,
                                const v1::OperationalSpaceOptions& task) {
  // nv is not known here; it never exceeds the columns of any joint input.
  const std::int64_t nv = std::max(
      {states.q.cols(), states.v.cols(), states.a.cols(), states.tau.cols()});
  const std::int64_t axes = task.axes().empty() ? 6 : task.axes_size();
  std::int64_t numbers = 0;
  for (const ResultField& field : ResultFields()) {
    if (std::ranges::count(quantities, field.info->quantity()) > 0) {
      numbers += Columns(*field.info, nv, axes);
    }
  }
  return numbers;
}

template <class Field, class T>
void JoinNumbers(const Field& field, const RowRange& range, std::int64_t total,
                 std::vector<T>* joined) {
  if (field.empty()) return;
  joined->resize(static_cast<std::size_t>(total));
  std::transform(
      field.begin(),
      field.begin() + std::min<std::int64_t>(field.size(), range.count),
      joined->begin() + range.first,
      [](auto number) { return static_cast<T>(number); });
}

}  // namespace

BatchLimits LimitsOf(const v1::GetServerInfoReply& info,
                     std::int64_t max_message_bytes, std::int64_t rows) {
  const auto lower = [](std::int64_t limit, std::uint64_t most) {
    const bool limits = most > 0 && most < static_cast<std::uint64_t>(limit);
    return limits ? static_cast<std::int64_t>(most) : limit;
  };
  // Half of a message is left to names, echo and row statuses. In flight a
  // request counts three times and a reply twice; a window of them is to fit
  // into the half of one client.
  return {lower(std::max<std::int64_t>(rows, 1), info.max_rows()),
          std::min(lower(max_message_bytes, info.max_message_bytes()) / 2,
                   lower(kGoodMessageBytes, info.max_inflight_bytes() / 128))};
}

void EncodeRows(const Batch& batch, Eigen::Index first, Eigen::Index count,
                v1::Array* array) {
  array->set_columns(static_cast<std::uint32_t>(batch.cols()));
  array->set_f64(
      reinterpret_cast<const char*>(batch.data() + first * batch.cols()),
      static_cast<std::size_t>(count * batch.cols() * kNumberBytes));
}

void DecodeRows(const v1::Array& array, Eigen::Index first, Eigen::Index count,
                Eigen::Index total, Batch* batch) {
  const Eigen::Index columns = array.columns();
  const std::string& bytes = array.f64();
  // Before anything is allocated: the payload must really be there.
  if (std::ssize(bytes) != count * columns * kNumberBytes || first < 0 ||
      count > total - first || (first > 0 && batch->cols() != columns)) {
    throw Error(grpc::StatusCode::INTERNAL,
                "the reply has a table that does not fit " +
                    std::to_string(count) + " rows");
  }
  if (first == 0) batch->resize(total, columns);
  std::copy_n(bytes.data(), bytes.size(),
              reinterpret_cast<char*>(batch->data() + first * columns));
}

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

std::int64_t RowsPerCall(std::span<const v1::Quantity> quantities,
                         const States& states, const ComputeOptions& options,
                         const BatchLimits& limits) {
  const std::int64_t numbers = std::max<std::int64_t>(
      {RequestNumbersPerRow(states),
       ReplyNumbersPerRow(quantities, states, options.operational_space), 1});
  return std::clamp<std::int64_t>(
      limits.payload_bytes / (numbers * kNumberBytes), 1, limits.rows);
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

void Join(const v1::ComputeReply& part, const RowRange& range,
          Evaluation* whole) {
  const v1::Results& results = part.results();
  const std::int64_t total = whole->rows;
  for (const ResultField& field : ResultFields()) {
    if (!(results.*field.has)()) continue;
    DecodeRows((results.*field.get)(), range.first, range.count, total,
               &(whole->*field.batch));
  }
  JoinNumbers(results.rank(), range, total, &whole->rank);
  JoinNumbers(results.sigma_min(), range, total, &whole->sigma_min);
  JoinNumbers(results.rule(), range, total, &whole->rule);
  for (v1::RowStatus status : part.row_status()) {
    if (whole->row_status.size() == Evaluation::kMaxListed) break;
    status.set_row(status.row() + static_cast<std::uint64_t>(range.first));
    whole->row_status.push_back(std::move(status));
  }
  whole->rows_not_ok += static_cast<std::int64_t>(part.rows_not_ok());
  v1::Timing* timing = whole->echo.mutable_timing();
  Add(part.echo().timing().queue(), timing->mutable_queue());
  Add(part.echo().timing().compute(), timing->mutable_compute());
}

Error CountedFromStart(const Error& error, std::int64_t first_row) {
  if (first_row == 0) return error;
  Error::Details details = error.details();
  const auto found = details.metadata.find("row");
  std::int64_t row = 0;
  if (found != details.metadata.end() &&
      absl::SimpleAtoi(found->second, &row)) {
    found->second = std::to_string(row + first_row);
  }
  return Error(error.code(),
               std::string(error.what()) + " (in the call from row " +
                   std::to_string(first_row) + " on)",
               std::move(details));
}

}  // namespace torqued::client
