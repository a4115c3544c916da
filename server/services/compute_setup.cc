#include "server/services/compute_setup.h"

#include <algorithm>
#include <utility>

#include "core/batch/row_workspace.h"
#include "core/lanes/targets.h"
#include "server/errors/mapping.h"
#include "server/wire/decode_request.h"
#include "server/wire/echo.h"

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

}  // namespace

OrError<std::shared_ptr<const ComputeSetup>> SetUp(const QueryView& view,
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
  auto setup = std::make_shared<ComputeSetup>(
      ComputeSetup{.plan = std::get<EvaluationPlan>(std::move(created)),
                   .encoding = query.encoding,
                   .fail_fast = query.fail_fast,
                   .sigma_min = query.sigma_min,
                   .echo = {},
                   .echo_with_wrench = {},
                   .workspace_bytes = 0});
  setup->workspace_bytes = WorkspaceBytes(setup->plan, target);
  v1::Echo echo;
  FillEcho(setup->plan, setup->sigma_min, entry.name, entry.loaded->revision,
           entry.loaded->options->validation, target, &echo);
  setup->echo = echo.SerializeAsString();
  FillTipFrameOfAnyStates(setup->plan, &echo);
  setup->echo_with_wrench = echo.SerializeAsString();
  return setup;
}

}  // namespace torqued::server
