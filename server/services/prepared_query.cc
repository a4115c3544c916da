#include "server/services/prepared_query.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/batch/row_workspace.h"
#include "core/lanes/targets.h"
#include "server/wire/reply.h"
#include "server/wire/request.h"

namespace torqued::server {
namespace {

std::int64_t WorkspaceBytes(const EvaluationPlan& plan,
                            std::string_view target) {
  const auto kernels =
      std::ranges::find(Targets(), target, &LaneKernels::target);
  if (kernels == Targets().end()) return 0;
  const std::int64_t bytes = RowWorkspace::BytesFor(plan, **kernels);
  return bytes <= RowWorkspace::kMostKept ? 0 : bytes;
}

// Measured with robots of 1 to 85 frames: what a query takes that its bytes()
// leaves out, and the model, by its frames.
constexpr std::size_t kBytesOfQuery = 4096;
constexpr std::size_t kBytesOfFrame = 1280;

void AppendNumber(std::size_t number, std::string* key) {
  const auto fixed = static_cast<std::uint64_t>(number);
  key->append(reinterpret_cast<const char*>(&fixed), sizeof(fixed));
}

/// With its length, so that no two queries have one key.
void AppendText(std::string_view text, std::string* key) {
  AppendNumber(text.size(), key);
  key->append(text);
}

/// Absent and empty are the same, as they are to DecodeQuery.
template <class Message>
void AppendMessage(const Message* message, std::string* key) {
  if (message == nullptr) return AppendNumber(0, key);
  AppendNumber(message->ByteSizeLong(), key);
  message->AppendPartialToString(key);
}

/// Everything that a query depends on, but for the target.
void WriteKey(const ComputeFields& view, const ModelEntry& entry,
              std::string* key) {
  key->clear();
  AppendText(entry.name, key);
  AppendText(entry.loaded->revision, key);
  AppendNumber(view.quantities.size(), key);
  key->append(reinterpret_cast<const char*>(view.quantities.data()),
              view.quantities.size_bytes());
  AppendMessage(view.options, key);
  AppendMessage(view.operational_space, key);
  AppendNumber(static_cast<std::size_t>(view.wrench_frame), key);
}

bool IsLarge(const ComputeFields& view, const ModelEntry& entry) {
  const Model* model = entry.loaded->model.get();
  return model == nullptr || model->nv() > QueryCache::kMaxDof ||
         model->frames().size() > QueryCache::kMaxFrames ||
         view.quantities.size_bytes() > QueryCache::kMaxQueryBytes ||
         (view.options != nullptr &&
          view.options->ByteSizeLong() > QueryCache::kMaxQueryBytes) ||
         (view.operational_space != nullptr &&
          view.operational_space->ByteSizeLong() > QueryCache::kMaxQueryBytes);
}

}  // namespace

OrError<QueryPtr> PrepareQuery(const ComputeFields& view,
                               const ModelEntry& entry,
                               std::string_view target) {
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
                    .sigma_min = query.sigma_min,
                    .echo = {},
                    .echo_with_wrench = {},
                    .workspace_bytes = 0});
  prepared->workspace_bytes = WorkspaceBytes(prepared->plan, target);
  v1::Echo echo;
  FillEcho(prepared->plan, prepared->sigma_min, entry.name,
           entry.loaded->revision, entry.loaded->options->validation, target,
           &echo);
  prepared->echo = echo.SerializeAsString();
  FillTipFrameOfAnyStates(prepared->plan, &echo);
  prepared->echo_with_wrench = echo.SerializeAsString();
  return prepared;
}

OrError<QueryPtr> QueryCache::Prepare(const ComputeFields& view,
                                      const ModelEntry& entry,
                                      std::string_view target) {
  if (IsLarge(view, entry)) return server::PrepareQuery(view, entry, target);
  // Keeps its memory from call to call.
  static thread_local std::string key;
  WriteKey(view, entry, &key);
  if (auto known = Find(key)) return known;
  auto made = server::PrepareQuery(view, entry, target);
  if (const auto* query = std::get_if<QueryPtr>(&made);
      query != nullptr && (*query)->plan.bytes() <= kMaxPlanBytes) {
    Insert(key, *query);
  }
  return made;
}

std::size_t QueryCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

QueryPtr QueryCache::Find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  return entries_.Find(key);
}

void QueryCache::Insert(std::string_view key, const QueryPtr& query) {
  const std::size_t frames = query->plan.model().frames().size();
  const std::size_t bytes = kBytesOfQuery + kBytesOfFrame * frames +
                            key.size() +
                            static_cast<std::size_t>(query->bytes());
  LruMap<QueryPtr>::Entries out;  // freed after the lock
  const std::lock_guard lock(mutex_);
  out = entries_.Insert({std::string(key), query, bytes});
}

}  // namespace torqued::server
