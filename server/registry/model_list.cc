// Registry::List.
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/model/text.h"
#include "server/registry/page_token.h"
#include "server/registry/registry.h"
#include "server/registry/registry_errors.h"

namespace torqued::server {
namespace {

using Code = RegistryError::Code;

constexpr std::uint32_t kDefaultPageSize = 100;
constexpr std::uint32_t kMaxPageSize = 1000;
// Between two reads of so many names others get at the store.
constexpr std::size_t kNamesAtOnce = 100;

}  // namespace

OrRegistryError<ModelPage> Registry::List(
    std::uint32_t page_size, std::string_view page_token,
    const std::function<bool()>& cancelled, const AdmitSource& admit) {
  std::string after;
  if (!page_token.empty()) {
    auto decoded = DecodePageToken(page_token);
    if (!decoded) {
      return MakeError(Code::kInvalidReference,
                       "page token " + Quoted(page_token) +
                           " is none that a listing returned",
                       "page_token");
    }
    after = *std::move(decoded);
  }
  const std::size_t size =
      page_size == 0 ? kDefaultPageSize : std::min(page_size, kMaxPageSize);
  ModelPage page;
  for (std::size_t seen = 0;;) {
    if (cancelled && cancelled()) {
      return MakeError(Code::kStoreUnavailable, "the listing was cancelled");
    }
    const std::size_t wanted = std::min(size - seen, kNamesAtOnce);
    // One more tells whether there is more.
    auto read = store_->ListNames(after, wanted + 1);
    if (const auto* error = std::get_if<StoreError>(&read)) {
      return FromStore(*error);
    }
    auto& names = std::get<std::vector<ListedName>>(read);
    const bool more = names.size() > wanted;
    if (more) names.pop_back();
    seen += names.size();
    if (more) after = names.back().name;
    auto listed = Summarized(std::move(names), admit);
    if (auto* error = std::get_if<RegistryError>(&listed)) {
      return std::move(*error);
    }
    auto& models = std::get<std::vector<ListedModel>>(listed);
    std::move(models.begin(), models.end(), std::back_inserter(page.models));
    if (more && seen == size) page.next_page_token = EncodePageToken(after);
    if (!more || seen == size) return page;
  }
}

}  // namespace torqued::server
