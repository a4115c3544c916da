#include "client/cli/check/wrench_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/named_columns.h"

namespace torqued::cli {
namespace {

constexpr std::array<const char*, 7> kColumns = {"time", "mx", "my", "mz",
                                                 "fx",   "fy", "fz"};

}  // namespace

WrenchProfile::WrenchProfile(const std::filesystem::path& path)
    : name_(path.string()) {
  const std::string content = ReadFile(path);
  const Container container = ContainerOfContent(content, path);
  if (container != Container::kCsv && container != Container::kNpy) {
    throw DataError(name_, "is neither CSV nor NPY");
  }
  CsvTable csv = ParseTable(content, name_);
  if (csv.header.empty()) {
    table_ = std::move(csv.numbers);
  } else {
    NamedColumns columns(csv, name_);
    table_.resize(csv.numbers.rows(), Eigen::Index{kColumns.size()});
    Eigen::Index at = 0;
    for (const char* const column : kColumns) {
      const auto numbers = columns.TakeOne(column);
      if (!numbers) {
        throw DataError(name_,
                        std::string("has no column ") + column +
                            NearHint(column, columns.Unused(),
                                     {kColumns.begin(), kColumns.end()}));
      }
      table_.col(at++) =
          Eigen::Map<const Eigen::VectorXd>(numbers->data(), table_.rows());
    }
  }
  if (table_.cols() != Eigen::Index{kColumns.size()}) {
    throw DataError(name_, "has " + std::to_string(table_.cols()) +
                               " columns, not time, mx, my, mz, fx, fy, fz");
  }
  if (table_.rows() == 0) throw DataError(name_, "has no rows");
  for (Eigen::Index row = 0; row < table_.rows(); ++row) {
    const auto fail = [&](const std::string& problem) {
      throw DataError(name_ + ", row " + std::to_string(row), problem);
    };
    if (!table_.row(row).allFinite()) fail("has a number that is not finite");
    const double time = table_(row, 0);
    if (row > 0 && time <= table_(row - 1, 0)) {
      fail("time " + ShortestText(time) + " does not increase");
    }
  }
}

client::Batch WrenchProfile::At(std::span<const double> times) const {
  const auto known = table_.col(0);
  const double first = known[0], last = known[known.size() - 1];
  const auto wrenches = table_.rightCols(6);
  client::Batch rows(static_cast<Eigen::Index>(times.size()), 6);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double time = times[k];
    // Also for what is no number.
    if (!(time >= first && time <= last)) {
      throw DataError(name_, "goes from " + ShortestText(first) + " s to " +
                                 ShortestText(last) + " s; sample " +
                                 std::to_string(k) + " is at " +
                                 ShortestText(time) + " s");
    }
    const Eigen::Index right =
        std::lower_bound(known.begin(), known.end(), time) - known.begin();
    auto row = rows.row(static_cast<Eigen::Index>(k));
    if (known[right] == time) {
      row = wrenches.row(right);
      continue;
    }
    const double before = known[right - 1];
    const double share = (time - before) / (known[right] - before);
    row = (1 - share) * wrenches.row(right - 1) + share * wrenches.row(right);
  }
  return rows;
}

}  // namespace torqued::cli
