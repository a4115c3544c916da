#include "client/cpp/wire.h"

#include <absl/strings/numbers.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "client/cpp/result_fields.h"

namespace torqued::client {
namespace {

static_assert(std::endian::native == std::endian::little,
              "f64 bytes are little-endian");

constexpr std::int64_t kNumberBytes = sizeof(double);

/// Bytes that a message has for everything but rows: names, echo, and the row
/// status list at its longest.
constexpr std::int64_t kMessageOverheadBytes = 384 * 1024;

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
  for (const v1::Quantity quantity : quantities) {
    // Rank, rule and sigma_min of a task are no tables.
    std::int64_t of_quantity =
        quantity == v1::QUANTITY_OPERATIONAL_SPACE ? 2 : 0;
    for (const ResultField& field : ResultFields()) {
      if (field.info->quantity() == quantity) {
        of_quantity += Columns(*field.info, nv, axes);
      }
    }
    // One that this library does not know: as large as most.
    numbers += of_quantity != 0 ? of_quantity : std::max(nv * nv, 6 * nv);
  }
  return numbers;
}

[[noreturn]] void Refuse(const std::string& what) {
  throw Error(grpc::StatusCode::INTERNAL, "the reply " + what);
}

void AddTo(google::protobuf::Duration* sum,
           const google::protobuf::Duration& term) {
  // Unsigned: what a server says need not make sense.
  const auto nanos = static_cast<std::uint32_t>(sum->nanos()) +
                     static_cast<std::uint32_t>(term.nanos()) % 1'000'000'000;
  sum->set_seconds(static_cast<std::int64_t>(
      static_cast<std::uint64_t>(sum->seconds()) +
      static_cast<std::uint64_t>(term.seconds()) + nanos / 1'000'000'000));
  sum->set_nanos(static_cast<std::int32_t>(nanos % 1'000'000'000));
}

template <class Field, class T>
void JoinNumbers(const Field& field, const char* name, const RowRange& range,
                 std::int64_t total, std::vector<T>* joined) {
  if (field.size() != range.count) {
    Refuse("has " + std::to_string(field.size()) + " numbers of " + name +
           " for " + std::to_string(range.count) + " rows");
  }
  joined->resize(static_cast<std::size_t>(total));
  std::transform(field.begin(), field.end(), joined->begin() + range.first,
                 [](auto number) { return static_cast<T>(number); });
}

}  // namespace

BatchLimits LimitsOf(const v1::GetServerInfoReply& info,
                     std::int64_t max_message_bytes, std::int64_t rows) {
  BatchLimits limits{.max_message_bytes = max_message_bytes};
  limits.rows = std::max<std::int64_t>(rows, 1);
  const auto lower = [](std::int64_t* limit, std::uint64_t most) {
    if (most == 0 || most >= static_cast<std::uint64_t>(*limit)) return;
    *limit = std::max<std::int64_t>(static_cast<std::int64_t>(most), 1);
  };
  lower(&limits.rows, info.max_rows());
  lower(&limits.max_message_bytes, info.max_message_bytes());
  // A request counts three times and a reply twice; a window of them is to fit
  // into the half of one client.
  lower(&limits.payload_bytes, info.max_inflight_bytes() / 128);
  return limits;
}

void EncodeRows(const Batch& batch, Eigen::Index first, Eigen::Index count,
                v1::Array* array) {
  array->set_columns(static_cast<std::uint32_t>(batch.cols()));
  array->set_f64(
      reinterpret_cast<const char*>(batch.data() + first * batch.cols()),
      static_cast<std::size_t>(count * batch.cols() * kNumberBytes));
}

void DecodeRows(const v1::Array& array, const char* what, Eigen::Index first,
                Eigen::Index count, Eigen::Index total, Batch* batch) {
  const Eigen::Index columns = array.columns();
  // Before anything is allocated: the payload must really be there.
  const auto bytes = static_cast<std::int64_t>(array.f64().size());
  const std::int64_t row_bytes = columns * kNumberBytes;
  const bool fits = row_bytes == 0
                        ? bytes == 0
                        : bytes % row_bytes == 0 && bytes / row_bytes == count;
  if (!fits || count > total - first ||
      (first > 0 && batch->cols() != columns)) {
    Refuse(std::string("has ") + what + " that does not fit " +
           std::to_string(count) + " rows");
  }
  if (first == 0) batch->resize(total, columns);
  if (bytes > 0) {
    std::memcpy(batch->data() + first * columns, array.f64().data(),
                array.f64().size());
  }
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
  const std::int64_t payload =
      std::min(std::max(limits.max_message_bytes - kMessageOverheadBytes,
                        limits.max_message_bytes / 2),
               limits.payload_bytes);
  const std::int64_t numbers = std::max<std::int64_t>(
      {RequestNumbersPerRow(states),
       ReplyNumbersPerRow(quantities, states, options.operational_space), 1});
  const std::int64_t rows =
      std::max<std::int64_t>(payload / (numbers * kNumberBytes), 1);
  if (rows >= limits.rows) return limits.rows;
  return rows < 64 ? rows : rows / 64 * 64;
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

bool ListsAll(const v1::ComputeReply& reply) {
  return reply.rows_not_ok() <=
         static_cast<std::uint64_t>(reply.row_status_size());
}

Evaluation BeginJoin(const v1::ComputeReply& first, std::int64_t rows) {
  Evaluation whole;
  whole.rows = rows;
  whole.echo = first.echo();
  whole.echo.clear_timing();
  return whole;
}

void Join(const v1::ComputeReply& part,
          std::span<const v1::Quantity> quantities, bool with_sigma_min,
          const RowRange& range, Evaluation* whole) {
  if (part.rows() != static_cast<std::uint64_t>(range.count) ||
      part.rows_not_ok() > part.rows()) {
    Refuse("has " + std::to_string(part.rows()) + " rows, " +
           std::to_string(part.rows_not_ok()) +
           " of them not OK; asked for were " + std::to_string(range.count));
  }
  const auto asked = [quantities](v1::Quantity quantity) {
    return std::ranges::find(quantities, quantity) != quantities.end();
  };
  const v1::Results& results = part.results();
  const std::int64_t total = whole->rows;
  for (const ResultField& field : ResultFields()) {
    if (!asked(field.info->quantity())) continue;
    if (!(results.*field.has)()) Refuse(std::string("lacks ") + field.name);
    DecodeRows((results.*field.get)(), field.name, range.first, range.count,
               total, &(whole->*field.batch));
  }
  if (asked(v1::QUANTITY_OPERATIONAL_SPACE)) {
    JoinNumbers(results.rank(), "rank", range, total, &whole->rank);
    if (with_sigma_min) {
      JoinNumbers(results.sigma_min(), "sigma_min", range, total,
                  &whole->sigma_min);
    }
    JoinNumbers(results.rule(), "rule", range, total, &whole->rule);
  }

  for (v1::RowStatus status : part.row_status()) {
    if (status.row() >= part.rows()) {
      Refuse("names row " + std::to_string(status.row()) + " of " +
             std::to_string(part.rows()));
    }
    if (whole->row_status.size() == Evaluation::kMaxListed) continue;
    status.set_row(status.row() + static_cast<std::uint64_t>(range.first));
    whole->row_status.push_back(std::move(status));
  }
  whole->rows_not_ok += static_cast<std::int64_t>(part.rows_not_ok());
  v1::Timing* timing = whole->echo.mutable_timing();
  AddTo(timing->mutable_queue(), part.echo().timing().queue());
  AddTo(timing->mutable_compute(), part.echo().timing().compute());
}

Evaluation JoinOne(const v1::ComputeReply& reply,
                   std::span<const v1::Quantity> quantities,
                   const ComputeOptions& options, std::int64_t rows) {
  // Without joints there is nothing to count states by: the server's word
  // counts, which is never more than it was sent, or one.
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(rows, 1));
  if (reply.rows() <= most) rows = static_cast<std::int64_t>(reply.rows());
  Evaluation whole = BeginJoin(reply, rows);
  Join(reply, quantities, options.operational_space.sigma_min(), {0, rows},
       &whole);
  if (options.progress) options.progress(rows, rows);
  return whole;
}

Error CountedFromStart(const Error& error, std::int64_t first_row) {
  if (first_row == 0) return error;
  Error::Details details = error.details();
  const auto found = details.metadata.find("row");
  std::int64_t row = 0;
  // What a server says need not make sense.
  if (found != details.metadata.end() &&
      absl::SimpleAtoi(found->second, &row) &&
      !__builtin_add_overflow(row, first_row, &row)) {
    found->second = std::to_string(row);
  }
  return Error(error.code(),
               std::string(error.what()) + " (in the call from row " +
                   std::to_string(first_row) + " on)",
               std::move(details));
}

}  // namespace torqued::client
