// The inputs of a computation.
#pragma once

#include <Eigen/Core>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::client {

/// One row per state. A single state is a batch of one row.
using Batch =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The tables of torqued.v1.EvaluateChunk, under their names: `q`, `v`, `a`,
/// `tau`, `tip_wrench_on_environment`, `base_twist`, ... Their comments there
/// say what an empty batch, an absent input, means. Joint columns follow the
/// model's canonical order unless the options' joint_names say otherwise. A
/// batch of one row serves all states.
struct States {
#define TORQUED_INPUT_TABLE(name) Batch name = {};
#include "torqued/v1/tables.inc"
};

/// Rows that are done, of all rows.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

/// The messages of the contract, whose comments describe them, and what the
/// client does itself.
struct ComputeOptions {
  /// The client chooses the encoding. With fail_fast, a row that is not OK
  /// throws (ROW_FAILED).
  v1::Options options = {};
  v1::OperationalSpaceOptions operational_space = {};
  /// Axes of States::tip_wrench_on_environment.
  v1::ReferenceFrame tip_wrench_reference_frame =
      v1::REFERENCE_FRAME_UNSPECIFIED;
  /// For the whole batch, with all retries; absent: that of the connection.
  std::optional<std::chrono::milliseconds> deadline = {};
  /// Called after each part of a large batch, never from two threads at once.
  Progress progress = {};
};

}  // namespace torqued::client
