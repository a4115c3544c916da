#include "client/cli/formats/npy_writer.h"

#include <bit>

namespace torqued::cli {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they stand in memory");

std::string NpyBytes(const client::Batch& numbers) {
  std::string bytes("\x93NUMPY\x01\x00\x00\x00", 10);
  bytes += "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
           std::to_string(numbers.rows()) + ", " +
           std::to_string(numbers.cols()) + "), }";
  // The data begins on a multiple of 64 bytes; the header ends in a newline.
  bytes.append(63 - bytes.size() % 64, ' ');
  bytes += '\n';
  const std::size_t header_size = bytes.size() - 10;
  bytes[8] = static_cast<char>(header_size & 0xFF);
  bytes[9] = static_cast<char>(header_size >> 8);
  bytes.append(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::size_t>(numbers.size()) * sizeof(double));
  return bytes;
}

}  // namespace torqued::cli
