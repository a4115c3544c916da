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

SampleDigits::SampleDigits(const SampleView& table) {
  double range = 0;
  for (Eigen::Index k = 0; k < table.cols() && table.rows() > 0; ++k) {
    // A half of it does not overflow.
    range = std::max(range,
                     table.col(k).maxCoeff() / 2 - table.col(k).minCoeff() / 2);
  }
  Fewest exact, nearest{.single = true};
  bool single = true;
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    for (Eigen::Index k = 0; k < table.cols(); ++k) {
      const double size = std::abs(table(row, k));
      if (!(size > 0)) continue;
      largest_ = std::max(largest_, size);
      exact.Take(size);
      single = single && IsSingle(size);
      if (single) nearest.Take(size);
    }
  }
  const bool of_single = single && !exact.found();
  const Fewest& fewest = of_single ? nearest : exact;
  if (fewest.decimals < kAll) decimal_ = 1 / Power(fewest.decimals);
  digits_ = fewest.digits;
  // Of the largest number the most is open by its digits; where its decimals
  // say no less, they are those of all numbers.
  if (largest_ > 0 && decimal_ > 0 && digits_ < kAll &&
      ByDigits(largest_) <= decimal_ * (1 + 1e-9)) {
    digits_ = kAll;
  }
  most_ = std::max(0.01 * 2 * range, 0.001 * largest_);
  // What is computed from the largest number has no more than twelve digits of
  // it.
  least_ = 1e-12 * largest_;
  relative_ = of_single
                  ? static_cast<double>(std::numeric_limits<float>::epsilon())
                  : std::numeric_limits<double>::epsilon();
}

SampleDigits SampleDigits::OfTimes(std::span<const double> time) {
  const auto rows = static_cast<Eigen::Index>(time.size());
  SampleDigits digits(SampleView(time.data(), rows, 1));
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;
  for (std::size_t k = 1; k < time.size(); ++k) {
    shortest = std::min(shortest, time[k] - time[k - 1]);
    longest = std::max(longest, time[k] - time[k - 1]);
  }
  digits.least_ = 0;
  if (longest - shortest <= 4 * digits.relative_ * digits.largest_) {
    digits.decimal_ = 0;
    digits.digits_ = kAll;
  }
  return digits;
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
