#include "client/cpp/array_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "client/cpp/error.h"

namespace torqued::client {
namespace {

static_assert(std::endian::native == std::endian::little,
              "f64 and f32 bytes are little-endian");

[[noreturn]] void ThrowMalformed(const char* what, const std::string& problem) {
  throw Error(grpc::StatusCode::INTERNAL,
              std::string("the reply's ") + what + " " + problem);
}

}  // namespace

void EncodeRows(const Batch& batch, Eigen::Index first, Eigen::Index count,
                v1::Array* array) {
  array->set_columns(static_cast<std::uint32_t>(batch.cols()));
  array->set_f64(
      reinterpret_cast<const char*>(batch.data() + first * batch.cols()),
      static_cast<std::size_t>(count * batch.cols()) * sizeof(double));
}

void DecodeRows(const v1::Array& array, const char* what, Eigen::Index first,
                Eigen::Index count, Eigen::Index total, Batch* batch) {
  const Eigen::Index columns = array.columns();
  // Before anything is allocated: the payload must really be there.
  const std::size_t numbers =
      array.f64().empty() ? static_cast<std::size_t>(array.values_size())
                          : array.f64().size() / sizeof(double);
  const bool whole_numbers = array.f64().size() % sizeof(double) == 0;
  const bool fits =
      columns == 0 ? numbers == 0
                   : static_cast<Eigen::Index>(numbers) / columns == count &&
                         static_cast<Eigen::Index>(numbers) % columns == 0;
  if (!whole_numbers || !fits) {
    ThrowMalformed(what, "does not hold " + std::to_string(count) +
                             " rows of " + std::to_string(columns) +
                             " columns");
  }
  if (first == 0) batch->resize(total, columns);
  if (batch->cols() != columns) {
    ThrowMalformed(what, "has " + std::to_string(columns) +
                             " columns, earlier rows had " +
                             std::to_string(batch->cols()));
  }

  double* out = batch->data() + first * columns;
  if (!array.f64().empty()) {
    std::memcpy(out, array.f64().data(), array.f64().size());
  } else {
    std::copy(array.values().begin(), array.values().end(), out);
  }
}

}  // namespace torqued::client
