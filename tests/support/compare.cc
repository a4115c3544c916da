#include "tests/support/compare.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iostream>
#include <limits>

namespace torqued::testing_support {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string Short(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return text;
}

/// Names of properties are names of XML attributes.
std::string PropertyName(const std::string& quantity) {
  std::string name = quantity;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

}  // namespace

double RelativeError(const Eigen::Ref<const Eigen::MatrixXd>& actual,
                     const Eigen::Ref<const Eigen::MatrixXd>& expected,
                     double scale) {
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols() ||
      !actual.allFinite() || !expected.allFinite()) {
    return kInfinity;
  }
  if (expected.size() == 0) return 0;
  const double difference = (actual - expected).cwiseAbs().maxCoeff();
  if (difference == 0) return 0;
  return difference / std::max(expected.cwiseAbs().maxCoeff(), scale);
}

double ConditionNumber(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  if (matrix.size() == 0) return 1;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix);
  const auto& sigma = svd.singularValues();
  return sigma[sigma.size() - 1] > 0 ? sigma[0] / sigma[sigma.size() - 1]
                                     : kInfinity;
}

LargestErrors::~LargestErrors() {
  for (const auto& [quantity, range] : ranges_) {
    const std::string errors =
        Short(range.smallest) + " to " + Short(range.largest);
    std::cout << "  error of " << quantity << ": " << errors << " ("
              << range.largest_at << ")\n";
    ::testing::Test::RecordProperty(PropertyName(quantity), errors);
  }
}

void LargestErrors::Add(const std::string& quantity, double error,
                        const std::string& where) {
  // NaN compares false with everything; it must not pass for small.
  if (!(error >= 0)) error = kInfinity;
  const auto [place, is_new] =
      ranges_.try_emplace(quantity, Range{error, error, where, where});
  if (is_new) return;
  Range& range = place->second;
  if (error > range.largest) {
    range.largest = error;
    range.largest_at = where;
  }
  if (error < range.smallest) {
    range.smallest = error;
    range.smallest_at = where;
  }
}

void LargestErrors::Add(const std::string& quantity,
                        const Eigen::Ref<const Eigen::MatrixXd>& actual,
                        const Eigen::Ref<const Eigen::MatrixXd>& expected,
                        const std::string& where) {
  Add(quantity, RelativeError(actual, expected), where);
}

const LargestErrors::Range* LargestErrors::Find(
    const std::string& quantity) const {
  const auto found = ranges_.find(quantity);
  if (found != ranges_.end()) return &found->second;
  ADD_FAILURE() << quantity << " was never compared";
  return nullptr;
}

void LargestErrors::ExpectBelow(const std::string& quantity,
                                double bound) const {
  const Range* range = Find(quantity);
  if (range == nullptr) return;
  EXPECT_LE(range->largest, bound) << quantity << " at " << range->largest_at;
}

void LargestErrors::ExpectAbove(const std::string& quantity,
                                double bound) const {
  const Range* range = Find(quantity);
  if (range == nullptr) return;
  EXPECT_GE(range->smallest, bound) << quantity << " at " << range->smallest_at;
}

}  // namespace torqued::testing_support
