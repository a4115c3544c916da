// What comes out of a computation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::client {

/// From a row on, another server than before computed: with another target or
/// of another version, so that its numbers differ by rounding from those that
/// the one before would have given. Servers of one version with the same --isa
/// agree bit for bit.
struct Handover {
  std::int64_t first_row = 0;
  std::string target;
  std::string server_version;
};

/// Quantities that were not asked for are empty; the others have `rows` rows.
/// The tables are those of torqued.v1.Results, under their names: `tau`,
/// `mass_matrix`, `jacobian`, ... Matrices are flattened row-major.
struct Evaluation {
  std::int64_t rows = 0;

#define TORQUED_RESULT_TABLE(name) Batch name;
#include "torqued/v1/result_tables.inc"
#undef TORQUED_RESULT_TABLE
  std::vector<std::uint32_t> rank;
  std::vector<double> sigma_min;  // empty unless TaskOptions asked for it
  std::vector<v1::TaskRule> rule;

  /// The first kMaxListed rows that are not OK, ascending; rows_not_ok counts
  /// all.
  static constexpr std::size_t kMaxListed = 100'000;
  std::vector<v1::RowStatus> row_status;
  std::int64_t rows_not_ok = 0;

  /// Model, revision, joint order, terms and target. Timing is the sum over the
  /// chunks of a stream: these overlap, so it may exceed the time that passed.
  v1::Echo echo;
  /// Where a large batch that was interrupted went on with a server that
  /// computes other bits; ascending, and empty in almost all cases. The echo is
  /// that of the first server.
  std::vector<Handover> handovers;

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
