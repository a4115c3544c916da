#include "client/cli/named_columns.h"

#include <algorithm>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/terminal/plain_text.h"
#include "server/flags/near_names.h"

namespace torqued::cli {

std::string NearHint(std::string_view name, std::span<const std::string> there,
                     const std::set<std::string>& right) {
  std::vector<std::string> others(there.begin(), there.end());
  std::erase_if(others, [&right](const std::string& other) {
    return right.contains(other);
  });
  const std::vector<std::string> near = flags::NearNames(name, others);
  if (near.empty()) return {};
  return "; did you mean " + PlainText(near.front(), 128) + "?";
}

NamedColumns::NamedColumns(const CsvTable& table, std::string place)
    : table_(table), place_(std::move(place)), used_(table.header.size()) {
  std::set<std::string_view> names;
  for (const std::string& name : table.header) {
    if (!names.insert(name).second) {
      throw DataError(place_, "has two columns '" + PlainText(name, 128) + "'");
    }
  }
}

std::optional<client::Batch> NamedColumns::Take(
    const std::vector<std::string>& joints, std::string_view suffix,
    const std::string& hint) {
  std::vector<Eigen::Index> columns;
  std::string missing;
  for (const std::string& joint : joints) {
    const std::string name = joint + "." + std::string(suffix);
    if (const auto column = Find(name)) {
      columns.push_back(*column);
    } else {
      missing += (missing.empty() ? "" : ", ") + name;
    }
  }
  if (columns.empty() && !joints.empty()) return std::nullopt;
  if (!missing.empty()) {
    const std::string near = NearHint(joints, suffix);
    throw DataError(place_,
                    "has no column " + missing + (near.empty() ? hint : near));
  }

  client::Batch batch(table_.numbers.rows(),
                      static_cast<Eigen::Index>(joints.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    batch.col(static_cast<Eigen::Index>(k)) = table_.numbers.col(columns[k]);
    used_[static_cast<std::size_t>(columns[k])] = true;
  }
  return batch;
}

std::optional<std::vector<double>> NamedColumns::TakeOne(
    std::string_view name) {
  const auto column = Find(name);
  if (!column) return std::nullopt;
  used_[static_cast<std::size_t>(*column)] = true;
  const auto numbers = table_.numbers.col(*column);
  return std::vector<double>(numbers.begin(), numbers.end());
}

std::string NamedColumns::NearHint(const std::vector<std::string>& joints,
                                   std::string_view suffix) const {
  // The column of another joint is near, and not what was meant.
  std::set<std::string> theirs;
  for (const std::string& joint : joints) {
    for (const char* const known : {"", ".q", ".v", ".a", ".tau"}) {
      theirs.insert(joint + known);
    }
  }
  const std::vector<std::string> unused = Unused();
  for (const std::string& joint : joints) {
    const std::string name = joint + "." + std::string(suffix);
    if (Find(name)) continue;
    std::string hint = cli::NearHint(name, unused, theirs);
    if (!hint.empty()) return hint;
  }
  return {};
}

std::vector<std::string> NamedColumns::Unused() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < used_.size(); ++k) {
    if (!used_[k]) names.push_back(table_.header[k]);
  }
  return names;
}

std::optional<Eigen::Index> NamedColumns::Find(std::string_view name) const {
  const auto found =
      std::find(table_.header.begin(), table_.header.end(), name);
  if (found == table_.header.end()) return std::nullopt;
  return found - table_.header.begin();
}

}  // namespace torqued::cli
