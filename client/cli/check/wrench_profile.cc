#include "client/cli/check/wrench_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/csv_reader.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/npy_reader.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/named_columns.h"
#include "client/cli/near_hint.h"

namespace torqued::cli {
namespace {

constexpr std::array<const char*, 7> kColumns = {"time", "mx", "my", "mz",
                                                 "fx",   "fy", "fz"};

client::Batch ReadTable(const std::filesystem::path& path) {
  const std::string name = path.string();
  const std::string content = ReadFile(path);
  switch (ContainerOfContent(content, path)) {
    case Container::kNpy:
      return ParseNpy(content, name);
    case Container::kCsv:
      break;
    default:
      throw DataError(name, "is neither CSV nor NPY");
  }
  CsvTable csv = ParseCsv(content, name);
  if (csv.header.empty()) return std::move(csv.numbers);
  NamedColumns columns(csv, name);
  client::Batch table(csv.numbers.rows(), Eigen::Index{kColumns.size()});
  for (std::size_t k = 0; k < kColumns.size(); ++k) {
    const auto column = columns.TakeOne(kColumns[k]);
    if (!column) {
      throw DataError(name, std::string("has no column ") + kColumns[k] +
                                NearHint(kColumns[k], columns.Unused(),
                                         {kColumns.begin(), kColumns.end()}));
    }
    table.col(static_cast<Eigen::Index>(k)) = Eigen::Map<const Eigen::VectorXd>(
        column->data(), static_cast<Eigen::Index>(column->size()));
  }
  return table;
}

}  // namespace

WrenchProfile::WrenchProfile(std::string name, std::vector<double> time,
                             client::Batch wrench)
    : name_(std::move(name)),
      time_(std::move(time)),
      wrench_(std::move(wrench)) {}

WrenchProfile WrenchProfile::Read(const std::filesystem::path& path) {
  const client::Batch table = ReadTable(path);
  const std::string name = path.string();
  if (table.cols() != Eigen::Index{kColumns.size()}) {
    throw DataError(name, "has " + std::to_string(table.cols()) +
                              " columns, not time, mx, my, mz, fx, fy, fz");
  }
  if (table.rows() == 0) throw DataError(name, "has no rows");
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    const std::string place = name + ", row " + std::to_string(row);
    if (!table.row(row).allFinite()) {
      throw DataError(place, "has a number that is not finite");
    }
    if (row > 0 && table(row, 0) <= table(row - 1, 0)) {
      throw DataError(
          place, "time " + ShortestText(table(row, 0)) + " does not increase");
    }
  }
  const auto time = table.col(0);
  return {name, std::vector<double>(time.begin(), time.end()),
          table.rightCols(6)};
}

client::Batch WrenchProfile::Table() const {
  client::Batch table(wrench_.rows(), 7);
  table.col(0) =
      Eigen::Map<const Eigen::VectorXd>(time_.data(), wrench_.rows());
  table.rightCols(6) = wrench_;
  return table;
}

client::Batch WrenchProfile::At(std::span<const double> times) const {
  client::Batch rows(static_cast<Eigen::Index>(times.size()), 6);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double time = times[k];
    // Also for what is no number.
    if (!(time >= time_.front() && time <= time_.back())) {
      throw DataError(name_, "goes from " + ShortestText(time_.front()) +
                                 " s to " + ShortestText(time_.back()) +
                                 " s; sample " + std::to_string(k) + " is at " +
                                 ShortestText(time) + " s");
    }
    const auto next = std::lower_bound(time_.begin(), time_.end(), time);
    const Eigen::Index right = next - time_.begin();
    auto row = rows.row(static_cast<Eigen::Index>(k));
    if (*next == time) {
      row = wrench_.row(right);
      continue;
    }
    const double share = (time - *(next - 1)) / (*next - *(next - 1));
    row = (1 - share) * wrench_.row(right - 1) + share * wrench_.row(right);
  }
  return rows;
}

}  // namespace torqued::cli
