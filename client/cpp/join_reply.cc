#include "client/cpp/join_reply.h"

#include <algorithm>
#include <string>
#include <utility>

#include "client/cpp/array_codec.h"
#include "client/cpp/error.h"
#include "client/cpp/result_fields.h"

namespace torqued::client {
namespace {

bool Contains(std::span<const v1::Quantity> quantities, v1::Quantity quantity) {
  return std::find(quantities.begin(), quantities.end(), quantity) !=
         quantities.end();
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

[[noreturn]] void Refuse(const std::string& what) {
  throw Error(grpc::StatusCode::INTERNAL, "the reply " + what);
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

Evaluation BeginJoin(const v1::ComputeReply& first, std::int64_t rows) {
  Evaluation whole;
  whole.rows = rows;
  whole.echo = first.echo();
  whole.echo.clear_timing();
  return whole;
}

bool ListsAll(const v1::ComputeReply& reply) {
  return reply.rows_not_ok() <=
         static_cast<std::uint64_t>(reply.row_status_size());
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

void Join(const v1::ComputeReply& part,
          std::span<const v1::Quantity> quantities, bool with_sigma_min,
          const RowRange& range, Evaluation* whole) {
  if (part.rows() != static_cast<std::uint64_t>(range.count)) {
    Refuse("has " + std::to_string(part.rows()) + " rows, asked for were " +
           std::to_string(range.count));
  }
  const v1::Results& results = part.results();
  const std::int64_t total = whole->rows;
  for (const ResultField& field : ResultFields()) {
    if (!Contains(quantities, field.info->quantity())) continue;
    if (!(results.*field.has)()) Refuse(std::string("lacks ") + field.name);
    DecodeRows((results.*field.get)(), field.name, range.first, range.count,
               total, &(whole->*field.batch));
  }
  if (Contains(quantities, v1::QUANTITY_OPERATIONAL_SPACE)) {
    JoinNumbers(results.rank(), "rank", range, total, &whole->rank);
    if (with_sigma_min) {
      JoinNumbers(results.sigma_min(), "sigma_min", range, total,
                  &whole->sigma_min);
    }
    JoinNumbers(results.rule(), "rule", range, total, &whole->rule);
  }

  if (part.rows_not_ok() > part.rows()) {
    Refuse("counts " + std::to_string(part.rows_not_ok()) +
           " rows that are not OK, of " + std::to_string(part.rows()));
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

}  // namespace torqued::client
