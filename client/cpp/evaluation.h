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
/// Columns are those of torqued.v1.Results: matrices are flattened row-major.
struct Evaluation {
  std::int64_t rows = 0;

  Batch tau;
  Batch mass_matrix;
  Batch a;
  Batch bias;
  Batch pose;
  Batch jacobian;
  Batch jacobian_drift;
  Batch lambda;
  Batch eta;
  Batch gravity;
  Batch coriolis;
  Batch coriolis_matrix;
  Batch christoffel;
  Batch mass_matrix_rate;
  Batch mass_matrix_inverse;
  Batch kinetic_energy;
  Batch potential_energy;
  Batch center_of_mass;
  Batch center_of_mass_velocity;
  Batch momentum;
  Batch momentum_matrix;
  Batch link_twists;
  Batch link_accelerations;
  Batch frame_velocity;
  Batch frame_acceleration;
  Batch frame_acceleration_classical;
  Batch jacobian_rate;
  Batch joint_wrenches;
  Batch base_wrench;
  Batch regressor;
  Batch dtau_dq;
  Batch dtau_dv;
  Batch da_dq;
  Batch da_dv;
  Batch da_dtau;
  Batch mobility;
  Batch consistent_inverse;
  Batch null_space_projector;
  Batch forward_frame_acceleration;
  Batch task_torque;
  Batch power_balance;
  std::vector<std::uint32_t> rank;
  std::vector<double> sigma_min;  // empty unless TaskOptions asked for it
  std::vector<v1::TaskRule> rule;

  /// Rows that are not OK, ascending. A server lists at most 1000 of a call or
  /// of a chunk, and not more than kMaxListed are kept; rows_not_ok counts all.
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
