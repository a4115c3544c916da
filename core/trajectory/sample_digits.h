// How many digits the numbers of a table have.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/trajectory/spline.h"

namespace torqued {

/// Numbers that were printed with few digits, or kept in single precision, tell
/// what they tell only so finely. Which digits they have is taken from the
/// numbers themselves, all of the table together: the decimals and the
/// significant digits that every one of them makes do with. A table of few and
/// round numbers says little about it: a quantum is at most a hundredth of the
/// largest range of a column, or a thousandth of the largest number.
class SampleDigits {
 public:
  class Reader;

  /// Of no numbers.
  SampleDigits() = default;
  explicit SampleDigits(const SampleView& table);

  /// Of times, which increase. Where all steps are the same, the times are as
  /// exact as numbers are.
  static SampleDigits OfTimes(std::span<const double> time);

  /// The distance from a number of the table to the next one that could stand
  /// in its place, at least that of rounding.
  double QuantumOf(double number) const;

 private:
  /// What no number makes do with.
  static constexpr int kAll = 16;

  /// With which all numbers so far make do: numbers as they are, or the nearest
  /// ones of single precision.
  struct Fewest {
    bool single = false;
    int decimals = 0;
    int digits = 1;

    bool Reads(double size, int decimals_of_it) const;
    bool ReadsDigits(double size, int digits_of_it) const;
    void Take(double size);
    bool found() const { return decimals < kAll || digits < kAll; }
  };

  /// The quantum of a number above 0 by its significant digits.
  double ByDigits(double size) const;

  double largest_ = 0;
  double decimal_ = 0;   // quantum by decimals; 0: none
  int digits_ = kAll;    // significant
  double most_ = 0;      // of a quantum of digits
  double relative_ = 0;  // to the number
  double least_ = 0;     // of any quantum
};

/// Reads a table in steps of some rows. The caller may stop after each step.
class SampleDigits::Reader {
 public:
  /// `table` outlives this.
  explicit Reader(const SampleView& table);
  /// As SampleDigits::OfTimes.
  static Reader OfTimes(std::span<const double> time);

  /// The next row; every one, in order.
  void AddRow(Eigen::Index row);

  /// After the last row.
  SampleDigits Finish() const;

 private:
  SampleView table_;
  bool of_times_ = false;
  std::vector<double> lowest_, highest_;  // by column
  Fewest exact_;
  Fewest nearest_{.single = true};
  bool single_ = true;
  double largest_ = 0;
  // Of times: from one to the next.
  double shortest_step_ = std::numeric_limits<double>::infinity();
  double longest_step_ = 0;
};

}  // namespace torqued
