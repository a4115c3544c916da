// The digits of numbers are found in the numbers.
#include "core/trajectory/sample_digits.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace torqued {
namespace {

SampleDigits DigitsOf(const std::vector<double>& numbers) {
  return SampleDigits(
      SampleView(numbers.data(), static_cast<Eigen::Index>(numbers.size()), 1));
}

/// With so many decimals, or significant digits.
enum class Style { kDecimals, kDigits };
std::vector<double> Printed(Style style, int count) {
  std::vector<double> numbers;
  for (int k = 0; k < 400; ++k) {
    const double number = 2.9 * std::sin(0.1 * k);
    std::array<char, 64> text{};
    if (style == Style::kDecimals) {
      std::snprintf(text.data(), text.size(), "%.*f", count, number);
    } else {
      std::snprintf(text.data(), text.size(), "%.*g", count, number);
    }
    numbers.push_back(std::strtod(text.data(), nullptr));
  }
  return numbers;
}

TEST(SampleDigits, DecimalsAreFound) {
  EXPECT_DOUBLE_EQ(DigitsOf(Printed(Style::kDecimals, 3)).QuantumOf(1.234),
                   1e-3);
  EXPECT_DOUBLE_EQ(DigitsOf(Printed(Style::kDecimals, 4)).QuantumOf(1.234),
                   1e-4);
  EXPECT_DOUBLE_EQ(DigitsOf(Printed(Style::kDecimals, 6)).QuantumOf(0), 1e-6);
}

TEST(SampleDigits, ZerosLeaveNothingOpen) {
  EXPECT_EQ(DigitsOf({0, 0, -0.0}).QuantumOf(0), 0);
}

TEST(SampleDigits, SignificantDigitsAreFound) {
  const SampleDigits digits = DigitsOf(Printed(Style::kDigits, 4));
  EXPECT_DOUBLE_EQ(digits.QuantumOf(2.345), 1e-3);
  EXPECT_DOUBLE_EQ(digits.QuantumOf(0.2345), 1e-4);
  // Zero has no first digit; it has the decimals of the others.
  EXPECT_LE(digits.QuantumOf(0), 1e-4);
}

TEST(SampleDigits, FullNumbersHaveThoseOfRounding) {
  EXPECT_LT(DigitsOf(Printed(Style::kDigits, 17)).QuantumOf(2.9), 1e-11);
}

TEST(SampleDigits, SinglePrecisionIsFound) {
  std::vector<double> numbers;
  for (const double number : Printed(Style::kDigits, 17)) {
    numbers.push_back(static_cast<double>(static_cast<float>(number)));
  }
  const double quantum = DigitsOf(numbers).QuantumOf(2.9);
  EXPECT_GT(quantum, 1e-7);
  EXPECT_LT(quantum, 2e-6);
  // Of few decimals beneath it, too.
  numbers.clear();
  for (const double number : Printed(Style::kDecimals, 3)) {
    numbers.push_back(static_cast<double>(static_cast<float>(number)));
  }
  EXPECT_DOUBLE_EQ(DigitsOf(numbers).QuantumOf(1.5), 1e-3);
  numbers.clear();
  for (const double number : Printed(Style::kDigits, 4)) {
    numbers.push_back(static_cast<double>(static_cast<float>(number)));
  }
  EXPECT_DOUBLE_EQ(DigitsOf(numbers).QuantumOf(1.5), 1e-3);
}

TEST(SampleDigits, RoundNumbersAreNotTakenForRounded) {
  EXPECT_LE(DigitsOf({0, 1, 2}).QuantumOf(1), 0.02);
  EXPECT_LE(DigitsOf({0, 0, 0}).QuantumOf(0), 0);
  EXPECT_LE(DigitsOf({0, 0.5, 1, 0.5}).QuantumOf(0.5), 0.01);
}

TEST(SampleDigits, EvenTimesAreExact) {
  const std::vector<double> even = {0, 0.1, 0.2, 0.30000000000000004, 0.4};
  EXPECT_LT(SampleDigits::OfTimes(even).QuantumOf(0.4), 1e-12);
  // However few digits they have.
  const std::vector<double> halves = {0, 0.5, 1, 1.5, 2};
  EXPECT_LT(SampleDigits::OfTimes(halves).QuantumOf(2), 1e-12);
  const std::vector<double> rounded = {0,      0.0033, 0.0067, 0.01,
                                       0.0133, 0.0167, 0.02};
  EXPECT_DOUBLE_EQ(SampleDigits::OfTimes(rounded).QuantumOf(0.01), 1e-4);
}

}  // namespace
}  // namespace torqued
