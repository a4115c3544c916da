#include "core/trajectory/sample_digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace torqued {
namespace {

/// Powers of ten that are numbers of double precision.
constexpr std::array<double, 23> kPowers = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kMostExact = 22;

/// Above that every number is whole.
constexpr double kWhole = 9007199254740992;

double Power(int exponent) {
  return kPowers[static_cast<std::size_t>(exponent)];
}

bool IsSingle(double number) {
  return std::abs(number) <=
             static_cast<double>(std::numeric_limits<float>::max()) &&
         static_cast<double>(static_cast<float>(number)) == number;
}

/// Of the first significant digit; `size` is above 0.
int Exponent(double size) {
  return static_cast<int>(std::floor(std::log10(size)));
}

}  // namespace

/// Whether `size`, above 0, is what so many decimals read as; a quotient of two
/// exact numbers is the nearest one to the decimal.
bool SampleDigits::Fewest::Reads(double size, int decimals_of_it) const {
  double read = size;
  if (decimals_of_it >= 0) {
    const double power = Power(decimals_of_it);
    const double scaled = size * power;
    if (scaled >= kWhole) return true;
    read = std::round(scaled) / power;
  } else {
    const double unit = Power(-decimals_of_it);
    read = std::round(size / unit) * unit;
  }
  return (single ? static_cast<double>(static_cast<float>(read)) : read) ==
         size;
}

bool SampleDigits::Fewest::ReadsDigits(double size, int digits_of_it) const {
  const int last = digits_of_it - 1 - Exponent(size);
  return std::abs(last) > kMostExact || Reads(size, last);
}

void SampleDigits::Fewest::Take(double size) {
  while (decimals < kAll && !Reads(size, decimals)) ++decimals;
  // With fewer decimals than these it has no more digits.
  const bool few = decimals < kAll && digits < kAll &&
                   size * Power(decimals) < Power(digits);
  while (!few && digits < kAll && !ReadsDigits(size, digits)) ++digits;
}

SampleDigits::Reader::Reader(const SampleView& table)
    : table_(table),
      lowest_(static_cast<std::size_t>(table.cols()),
              std::numeric_limits<double>::infinity()),
      highest_(lowest_.size(), -std::numeric_limits<double>::infinity()) {}

SampleDigits::Reader SampleDigits::Reader::OfTimes(
    std::span<const double> time) {
  Reader reader(
      SampleView(time.data(), static_cast<Eigen::Index>(time.size()), 1));
  reader.of_times_ = true;
  return reader;
}

void SampleDigits::Reader::AddRow(Eigen::Index row) {
  for (Eigen::Index k = 0; k < table_.cols(); ++k) {
    const double number = table_(row, k), size = std::abs(number);
    double& lowest = lowest_[static_cast<std::size_t>(k)];
    double& highest = highest_[static_cast<std::size_t>(k)];
    lowest = std::min(lowest, number);
    highest = std::max(highest, number);
    if (!(size > 0)) continue;
    largest_ = std::max(largest_, size);
    exact_.Take(size);
    single_ = single_ && IsSingle(size);
    if (single_) nearest_.Take(size);
  }
  if (!of_times_ || row == 0) return;
  const double step = table_(row, 0) - table_(row - 1, 0);
  shortest_step_ = std::min(shortest_step_, step);
  longest_step_ = std::max(longest_step_, step);
}

SampleDigits SampleDigits::Reader::Finish() const {
  SampleDigits read;
  double range = 0;
  for (std::size_t k = 0; k < lowest_.size() && table_.rows() > 0; ++k) {
    // A half of it does not overflow.
    range = std::max(range, highest_[k] / 2 - lowest_[k] / 2);
  }
  read.largest_ = largest_;
  const bool of_single = single_ && !exact_.found();
  const Fewest& fewest = of_single ? nearest_ : exact_;
  if (fewest.decimals < kAll) read.decimal_ = 1 / Power(fewest.decimals);
  read.digits_ = fewest.digits;
  // Of the largest number the most is open by its digits; where its decimals
  // say no less, they are those of all numbers.
  if (largest_ > 0 && read.decimal_ > 0 && read.digits_ < kAll &&
      read.ByDigits(largest_) <= read.decimal_ * (1 + 1e-9)) {
    read.digits_ = kAll;
  }
  read.most_ = std::max(0.01 * 2 * range, 0.001 * largest_);
  // What is computed from the largest number has no more than twelve digits of
  // it.
  read.least_ = of_times_ ? 0 : 1e-12 * largest_;
  read.relative_ =
      of_single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                : std::numeric_limits<double>::epsilon();
  if (of_times_ &&
      longest_step_ - shortest_step_ <= 4 * read.relative_ * largest_) {
    read.decimal_ = 0;
    read.digits_ = kAll;
  }
  return read;
}

SampleDigits::SampleDigits(const SampleView& table) {
  Reader reader(table);
  for (Eigen::Index row = 0; row < table.rows(); ++row) reader.AddRow(row);
  *this = reader.Finish();
}

SampleDigits SampleDigits::OfTimes(std::span<const double> time) {
  Reader reader = Reader::OfTimes(time);
  for (std::size_t k = 0; k < time.size(); ++k) {
    reader.AddRow(static_cast<Eigen::Index>(k));
  }
  return reader.Finish();
}

double SampleDigits::ByDigits(double size) const {
  return std::pow(10, Exponent(size) + 1 - digits_);
}

double SampleDigits::QuantumOf(double number) const {
  const double size = std::abs(number);
  double quantum = decimal_;
  if (digits_ < kAll && size > 0) quantum = std::max(quantum, ByDigits(size));
  return std::max({std::min(quantum, most_), relative_ * size, least_});
}

}  // namespace torqued
