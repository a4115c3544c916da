// What comes out of a computation.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::client {

/// Any list of quantities, for the length of a call.
class Quantities : public std::span<const v1::Quantity> {
 public:
  using span::span;
  Quantities(std::initializer_list<v1::Quantity> list)
      : span(list.begin(), list.size()) {}
};

/// Quantities that were not asked for are empty; the others have `rows` rows.
/// The tables are those of torqued.v1.Results, under their names: `tau`,
/// `mass_matrix`, `jacobian`, ... Matrices are flattened row-major.
struct Evaluation {
  std::int64_t rows = 0;

#define TORQUED_RESULT_TABLE(name) Batch name;
#include "torqued/v1/tables.inc"
  std::vector<std::uint32_t> rank;
  std::vector<double> sigma_min;  // empty unless options ask for it
  std::vector<v1::TaskRule> rule;

  /// The first kMaxListed rows that are not OK, ascending; rows_not_ok counts
  /// all.
  static constexpr std::size_t kMaxListed = 100'000;
  std::vector<v1::RowStatus> row_status;
  std::int64_t rows_not_ok = 0;

  /// Model, revision, joint order, terms and target, of the first call. Timing
  /// is the sum over all calls: these overlap, so it may exceed the time that
  /// passed.
  v1::Echo echo;

  bool ok() const { return rows_not_ok == 0; }

  /// Row `row` of a matrix-valued quantity with `matrix_rows` rows, as a view:
  /// MatrixOf(e.mass_matrix, k, nv), MatrixOf(e.jacobian, k, 6), ...
  static Eigen::Map<const Batch> MatrixOf(const Batch& quantity,
                                          Eigen::Index row,
                                          Eigen::Index matrix_rows) {
    return {quantity.row(row).data(), matrix_rows,
            matrix_rows == 0 ? 0 : quantity.cols() / matrix_rows};
  }
};

}  // namespace torqued::client
