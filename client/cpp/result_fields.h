// The tables of numbers of torqued.v1.Results, one by one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "client/cpp/evaluation.h"

namespace torqued::client {

struct ResultField {
  const char* name;
  bool (v1::Results::*has)() const;
  const v1::Array& (v1::Results::*get)() const;
  Batch Evaluation::* batch;
  /// Quantity, shape, unit and symbol, as the contract describes it.
  const v1::TableInfo* info;
};

std::span<const ResultField> ResultFields();

/// The dimensions of a row: numbers, and words of TableInfo.shape.
std::vector<std::string> Dimensions(const v1::TableInfo& info);

/// Numbers of a row, for n degrees of freedom and a task of m axes.
std::int64_t Columns(const v1::TableInfo& info, std::int64_t n, std::int64_t m);

}  // namespace torqued::client
