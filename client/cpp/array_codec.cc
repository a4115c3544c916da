#include "client/cpp/array_codec.h"

#include <bit>
#include <cstring>
#include <string>

#include "client/cpp/error.h"

namespace torqued::client {

static_assert(std::endian::native == std::endian::little,
              "f64 and f32 bytes are little-endian");

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
  const auto bytes = array.f64().size();
  const std::size_t row_bytes = array.columns() * sizeof(double);
  const bool fits =
      row_bytes == 0
          ? bytes == 0
          : bytes % row_bytes == 0 &&
                static_cast<Eigen::Index>(bytes / row_bytes) == count;
  if (!fits || (first > 0 && batch->cols() != columns)) {
    throw Error(grpc::StatusCode::INTERNAL,
                std::string("the reply's ") + what + " does not fit " +
                    std::to_string(count) + " rows");
  }
  if (first == 0) batch->resize(total, columns);
  if (bytes > 0) {
    std::memcpy(batch->data() + first * columns, array.f64().data(), bytes);
  }
}

}  // namespace torqued::client
