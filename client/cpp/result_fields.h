// The tables of numbers of torqued.v1.Results, one by one.
#pragma once

#include <cstdint>
#include <span>

#include "client/cpp/evaluation.h"

namespace torqued::client {

/// What a row of a table is; matrices row by row.
enum class RowShape : std::uint8_t {
  kOne,
  kThree,
  kSix,
  kPose,            // 3 x 4
  kJoints,          // n
  kJointsByJoints,  // n x n
  kSixByJoints,     // 6 x n
  kJointsBySix,     // n x 6
  kJointsCubed,     // n x n x n
  kRegressor,       // n x 10 n
  kJointsByAxes,    // n x m
  kAxes,            // m, axes of a task
  kAxesByAxes,      // m x m
  kPowers,          // 8
};

struct ResultField {
  v1::Quantity quantity;
  const char* name;
  RowShape shape;
  bool (v1::Results::*has)() const;
  const v1::Array& (v1::Results::*get)() const;
  Batch Evaluation::* batch;
};

std::span<const ResultField> ResultFields();

/// Numbers of a row, for n degrees of freedom and a task of m axes.
std::int64_t Columns(RowShape shape, std::int64_t n, std::int64_t m);

}  // namespace torqued::client
