// Batches as the arrays of the wire.
#pragma once

#include "client/cpp/states.h"
#include "torqued/v1/array.pb.h"

namespace torqued::client {

/// Rows [first, first + count) as little-endian doubles.
void EncodeRows(const Batch& batch, Eigen::Index first, Eigen::Index count,
                v1::Array* array);

/// Writes an array of exactly `count` rows to the rows from `first` on. Row 0
/// comes first and gives `batch` its size, `total` rows. `what` names the array
/// in the Error thrown when the array is malformed or of another shape.
void DecodeRows(const v1::Array& array, const char* what, Eigen::Index first,
                Eigen::Index count, Eigen::Index total, Batch* batch);

}  // namespace torqued::client
