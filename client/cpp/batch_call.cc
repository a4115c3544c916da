#include "client/cpp/batch_call.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <exception>
#include <limits>
#include <thread>
#include <utility>

#include "client/cpp/array_codec.h"
#include "client/cpp/duration.h"
#include "client/cpp/request.h"

namespace torqued::client {
namespace {

struct ArrayField {
  v1::Quantity quantity;
  const char* name;
  bool (v1::Results::*has)() const;
  const v1::Array& (v1::Results::*get)() const;
  Batch Evaluation::* batch;
};

constexpr ArrayField kArrayFields[] = {
    {v1::QUANTITY_INVERSE_DYNAMICS, "tau", &v1::Results::has_tau,
     &v1::Results::tau, &Evaluation::tau},
    {v1::QUANTITY_MASS_MATRIX, "mass_matrix", &v1::Results::has_mass_matrix,
     &v1::Results::mass_matrix, &Evaluation::mass_matrix},
    {v1::QUANTITY_FORWARD_DYNAMICS, "a", &v1::Results::has_a, &v1::Results::a,
     &Evaluation::a},
    {v1::QUANTITY_BIAS_FORCES, "bias", &v1::Results::has_bias,
     &v1::Results::bias, &Evaluation::bias},
    {v1::QUANTITY_FRAME_POSE, "pose", &v1::Results::has_pose,
     &v1::Results::pose, &Evaluation::pose},
    {v1::QUANTITY_JACOBIAN, "jacobian", &v1::Results::has_jacobian,
     &v1::Results::jacobian, &Evaluation::jacobian},
    {v1::QUANTITY_JACOBIAN_DRIFT, "jacobian_drift",
     &v1::Results::has_jacobian_drift, &v1::Results::jacobian_drift,
     &Evaluation::jacobian_drift},
    {v1::QUANTITY_OPERATIONAL_SPACE, "lambda", &v1::Results::has_lambda,
     &v1::Results::lambda, &Evaluation::lambda},
    {v1::QUANTITY_OPERATIONAL_SPACE, "eta", &v1::Results::has_eta,
     &v1::Results::eta, &Evaluation::eta},
};

bool Contains(std::span<const v1::Quantity> quantities, v1::Quantity quantity) {
  return std::find(quantities.begin(), quantities.end(), quantity) !=
         quantities.end();
}

// Stays at the longest duration there is; what is none counts as nothing.
void AddTo(google::protobuf::Duration* sum,
           const google::protobuf::Duration& term) {
  const std::int64_t before =
      ToNanoseconds(*sum).value_or(std::chrono::nanoseconds::zero()).count();
  const std::int64_t more =
      ToNanoseconds(term).value_or(std::chrono::nanoseconds::zero()).count();
  const std::int64_t total =
      before +
      std::min(more, std::numeric_limits<std::int64_t>::max() - before);
  sum->set_seconds(total / 1'000'000'000);
  sum->set_nanos(static_cast<std::int32_t>(total % 1'000'000'000));
}

template <class Field, class T>
void JoinNumbers(const Field& field, const char* name, const RowRange& range,
                 std::int64_t total, std::vector<T>* joined) {
  if (field.size() != range.count) {
    throw Error(grpc::StatusCode::INTERNAL,
                std::string("the reply's ") + name + " has " +
                    std::to_string(field.size()) + " numbers for " +
                    std::to_string(range.count) + " rows");
  }
  joined->resize(static_cast<std::size_t>(total));
  std::transform(field.begin(), field.end(), joined->begin() + range.first,
                 [](auto number) { return static_cast<T>(number); });
}

// Writes the reply's rows to their places in the whole. A reply that lacks what
// was asked for is an error.
void Join(const v1::ComputeReply& reply,
          std::span<const v1::Quantity> quantities, bool with_sigma_min,
          const RowRange& range, std::int64_t total, Evaluation* whole) {
  if (reply.rows() != static_cast<std::uint64_t>(range.count)) {
    throw Error(grpc::StatusCode::INTERNAL,
                "the reply has " + std::to_string(reply.rows()) +
                    " rows, asked for were " + std::to_string(range.count));
  }
  const v1::Results& results = reply.results();
  for (const ArrayField& field : kArrayFields) {
    if (!Contains(quantities, field.quantity)) continue;
    if (!(results.*field.has)()) {
      throw Error(grpc::StatusCode::INTERNAL,
                  std::string("the reply lacks ") + field.name);
    }
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

  if (reply.rows_not_ok() > reply.rows()) {
    throw Error(grpc::StatusCode::INTERNAL,
                "the reply counts " + std::to_string(reply.rows_not_ok()) +
                    " rows that are not OK, of " +
                    std::to_string(reply.rows()));
  }
  for (v1::RowStatus status : reply.row_status()) {
    if (status.row() >= reply.rows()) {
      throw Error(grpc::StatusCode::INTERNAL,
                  "the reply names row " + std::to_string(status.row()) +
                      " of " + std::to_string(reply.rows()));
    }
    status.set_row(status.row() + static_cast<std::uint64_t>(range.first));
    whole->row_status.push_back(std::move(status));
  }
  whole->rows_not_ok += static_cast<std::int64_t>(reply.rows_not_ok());
  v1::Timing* timing = whole->echo.mutable_timing();
  AddTo(timing->mutable_queue(), reply.echo().timing().queue());
  AddTo(timing->mutable_compute(), reply.echo().timing().compute());
}

// The server counts rows from the start of its call.
Error CountedFromStart(const Error& error, std::int64_t first_row) {
  if (first_row == 0) return error;
  Error::Details details = error.details();
  const auto row = details.metadata.find("row");
  if (row != details.metadata.end()) {
    std::int64_t number = 0;
    const char* end = row->second.data() + row->second.size();
    const auto parsed = std::from_chars(row->second.data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
      row->second = std::to_string(number + first_row);
    }
  }
  return Error(error.code(),
               std::string(error.what()) + " (in the call from row " +
                   std::to_string(first_row) + " on)",
               std::move(details));
}

// The ranges after the first, shared by the threads that work them off.
class Remainder {
 public:
  Remainder(const ComputeCall& call, const v1::ComputeRequest& base,
            std::span<const v1::Quantity> quantities, const States& states,
            const ComputeOptions& options, std::span<const RowRange> ranges,
            Evaluation* whole)
      : call_(call),
        base_(base),
        quantities_(quantities),
        states_(states),
        options_(options),
        ranges_(ranges),
        total_(whole->rows),
        done_(ranges.front().first),
        whole_(whole) {}

  void Run(int threads) {
    std::vector<std::jthread> workers;
    for (int k = 1; k < threads; ++k) workers.emplace_back([this] { Work(); });
    Work();
    workers.clear();  // joins
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void Work() {
    v1::ComputeRequest request = base_;
    while (!group_.cancelled()) {
      const std::size_t k = next_.fetch_add(1);
      if (k >= ranges_.size()) return;
      try {
        AddRows(states_, options_, ranges_[k], &request);
        Finish(call_(request, group_), ranges_[k]);
      } catch (const Error& error) {
        Fail(
            std::make_exception_ptr(CountedFromStart(error, ranges_[k].first)));
      } catch (...) {
        Fail(std::current_exception());
      }
    }
  }

  void Finish(const v1::ComputeReply& reply, const RowRange& range) {
    const std::lock_guard lock(mutex_);
    Join(reply, quantities_, options_.task.sigma_min, range, total_, whole_);
    done_ += range.count;
    if (options_.progress) options_.progress(done_, total_);
  }

  void Fail(std::exception_ptr failure) {
    {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::move(failure);
    }
    group_.Cancel();
  }

  const ComputeCall& call_;
  const v1::ComputeRequest& base_;
  const std::span<const v1::Quantity> quantities_;
  const States& states_;
  const ComputeOptions& options_;
  const std::span<const RowRange> ranges_;
  const std::int64_t total_;
  std::atomic<std::size_t> next_{0};
  CallGroup group_;

  std::mutex mutex_;  // guards what follows
  std::int64_t done_;
  Evaluation* whole_;
  std::exception_ptr failure_;
};

}  // namespace

Evaluation ComputeBatch(const ComputeCall& call, const BatchLimits& limits,
                        const std::string& model,
                        std::span<const v1::Quantity> quantities,
                        const States& states, const ComputeOptions& options) {
  Evaluation whole;
  whole.rows = CountStates(states, options);
  const std::vector<RowRange> ranges = CutRows(
      whole.rows, RowsPerCall(RequestBytesPerRow(states, options),
                              ReplyBytesPerRow(quantities, states, options),
                              limits.max_message_bytes));

  v1::ComputeRequest request = MakeRequest(model, quantities, options);
  {
    v1::ComputeRequest first_request = request;
    AddRows(states, options, ranges.front(), &first_request);
    CallGroup alone;
    const v1::ComputeReply reply = call(first_request, alone);
    // Without joints there is nothing to count states by: the server's word
    // counts, which is never more than it was sent, or one.
    const auto most =
        static_cast<std::uint64_t>(std::max<std::int64_t>(whole.rows, 1));
    if (ranges.size() == 1 && reply.rows() <= most) {
      whole.rows = static_cast<std::int64_t>(reply.rows());
    }
    whole.echo = reply.echo();
    whole.echo.clear_timing();
    const RowRange range =
        ranges.size() == 1 ? RowRange{0, whole.rows} : ranges.front();
    Join(reply, quantities, options.task.sigma_min, range, whole.rows, &whole);
    if (options.progress) options.progress(range.count, whole.rows);
  }

  if (ranges.size() > 1) {
    request.set_model("@" + whole.echo.revision());
    Remainder remainder(call, request, quantities, states, options,
                        std::span(ranges).subspan(1), &whole);
    remainder.Run(static_cast<int>(std::min<std::size_t>(
        ranges.size() - 1,
        static_cast<std::size_t>(std::max(limits.calls_in_flight, 1)))));
    std::sort(whole.row_status.begin(), whole.row_status.end(),
              [](const v1::RowStatus& a, const v1::RowStatus& b) {
                return a.row() < b.row();
              });
  }
  return whole;
}

}  // namespace torqued::client
