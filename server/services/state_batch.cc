#include "server/services/state_batch.h"

#include <algorithm>
#include <utility>

#include "core/engine/evaluate_rows.h"

namespace torqued::server {
namespace {

// Measured with robots of 1 to 85 frames: what a query takes that its bytes()
// leaves out, and the model, by its frames.
constexpr std::size_t kBytesOfQuery = 4096;
constexpr std::size_t kBytesOfFrame = 1280;

/// All that a query depends on, but for the kernels. Empty: that is too much.
std::string KeyOf(const ComputeFields& view, const ModelEntry& entry) {
  std::string key;
  // With their lengths, so that no two queries have one key.
  const auto append = [&key](std::string_view part) {
    key.append(std::to_string(part.size())).append(":").append(part);
  };
  append(entry.name);
  append(entry.loaded->revision);
  append(std::to_string(view.wrench_frame));
  append({reinterpret_cast<const char*>(view.quantities.data()),
          view.quantities.size_bytes()});
  // Absent and empty are the same, as they are to DecodeQuery.
  append(view.options == nullptr ? ""
                                 : view.options->SerializePartialAsString());
  if (view.operational_space != nullptr) {
    append(view.operational_space->SerializePartialAsString());
  }
  if (key.size() > QueryCache::kMaxKeyBytes) key.clear();
  return key;
}

/// Serialized, of a row status on average at most.
constexpr std::size_t kRowStatusBytes = 512;

}  // namespace

OrError<QueryPtr> PrepareQuery(const ComputeFields& view,
                               const ModelEntry& entry,
                               const SimdKernels& kernels) {
  if (entry.loaded->model == nullptr) return BrokenModel(entry);
  auto decoded = DecodeQuery(view);
  if (auto* error = std::get_if<Error>(&decoded)) return std::move(*error);
  auto& query = std::get<DecodedQuery>(decoded);
  auto created =
      EvaluationPlan::Create(entry.loaded->model, std::move(query.options));
  if (auto* error = std::get_if<ArgumentError>(&created)) {
    return ToError(*error);
  }
  auto prepared = std::make_shared<PreparedQuery>(
      PreparedQuery{.plan = std::get<EvaluationPlan>(std::move(created)),
                    .encoding = query.encoding,
                    .fail_fast = query.fail_fast,
                    .sigma_min = query.sigma_min});
  const auto bytes = RowWorkspace::BytesFor(prepared->plan, kernels);
  if (bytes > RowWorkspace::kMaxRetainedBytes)
    prepared->workspace_bytes = bytes;
  v1::Echo echo;
  FillEcho(prepared->plan, prepared->sigma_min, entry.name,
           entry.loaded->revision, entry.loaded->options->validation,
           kernels.target, &echo);
  prepared->echo = echo.SerializeAsString();
  FillTipFrameOfAnyStates(prepared->plan, &echo);
  prepared->echo_with_wrench = echo.SerializeAsString();
  return prepared;
}

OrError<QueryPtr> QueryCache::Prepare(const ComputeFields& view,
                                      const ModelEntry& entry,
                                      const SimdKernels& kernels) {
  std::string key = KeyOf(view, entry);
  if (!key.empty()) {
    if (QueryPtr known = entries_.Find(key)) return known;
  }
  auto made = PrepareQuery(view, entry, kernels);
  const auto* query = std::get_if<QueryPtr>(&made);
  if (!key.empty() && query != nullptr &&
      (*query)->plan.bytes() <= kMaxPlanBytes) {
    const std::size_t bytes =
        kBytesOfQuery + kBytesOfFrame * (*query)->plan.model().frames().size() +
        key.size() + static_cast<std::size_t>((*query)->bytes());
    entries_.Insert(key, *query, bytes);
  }
  return made;
}

StateBatch::StateBatch(QueryPtr query, v1::Results* results)
    : query_(std::move(query)),
      plan_(std::make_shared<EvaluationPlan>(query_->plan)),
      form_{.sigma_min = query_->sigma_min},
      results_(results) {}

std::optional<Error> StateBatch::Bind(const ComputeFields& states) {
  auto decoded = DecodeStates(states);
  if (auto* error = std::get_if<Error>(&decoded)) return std::move(*error);
  if (const auto error = plan_->Rebind(std::get<EvaluationInputs>(decoded))) {
    return ToError(*error, states.tip_wrench_field);
  }
  form_.payload = query_->encoding ? *query_->encoding : EncodingOf(states);
  return std::nullopt;
}

std::optional<Error> StateBatch::Admit(std::size_t echo_bytes,
                                       const ComputeLimits& limits,
                                       Reservation* room) {
  const auto echo = static_cast<std::int64_t>(echo_bytes);
  const std::int64_t rows = plan_->rows();
  const std::int64_t per_row = ReplyBytesPerRow(*plan_, form_);
  const std::int64_t left = limits.max_message_bytes - echo - kReplyFrameBytes;
  const bool too_many = rows > limits.max_rows;
  // In this form nothing overflows.
  const std::int64_t fit = too_many       ? limits.max_rows
                           : left < 0     ? 0
                           : per_row == 0 ? limits.max_rows
                                          : left / per_row;
  if (rows > fit) {
    const auto limit =
        std::to_string(too_many ? limits.max_rows : limits.max_message_bytes);
    return MakeError(
        v1::REQUEST_TOO_LARGE,
        (too_many ? "At most " + limit + " states are accepted; "
                  : "The reply would take over " + limit + " bytes; ") +
            std::to_string(fit) + " states fit.",
        {{"limit", limit},
         {"setting", too_many ? "max-rows" : "max-message-bytes"},
         {"rows_that_fit", std::to_string(fit)}});
  }
  // The threads of one call take an eighth of what may be in flight.
  most_threads_ = 0;
  if (query_->workspace_bytes > 0 && rows > 0) {
    most_threads_ = static_cast<int>(std::clamp<std::int64_t>(
        room->admission().limit().bytes / 8 / query_->workspace_bytes, 1,
        std::min<std::int64_t>(rows, limits.threads)));
  }
  // The results are there twice once serialized, until they are sent.
  if (auto error = room->Grow(echo + 2 * rows * per_row +
                              most_threads_ * query_->workspace_bytes)) {
    return error;
  }
  room_ = room;
  results_.Lay(*plan_, form_);
  row_status_bytes_ = static_cast<std::size_t>(left - rows * per_row);
  return std::nullopt;
}

std::optional<Error> StateBatch::Finish(
    const EvaluationReport& report, std::uint64_t first_row,
    google::protobuf::RepeatedPtrField<v1::RowStatus>* row_status) {
  if (query_->fail_fast && !report.issues.empty()) {
    const auto row = ToRowStatus(*plan_, report.issues.front(), first_row);
    const std::string number = std::to_string(row.row());
    return MakeError(v1::ROW_FAILED,
                     "Row " + number + " failed: " + row.message(),
                     {{"row", number},
                      {"code", v1::RowCode_Name(row.code())},
                      {"field", row.field()},
                      {"joint", row.joint()}});
  }
  results_.Finish();
  // Nothing is computed any more.
  room_->ShrinkTo(room_->bytes() - most_threads_ * query_->workspace_bytes);
  if (report.issues.empty()) return std::nullopt;
  std::size_t listed = 8 * kRowStatusBytes;  // in any case
  const std::size_t all = report.issues.size() * kRowStatusBytes;
  // In memory twice beside.
  if (all > listed && !room_->Grow(static_cast<std::int64_t>(3 * all))) {
    listed = all;
  }
  FillRowStatus(*plan_, report, first_row, std::min(row_status_bytes_, listed),
                row_status);
  return std::nullopt;
}

}  // namespace torqued::server
