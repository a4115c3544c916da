#include "client/cpp/result_fields.h"

#include <iterator>
#include <sstream>

namespace torqued::client {
namespace {

const v1::TableInfo* InfoOf(const char* name) {
  return &v1::Results::descriptor()
              ->FindFieldByName(name)
              ->options()
              .GetExtension(v1::table_info);
}

}  // namespace

std::span<const ResultField> ResultFields() {
  static const ResultField kFields[] = {
#define TORQUED_RESULT_TABLE(name)                                         \
  {#name, &v1::Results::has_##name, &v1::Results::name, &Evaluation::name, \
   InfoOf(#name)},
#include "torqued/v1/tables.inc"
  };
  return kFields;
}

std::vector<std::string> Dimensions(const v1::TableInfo& info) {
  std::istringstream words(info.shape());
  return {std::istream_iterator<std::string>(words), {}};
}

std::int64_t Columns(const v1::TableInfo& info, std::int64_t n,
                     std::int64_t m) {
  std::int64_t columns = 1;
  for (const std::string& word : Dimensions(info)) {
    columns *= word == "nv" || word == "links" ? n
               : word == "10links"             ? 10 * n
               : word == "m"                   ? m
                                               : std::stoll(word);
  }
  return columns;
}

}  // namespace torqued::client
