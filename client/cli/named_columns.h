// Columns of a table, found by joint name.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/formats/csv.h"

namespace torqued::cli {

/// "; did you mean elbw.q?": of the names that are there the nearest to `name`,
/// but for those that are `right`, which mean themselves. Empty if none is
/// near.
std::string NearHint(std::string_view name, std::span<const std::string> there,
                     const std::set<std::string>& right);

/// Columns named "<joint>.<suffix>", like "elbow.q". Nothing is matched by
/// position.
class NamedColumns {
 public:
  /// `table` must outlive this. Throws DataError when a name stands twice.
  NamedColumns(const CsvTable& table, std::string place);

  /// The columns of all joints in their order; nothing when no joint has one
  /// (none at all where there are no joints).
  /// Throws DataError when some have and some have not; it ends with NearHint,
  /// else with `hint`.
  std::optional<client::Batch> Take(const std::vector<std::string>& joints,
                                    std::string_view suffix,
                                    const std::string& hint = "");
  /// One column by its whole name.
  std::optional<std::vector<double>> TakeOne(std::string_view name);

  /// The cli::NearHint for the first joint without such a column, among the
  /// columns that belong to no joint. Empty without such a column.
  std::string NearHint(const std::vector<std::string>& joints,
                       std::string_view suffix) const;

  /// Names of the columns that nothing took.
  std::vector<std::string> Unused() const;

 private:
  std::optional<Eigen::Index> Find(std::string_view name) const;

  const CsvTable& table_;
  std::string place_;
  std::vector<bool> used_;
};

}  // namespace torqued::cli
