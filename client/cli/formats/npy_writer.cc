#include "client/cli/formats/npy_writer.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "client/cli/formats/utf8.h"

namespace torqued::cli {

namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they stand in memory");

/// Version 1.0, C order.
std::string Header(const std::string& descr, const std::string& shape) {
  std::string bytes("\x93NUMPY\x01\x00\x00\x00", 10);
  bytes += "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
           shape + "), }";
  // The data begins on a multiple of 64 bytes; the header ends in a newline.
  bytes.append(63 - bytes.size() % 64, ' ');
  bytes += '\n';
  const std::size_t header_size = bytes.size() - 10;
  bytes[8] = static_cast<char>(header_size & 0xFF);
  bytes[9] = static_cast<char>(header_size >> 8);
  return bytes;
}

}  // namespace

std::string NpyBytes(const client::Batch& numbers) {
  std::string bytes = Header("<f8", std::to_string(numbers.rows()) + ", " +
                                        std::to_string(numbers.cols()));
  bytes.append(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::size_t>(numbers.size()) * sizeof(double));
  return bytes;
}

std::string NpyNamesBytes(const std::vector<std::string>& names) {
  std::vector<std::vector<std::uint32_t>> texts;
  std::size_t longest = 1;
  for (const std::string& name : names) {
    texts.push_back(CodePoints(name));
    longest = std::max(longest, texts.back().size());
  }
  std::string bytes = Header("<U" + std::to_string(longest),
                             std::to_string(names.size()) + ",");
  for (std::vector<std::uint32_t>& text : texts) {
    text.resize(longest);
    bytes.append(reinterpret_cast<const char*>(text.data()), 4 * longest);
  }
  return bytes;
}

}  // namespace torqued::cli
